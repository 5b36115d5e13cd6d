"""MiniWoB++ (the package `miniwob`, its pages only) worked by a model that never errs."""
