"""Wrappers: policies around other policies, such as copies of one learner, or several that advise."""
