"""`sessions`: lists, shows, verifies, exports, replays and deletes recorded sessions."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.domain.translations import _

if TYPE_CHECKING:
    from operator_console.journal.call_outcomes import RecordedCall
    from operator_console.journal.summary import SessionSummary
    from operator_console.journal.verify import Verdict

LOGS = True

_EPILOG = """\
F is a path, or a name from `sessions list`.

exit of verify: 0 intact, 1 damaged, 6 consistent, but recorded by another user or computer.
It never changes the file. 2 if the file is not a session."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="list recorded sessions, newest first")
    listing.set_defaults(execute=_list)
    show = verbs.add_parser("show", help="show a session step by step")
    show.set_defaults(execute=_show)
    verify = verbs.add_parser("verify", help="check whether a session was changed or damaged")
    verify.set_defaults(execute=_verify)
    for verb in (listing, show, verify):
        verb.add_argument("--json", action="store_true", help="print JSON")
    export = verbs.add_parser("export", help="save a session as a web page, as JSON lines, or as an archive")
    export.add_argument("--to", required=True, metavar="OUT", help="new file: .html, .jsonl or .zip")
    export.set_defaults(execute=_export)
    replay = verbs.add_parser("replay", help="print a session as it was printed live")
    replay.add_argument(
        "--speed", type=float, default=0.0, metavar="X", help="X times the original speed (default: at once)"
    )
    replay.add_argument("--json", action="store_true", help="print one JSON object per event")
    replay.set_defaults(execute=_replay)
    delete = verbs.add_parser("delete", help="delete a session")
    delete.add_argument("--yes", action="store_true", help="do not ask")
    delete.set_defaults(execute=_delete)
    for verb in (show, verify, export, replay, delete):
        verb.add_argument("file", metavar="F", help="a path, or a name from `sessions list`")


def execute(args: argparse.Namespace) -> int:
    """Never called, because argparse requires a verb."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.journal.summary import list_sessions
    from operator_console.settings.file_locations import find_paths
    from operator_console.ui.view.words import task_line

    paths = find_paths()
    summaries, unreadable = list_sessions(paths.sessions, paths.anchors)
    if args.json:
        _print_json([_fields(summary) for summary in summaries])
        return 0
    width = max([len("Name"), *(len(summary.path.stem) for summary in summaries)])
    if summaries:
        print(f"{'Name':<{width}}  {'Size':>9}  {'Result':<12} Task")
    for summary in summaries:
        task = task_line(summary.task, 60) or "(no task)"
        print(f"{summary.path.stem:<{width}}  {_size(summary.size_bytes):>9}  {_result(summary):<12} {task}")
    for each in unreadable:
        print(f"{each.error.title} {each.error.detail}", file=sys.stderr)
    if summaries:
        total = _size(sum(summary.size_bytes for summary in summaries))
        count = f"{len(summaries)} session{'' if len(summaries) == 1 else 's'}"
        warning = _("These files contain everything typed, passwords included.")
        print(f"\n{count} in {paths.sessions}, {total} in total. {warning}")
    else:
        print(f"No sessions in {paths.sessions}.")
    return 0


def _show(args: argparse.Namespace) -> int:
    from operator_console.cli.event_lines import EventLines
    from operator_console.journal.read import Reader
    from operator_console.journal.summary import recorded_last_call, session_summary

    path, anchors = _paths(args)
    summary = session_summary(path, anchors)
    if args.json:
        _print_json(_fields(summary))
        return 0
    print(f"{path}\n{_size(summary.size_bytes)}, started {_clock(summary.created)}, {_result(summary)}")
    if summary.cut_off:
        print(_interruption(recorded_last_call(path)))
    print(f"{_('This file contains everything typed, passwords included.')}\n")
    lines = EventLines()
    with Reader(path) as reader:
        for entry in reader.entries():
            if entry.record is None:
                print(f"      (an event of a kind unknown to this version: {entry.object['kind']!r})")
                continue
            for line in lines.feed(entry.record):
                print(line.text)
    return 0


def _verify(args: argparse.Namespace) -> int:
    from operator_console.journal.verify import verify

    path, anchors = _paths(args)
    verdict = verify(path, anchors)
    with suppress(BrokenPipeError):  # the exit code tells the finding without a reader, too
        _print_verdict(path, verdict, json=args.json)
    return verdict.finding.value


def _print_verdict(path: Path, verdict: Verdict, *, json: bool) -> None:
    if json:
        _print_json(_verdict_fields(verdict))
        return
    print(f"{path}\n{_FINDINGS[verdict.finding.name]}")
    for text in (*verdict.problems, *verdict.remarks):
        print(f"  {text}")
    print(f"  {verdict.events} events, {verdict.blobs} pictures and model answers.")
    if verdict.live:
        print("  The session is still running.")
    if verdict.cut_off:
        print(f"  {_interruption(verdict.last)}")


def _export(args: argparse.Namespace) -> int:
    from operator_console.app.session_export import export_session

    path, anchors = _paths(args)
    target = Path(args.to).expanduser().absolute()
    export_session(path, anchors, target)
    print(f"{target} ({_size(target.stat().st_size)}). {_('This file contains everything typed, passwords included.')}")
    return 0


def _replay(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.cli.replay import replay
    from operator_console.domain.errors import ExitCode, OperatorError
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if not 0 <= args.speed < math.inf:
        title, remedy = notice(NoticeCode.SPEED_INVALID), notice(NoticeCode.SPEED_OF_REAL_TIME)
        raise OperatorError(title, remedy=remedy, exit_code=ExitCode.USAGE)
    path, _ = _paths(args)
    asyncio.run(replay(path, speed=args.speed, json=args.json))
    return 0


def _delete(args: argparse.Namespace) -> int:
    from operator_console.domain.errors import ExitCode
    from operator_console.journal.summary import delete_session, session_summary

    path, anchors = _paths(args)
    summary = session_summary(path, anchors)
    if not args.yes:
        print(f"Delete {path} ({_size(summary.size_bytes)})? Type yes: ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if answer.strip() != "yes":
            print("Not deleted. With --yes it is not asked.", file=sys.stderr)
            return ExitCode.FAILED
    freed = delete_session(path, anchors)
    print(f"Deleted {path} ({_size(freed)} freed).")
    return 0


def _paths(args: argparse.Namespace) -> tuple[Path, Path]:
    from operator_console.settings.file_locations import find_paths

    paths = find_paths()
    return paths.session(args.file), paths.anchors


_FINDINGS = {
    "INTACT": "Intact: unchanged since it was recorded here.",
    "DAMAGED": "DAMAGED: changed or incomplete.",
    "ANCHORED_ELSEWHERE": "Consistent, but recorded on another computer or by another user.",
}


def _interruption(last: RecordedCall | None) -> str:
    from operator_console.engine.action_wording import action_words, shown

    if last is None:
        return "The run was interrupted before any action."
    words = action_words(last.action).line if last.action else shown(last.name)
    return (
        f"The run was interrupted. Last action: step {last.step}, call {last.call + 1}: {words}: {last.outcome.value}."
    )


def _outcome(summary: SessionSummary) -> str:
    if summary.live:
        return "running"
    if summary.outcome is not None:
        return summary.outcome.value
    return "cut off" if summary.cut_off else "empty"


def _result(summary: SessionSummary) -> str:
    outcome = _outcome(summary)
    return "interrupted" if outcome == "cut off" else outcome


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


def _clock(time: str) -> str:
    return f"{time.partition('.')[0].replace('T', ' ')} UTC"


def _fields(summary: SessionSummary) -> dict[str, object]:
    from operator_console.journal.summary import recorded_last_call

    last = recorded_last_call(summary.path)
    return {
        "file": str(summary.path),
        "session": summary.session_id,
        "created": summary.created,
        "bytes": summary.size_bytes,
        "task": summary.task,
        "target": summary.target,
        "provider": summary.provider,
        "model": summary.model,
        "autonomy": summary.autonomy,
        "runs": summary.runs,
        "steps": summary.steps,
        "events": summary.events,
        "outcome": _outcome(summary),
        "message": summary.message,
        "last_action": None if last is None else {"step": last.step, "call": last.call, "fate": last.outcome.value},
    }


def _verdict_fields(verdict: Verdict) -> dict[str, object]:
    last = verdict.last
    return {
        "finding": verdict.finding.name.lower(),
        "session": verdict.session_id,
        "events": verdict.events,
        "blobs": verdict.blobs,
        "problems": verdict.problems,
        "remarks": verdict.remarks,
        "running": verdict.live,
        "cut_off": verdict.cut_off,
        "last_action": None if last is None else {"step": last.step, "call": last.call, "fate": last.outcome.value},
    }


def _print_json(data: object) -> None:
    import json

    print(json.dumps(data, indent=2))
