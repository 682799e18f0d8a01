"""Policies, which make decisions of feedback, and the arrival rules and hints that they are made of."""
