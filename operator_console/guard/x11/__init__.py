"""The guard's X11 backend: two listeners, their probe, the lock on a display, the release of held input."""
