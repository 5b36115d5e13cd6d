"""The managed browser: its process, the protocol that it speaks, and the fence around what it may reach."""
