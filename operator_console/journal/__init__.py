"""The session record: append, read, verify, replay."""
