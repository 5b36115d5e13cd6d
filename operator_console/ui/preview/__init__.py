"""The preview: the target's picture and the marks on it."""
