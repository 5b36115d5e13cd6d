"""Hearing the stop: what a listener is (stop_listener), and the platform-free parts of one: chords and corners."""
