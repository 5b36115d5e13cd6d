"""Runs the window's process without PySide6's import hook, and at first without garbage collection.

Both are for the start: neither changes what the program does.
"""

from __future__ import annotations

import builtins
import gc

import PySide6.QtCore  # noqa: F401  installs its import hook


def remove_import_hook() -> None:
    """Give `import` back to Python.

    PySide6 replaces it for its `__feature__` switches, which nothing here uses. Its hook reads the source of every
    module that is imported from then on, a tenth of the time until Start can be pressed.
    """
    original = getattr(builtins, "__orig_import__", None)
    if original is not None:
        builtins.__import__ = original


def pause_collection() -> None:
    """Look for no garbage while modules are imported and widgets made: there is next to none, and much to search."""
    gc.disable()


def resume_collection() -> None:
    """Look for garbage again, but never again in what was made until now: it stays as long as the program."""
    gc.freeze()
    gc.enable()
