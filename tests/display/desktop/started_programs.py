"""Runs a program on an isolated desktop to its end."""

from __future__ import annotations

import os

from operator_console.desktop.x11.virtual_desktop import VirtualDesktop


def run_on(there: VirtualDesktop, command: list[str]) -> str:
    """All that it writes. Blocking."""
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8", errors="replace") as said:
        there.programs.start(command, output=writer, errors=writer)
        os.close(writer)
        return said.read()
