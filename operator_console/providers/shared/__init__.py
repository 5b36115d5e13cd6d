"""Shared by providers of models: arguments, conversation history, HTTP errors and the console's own functions."""
