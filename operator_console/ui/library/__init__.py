"""The sessions library: its window, its rows, and the dialogs for what is done with a session."""
