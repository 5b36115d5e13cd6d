"""What the window does: each controller owns one concern and drives the panels."""
