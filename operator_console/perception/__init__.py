"""Finds text and input fields in frames, with OCR in its own process."""
