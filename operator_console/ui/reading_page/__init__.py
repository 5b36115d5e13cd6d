"""A recorded session as one HTML page for reading. No Qt."""
