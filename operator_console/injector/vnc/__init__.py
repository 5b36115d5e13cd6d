"""Acts on a machine over VNC, by a connection of its own."""
