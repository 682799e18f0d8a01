"""One short file for each named algorithm: its formula, its source, the function that composes it, its card."""
