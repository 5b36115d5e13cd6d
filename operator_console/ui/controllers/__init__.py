"""Controllers: each handles one concern of the window and updates the panels."""
