"""`doctor`: prints what works on this computer, and what to do about the rest."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from operator_console.domain.translations import _

if TYPE_CHECKING:
    from operator_console.domain.session_request import DoctorCheck

LOGS = True

# No session can start without these; the others are optional.
ESSENTIAL = frozenset(("python", "settings", "records", "display", "hotkey"))


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
exit: 0 sessions can run here (optional parts may be missing), 1 something required is missing""")
    parser.add_argument("--json", action="store_true", help=_("print a JSON list"))


def execute(args: argparse.Namespace) -> int:
    from operator_console.cli.doctor_checks import all_checks
    from operator_console.domain.errors import ExitCode

    found: list[DoctorCheck] = []
    for check in all_checks():
        found.append(check)
        if not args.json:
            with suppress(BrokenPipeError):  # the exit code tells the result without a reader, too
                _print(check)
    if args.json:
        import json

        fields = ("name", "ok", "detail", "remedy")
        rows = [{name: getattr(check, name) for name in fields} for check in found]
        print(json.dumps([{**row, "essential": row["name"] in ESSENTIAL} for row in rows], indent=2))
    missing = [check for check in found if not check.ok and check.name in ESSENTIAL]
    return ExitCode.FAILED if missing else ExitCode.FINISHED


def _print(check: DoctorCheck) -> None:
    from operator_console.domain.message_texts import worded

    mark = "ok" if check.ok else ("NO" if check.name in ESSENTIAL else "--")
    print(f"{mark:<3} {check.name:<14} {worded(check.detail)}")
    if not check.ok and check.remedy:
        print(f"{'':<18} {worded(check.remedy)}")
    sys.stdout.flush()
