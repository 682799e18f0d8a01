"""Steps: what a decision becomes when gradients have arrived."""
