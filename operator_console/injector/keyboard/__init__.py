"""Keys and text: focus, key actions, typing, and waiting until they were delivered."""
