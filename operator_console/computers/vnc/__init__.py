"""A machine over VNC, as what is looked at."""
