"""The durable service."""
