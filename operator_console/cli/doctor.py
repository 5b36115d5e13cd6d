"""`doctor`: what works here and what to do about the rest. Collects the checks that the rooms offer."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.domain.requests import DoctorCheck

LOGS = True

# Without these no session can start; the others cost a convenience.
ESSENTIAL = frozenset(("python", "settings", "records", "display", "hotkey"))

_EPILOG = """\
exit: 0 a session can be run here (some conveniences may be missing), 1 something needed is missing"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = _EPILOG
    parser.add_argument("--json", action="store_true", help="as a JSON list")


def execute(args: argparse.Namespace) -> int:
    """Look, and print."""
    from operator_console.cli.checks import all_checks
    from operator_console.domain.errors import ExitCode

    found: list[DoctorCheck] = []
    for check in all_checks():
        found.append(check)
        if not args.json:
            mark = "ok " if check.ok else ("NO " if check.name in ESSENTIAL else "-- ")
            print(f"{mark} {check.name:<14} {check.detail}")
            if not check.ok and check.remedy:
                print(f"{'':<18} {check.remedy}")
            sys.stdout.flush()
    if args.json:
        import json

        fields = ("name", "ok", "detail", "remedy")
        rows = [{name: getattr(check, name) for name in fields} for check in found]
        print(json.dumps([{**row, "essential": row["name"] in ESSENTIAL} for row in rows], indent=2))
    lacking = [check for check in found if not check.ok and check.name in ESSENTIAL]
    return ExitCode.FAILED if lacking else ExitCode.FINISHED
