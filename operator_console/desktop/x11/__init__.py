"""X11: windows, pixels, monitors, focus and keyboard mapping, over one connection per thread."""
