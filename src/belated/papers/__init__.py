"""Papers: published experiments, run again. One file for each paper; the others make figures, tables and reports."""
