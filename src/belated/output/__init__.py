"""What reports have in common: files that are whole or not there, and figures that all look alike."""
