"""Acts on a page, over the browser host's socket for what acts."""
