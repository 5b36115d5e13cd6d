"""What the window shows, as values and text. No Qt."""
