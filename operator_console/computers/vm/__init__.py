"""A virtual machine's screen, shown by a viewer's window on this desktop, as a target."""
