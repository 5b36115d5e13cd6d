"""Detecting a stop: the listener's protocol (stop_listener), and its platform-free parts: chords and corners."""
