"""The command line: one module per command, imported light; the work is done by app and the rooms.

`main` is what the installed command calls.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (`sys.argv` where None) and return its exit code."""
    from operator_console.cli.entry import run_command_line

    return run_command_line(argv)
