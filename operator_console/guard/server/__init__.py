"""The guard's process: main loop (dispatch), armed session (session), pauses and lease (lease), injector
(injector_child), latch files (latch_writer), terminals (terminal_socket)."""
