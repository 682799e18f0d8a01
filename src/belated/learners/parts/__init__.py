"""The parts that named algorithms are composed of: rates, steps, arrival rules, estimators, policies."""
