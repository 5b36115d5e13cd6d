"""Reading a frame: OCR, accessible elements, has-it-changed, settled."""
