"""Actions that are not input: starting applications, the functions of the operator, and the clipboard."""
