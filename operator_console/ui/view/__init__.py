"""What the window shows, as values and words. No Qt."""
