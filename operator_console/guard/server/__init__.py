"""The guard's process: what it is told and asks (dispatch), the session that can act (session), when it pauses or stops
for silence (lease), the injector (injector_child), terminals (terminal_socket)."""
