"""Papers: published experiments, run again. One file a paper; the others are what their reports are made with."""
