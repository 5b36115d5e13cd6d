"""xcffib's declarations are shipped as the installed cffi parses those of the installed xcffib, and are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("xcffib")

import parse_xcffib


def test_the_shipped_declarations_are_those_of_the_installed_xcffib() -> None:
    assert parse_xcffib.FILE.read_text("utf-8") == parse_xcffib.parsed(), "run packaging/parse_xcffib.py"


def test_a_connections_process_parses_none() -> None:
    code = (
        "import sys; from operator_console.desktop.x11.xcffib_loading import prepare_xcffib; prepare_xcffib();"
        "import xcffib.xproto; assert 'pycparser' not in sys.modules; assert xcffib.X_PROTOCOL == 11"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_version_of_xcffib_is_imported_as_usual() -> None:
    code = (
        "import sys; from operator_console.desktop.x11 import xcffib_declarations as old; old.PARSED_FROM = '';"
        "from operator_console.desktop.x11.xcffib_loading import prepare_xcffib; prepare_xcffib();"
        "import xcffib.xproto; assert 'pycparser' in sys.modules; assert xcffib.X_PROTOCOL == 11"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
