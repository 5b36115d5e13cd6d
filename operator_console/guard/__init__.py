"""The child process that stops everything, and the client that talks to it."""
