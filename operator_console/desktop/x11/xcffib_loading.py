"""Has xcffib imported without parsing its C declarations, which is most of its import time.

xcffib 1.13 hands cffi its declarations as text each time it is imported: 60 ms of every process that starts. They are
shipped parsed, and used where the installed xcffib declares the same; another version is imported as usual.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_DECLARATIONS = "xcffib.ffi"


def prepare_xcffib() -> None:
    """Call this before each import of xcffib."""
    if "xcffib" not in sys.modules and (parsed := _parsed()) is not None:
        sys.modules[_DECLARATIONS] = parsed


def _parsed() -> ModuleType | None:
    """The declarations of the installed xcffib; None if they were not parsed before."""
    package = importlib.util.find_spec("xcffib")
    if package is None or package.origin is None:
        return None
    try:
        from operator_console.desktop.x11 import xcffib_declarations

        declared = Path(package.origin).with_name("ffi.py").read_bytes()
    except (ImportError, OSError):  # cffi has changed its format, or xcffib its files
        return None
    same = hashlib.sha256(declared).hexdigest() == xcffib_declarations.PARSED_FROM
    return xcffib_declarations if same else None
