"""A browser that the console starts for a session, as a target."""
