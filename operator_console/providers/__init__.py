"""Translates between domain values and the protocol of each model. Never retries or sleeps."""
