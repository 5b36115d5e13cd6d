"""Reads a key that is typed or pasted at a prompt without echo, or given on stdin. It is never shown."""

from __future__ import annotations

import io
import sys


def read_key(prompt: str) -> str:
    """All that was entered, line breaks included; "" without stdin.

    Args:
        prompt: What is asked for, at a terminal.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return _typed(prompt)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin.read() if sys.stdin is not None else ""


def _typed(prompt: str) -> str:
    """As `getpass`, but with what was pasted behind a line break, which it would drop without a word."""
    if sys.platform == "win32":
        import getpass

        return getpass.getpass(prompt)
    import select
    import termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    silent, raw = list(before), list(before)
    silent[3] &= ~termios.ECHO
    raw[3] &= ~(termios.ECHO | termios.ICANON)  # the rest may have no line break of its own
    try:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, silent)
        sys.stderr.write(prompt)
        sys.stderr.flush()
        line = sys.stdin.readline()
        termios.tcsetattr(terminal, termios.TCSANOW, raw)
        more = bool(select.select([terminal], [], [], 0)[0])
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
        sys.stderr.write("\n")
    return f"{line}…" if more else line
