"""Measurements of the service: requests a second beside a bare application, batches, memory, and the time to start."""
