"""The command line, with one module for each command.

`main` is the entry point of the installed command.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (`sys.argv` where None) and return its exit code."""
    from operator_console.cli.subcommands import run_command_line

    return run_command_line(argv)
