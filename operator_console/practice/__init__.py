"""The practice window, which runs in its own process, and the check of what it received."""
