"""The parts of the main window."""
