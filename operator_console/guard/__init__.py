"""The child process that carries out a stop, and the console's client of it."""
