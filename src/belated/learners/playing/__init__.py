"""A run of a learner: the player and its two verbs, the turn between two plays, its numbers, and how they are saved."""
