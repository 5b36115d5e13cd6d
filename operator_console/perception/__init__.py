"""What is on a frame: accessible elements of applications, texts by OCR (each in its own process), fields and boxes."""
