"""What the operator set once: one typed model, read from a file; keys from environment and keyring; where files live.

cli and app hand plain values on; no other room reads settings.
"""
