"""Policies: from feedback to a decision; with the arrival rules and the hints that they are made of."""
