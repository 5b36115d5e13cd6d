"""The practice window (a process of its own) and its runbook."""
