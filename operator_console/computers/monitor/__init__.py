"""A monitor of this desktop as a target."""
