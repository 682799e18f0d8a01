"""What theory says of a run, and how near an adversary can bring a learner to it."""
