"""The dialogs. Each is opened with `open()`, never `exec()`."""
