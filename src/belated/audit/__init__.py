"""Whether a run keeps to what theory says of it: its proof, step by step, on the run's own numbers."""
