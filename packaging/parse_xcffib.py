"""Writes operator_console/desktop/x11/xcffib_declarations.py: xcffib's C declarations, parsed.

    .venv/bin/python packaging/parse_xcffib.py

To be run when the lock gets another version of xcffib or cffi; a test tells.
"""

from __future__ import annotations

import hashlib
import importlib.util
import runpy
import tempfile
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "operator_console/desktop/x11/xcffib_declarations.py"
_HEAD = '''\
# ruff: noqa: E501
# fmt: off
"""xcffib's C declarations as cffi parses them; written by packaging/parse_xcffib.py."""

from __future__ import annotations

from _cffi_backend import FFI

PARSED_FROM = "{digest}"
"""SHA-256 of the file of xcffib that declares them."""

'''


def parsed() -> str:
    """The module's text for the installed xcffib and cffi."""
    package = importlib.util.find_spec("xcffib")
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).with_name("ffi.py")
    builder = FFI()
    builder.set_source("xcffib.ffi", None)
    builder.cdef(runpy.run_path(str(file))["CDEF"])
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "ffi.py"
        builder.emit_python_code(str(written))
        code = written.read_text(encoding="utf-8")
    code = code.partition("import _cffi_backend\n")[2].replace("_cffi_backend.FFI(", "FFI(").strip()
    return _HEAD.format(digest=hashlib.sha256(file.read_bytes()).hexdigest()) + code + "\n"


if __name__ == "__main__":
    FILE.write_text(parsed(), encoding="utf-8")
