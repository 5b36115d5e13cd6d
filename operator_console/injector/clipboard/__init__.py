"""Typing by pasting, and the process that gives the clipboard back."""
