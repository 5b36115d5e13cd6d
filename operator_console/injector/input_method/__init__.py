"""Typing through the desktop's input method (IBus, fcitx5)."""
