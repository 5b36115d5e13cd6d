"""The guard on X11: both listeners, the probe, the lock on the display, and the release of held input."""
