"""Typing by pasting, and the process that owns the clipboard meanwhile."""
