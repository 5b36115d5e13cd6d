"""What is allowed, asked or refused: pure functions on values."""
