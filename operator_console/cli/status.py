"""`status`: what runs or is stopped on a display. Imports next to nothing."""

from __future__ import annotations

from operator_console.cli.display import add_display

TYPE_CHECKING = False  # importing typing is a tenth of what `status` may take
if TYPE_CHECKING:
    import argparse

    from operator_console.guard.latch import LatchStatus

LOGS = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = "States: idle, running, paused, stopped (until reset).\n\nexit: 0, or 5 where no display is named"
    parser.add_argument("--json", action="store_true", help="one JSON object: state, reason, since, stop_live, session")
    add_display(parser)


def execute(args: argparse.Namespace) -> int:
    """Print it."""
    from operator_console.cli.display import display_of, unusable
    from operator_console.guard.latch import read_status

    try:
        status = read_status(display_of(args))
    except OSError as error:
        raise unusable(error) from error
    if not args.json:
        print(state_in_words(status))
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


def state_in_words(status: LatchStatus) -> str:
    """The state of one display, since when and why, in a line or two."""
    reason = status.reason.replace("_", " ")
    session = f", session {status.session}" if status.session else ""
    since = f" since {status.since.partition('.')[0].replace('T', ' ')} UTC" if status.since else ""
    head = f"{status.display}: {status.state.value}{f' ({reason})' if reason else ''}{since}{session}"
    lines = [head]
    if status.detail:
        lines.append(f"  {status.detail}")
    match status.state.value:
        case "stopped":
            lines.append("  Nothing starts here until a person resets it: operator-console reset")
        case "running" | "paused":
            lines.append("  Stop live." if status.stop_live else "  THE STOP IS NOT LIVE.")
        case _ if status.stop_live is not None:
            lines.append("  A guard listens." if status.stop_live else "  A guard runs, but THE STOP IS NOT LIVE.")
        case _:
            pass
    return "\n".join(_plain(line) for line in lines)


def _plain(text: str) -> str:
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
