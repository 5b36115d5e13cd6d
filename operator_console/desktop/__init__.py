"""The operating system's edge: grabbing, windows, focus, key tables, raw release."""
