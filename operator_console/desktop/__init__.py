"""The operating system: screen capture, windows, focus, key tables, clipboard. A folder for each platform."""
