"""The child process that acts on the desktop, and the client that talks to it."""
