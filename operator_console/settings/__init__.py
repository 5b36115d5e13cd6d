"""What the operator set once: one typed model, read from a file; keys from environment and keyring; where files live.

Called by cli and app, which hand plain values on; no other room reads settings.
"""
