"""The child process that sends input, and the console's client for it."""
