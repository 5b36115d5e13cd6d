"""`status`: what runs or is stopped on a display. Imports next to nothing."""

from __future__ import annotations

from operator_console.cli.display import add_display

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse

LOGS = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = "States: idle, running, paused, stopped (until reset).\n\nexit: 0, or 5 where no display is named"
    parser.add_argument("--json", action="store_true", help="one JSON object: state, reason, since, stop_live, session")
    add_display(parser)


def execute(args: argparse.Namespace) -> int:
    """Print it."""
    from operator_console.cli.display import display_of, unusable, words
    from operator_console.guard.latch import read_status

    try:
        status = read_status(display_of(args))
    except OSError as error:
        raise unusable(error) from error
    if not args.json:
        print(words(status))
        return 0
    import json

    fields = {
        "state": status.state.value,
        "reason": status.reason or None,
        "since": status.since or None,
        "stop_live": bool(status.stop_live),
        "session": status.session or None,
        "display": status.display,
        "detail": status.detail,
    }
    print(json.dumps(fields))
    return 0
