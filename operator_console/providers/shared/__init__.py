"""What every dialect needs: reading arguments, history and pruning, faults of HTTP, the console's own tools."""
