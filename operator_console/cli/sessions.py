"""`sessions`: what was recorded. One function per verb; the work is the journal's."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.journal.summary import SessionSummary
    from operator_console.journal.verify import Verdict

LOGS = True

_EPILOG = """\
F is a path, or a name as `sessions list` shows it.

exit of verify: 0 intact and anchored here, 1 damaged, 6 consistent but anchored elsewhere;
it never writes. A file that is no session: 2."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its verbs."""
    parser.epilog = _EPILOG
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    listing = verbs.add_parser("list", help="the recorded sessions, newest first, with their sizes")
    listing.set_defaults(execute=_list)
    show = verbs.add_parser("show", help="what one session did, step by step")
    show.set_defaults(execute=_show)
    verify = verbs.add_parser("verify", help="whether it is what was written")
    verify.set_defaults(execute=_verify)
    for verb in (listing, show, verify):
        verb.add_argument("--json", action="store_true", help="as JSON")
    export = verbs.add_parser("export", help="as a page, as JSON lines, or everything in an archive")
    export.add_argument("--to", required=True, metavar="OUT", help="a new file: .html, .jsonl or .zip")
    export.set_defaults(execute=_export)
    replay = verbs.add_parser("replay", help="play it in the terminal as it was printed live")
    replay.add_argument("--speed", type=float, default=0.0, metavar="X", help="real time times X (default: at once)")
    replay.add_argument("--json", action="store_true", help="one JSON object per event")
    replay.set_defaults(execute=_replay)
    delete = verbs.add_parser("delete", help="delete it, and the note of its length")
    delete.add_argument("--yes", action="store_true", help="do not ask")
    delete.set_defaults(execute=_delete)
    for verb in (show, verify, export, replay, delete):
        verb.add_argument("file", metavar="F", help="a path, or a name as `sessions list` shows it")


def execute(args: argparse.Namespace) -> int:
    """Never called: argparse wants a verb."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.journal.summary import TYPED_TEXT_NOTICE, list_sessions
    from operator_console.settings.paths import find_paths
    from operator_console.ui.words import task_line

    paths = find_paths()
    summaries, errors = list_sessions(paths.sessions, paths.anchors)
    if args.json:
        _print_json([_fields(summary) for summary in summaries])
        return 0
    for summary in summaries:
        task = task_line(summary.task, 60) or "(no task)"
        print(f"{summary.path.stem}  {_size(summary.size_bytes):>9}  {_outcome(summary):<12} {task}")
    for error in errors:
        print(f"{error.title} {error.detail}", file=sys.stderr)
    if summaries:
        total = _size(sum(summary.size_bytes for summary in summaries))
        print(f"\n{len(summaries)} in {paths.sessions}, {total} in all. {TYPED_TEXT_NOTICE}")
    else:
        print(f"No sessions in {paths.sessions}.")
    return 0


def _show(args: argparse.Namespace) -> int:
    from operator_console.cli.lines import Lines
    from operator_console.journal.read import Reader
    from operator_console.journal.summary import TYPED_TEXT_NOTICE, session_summary

    path, anchors = _places(args)
    summary = session_summary(path, anchors)
    if args.json:
        _print_json(_fields(summary))
        return 0
    print(f"{path}\n{_size(summary.size_bytes)}, begun {_clock(summary.created)}, {_outcome(summary)}")
    if summary.cut_off:
        print(_last_words(summary))
    print(f"{TYPED_TEXT_NOTICE}\n")
    lines = Lines()
    with Reader(path) as reader:
        for entry in reader.entries():
            if entry.record is None:
                print(f"      (an event of a kind that this version does not know: {entry.object['kind']!r})")
                continue
            for line in lines.feed(entry.record):
                print(line.text)
    return 0


def _verify(args: argparse.Namespace) -> int:
    from operator_console.journal.verify import verify

    path, anchors = _places(args)
    verdict = verify(path, anchors)
    if args.json:
        _print_json(_verdict_fields(verdict))
        return verdict.finding.value
    print(f"{path}\n{_FINDINGS[verdict.finding.name]}")
    for text in (*verdict.problems, *verdict.remarks):
        print(f"  {text}")
    print(f"  {verdict.events} events, {verdict.blobs} pictures and answers.")
    if verdict.live:
        print("  It is being written now.")
    if verdict.cut_off:
        print(f"  {_last_words(verdict)}")
    return verdict.finding.value


def _export(args: argparse.Namespace) -> int:
    from operator_console.domain.actions import Action
    from operator_console.engine.wording import action_words
    from operator_console.journal.export import export_session
    from operator_console.journal.summary import TYPED_TEXT_NOTICE

    def describe(action: Action | None, label: str) -> str:
        words = action_words(action, label, limit=10_000)
        return f"{words.line}{f' ({words.where})' if words.where else ''}"

    path, _ = _places(args)
    target = Path(args.to).expanduser().absolute()
    export_session(path, target, describe)
    print(f"{target} ({_size(target.stat().st_size)}). {TYPED_TEXT_NOTICE}")
    return 0


def _replay(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.cli.replay import replay
    from operator_console.domain.errors import ExitCode, OperatorError

    if args.speed < 0:
        raise OperatorError("--speed is below 0.", remedy="Give 1 for real time.", exit_code=ExitCode.USAGE)
    path, _ = _places(args)
    asyncio.run(replay(path, speed=args.speed, json=args.json))
    return 0


def _delete(args: argparse.Namespace) -> int:
    from operator_console.domain.errors import ExitCode
    from operator_console.journal.summary import delete_session, session_summary

    path, anchors = _places(args)
    summary = session_summary(path, anchors)
    if sys.stdin is not None and sys.stdin.isatty() and not args.yes:
        print(f"Delete {path} ({_size(summary.size_bytes)})? Type yes: ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip() != "yes":
            print("Not deleted.", file=sys.stderr)
            return ExitCode.FAILED
    freed = delete_session(path, anchors)
    print(f"Deleted {path}, {_size(freed)} set free.")
    return 0


def _places(args: argparse.Namespace) -> tuple[Path, Path]:
    from operator_console.settings.paths import find_paths

    paths = find_paths()
    return paths.session(args.file), paths.anchors


_FINDINGS = {
    "INTACT": "Intact: it is what was written here.",
    "DAMAGED": "DAMAGED: it is not what was written.",
    "ANCHORED_ELSEWHERE": "Consistent, but anchored elsewhere: it was written on another computer or by another user.",
}


def _last_words(about: SessionSummary | Verdict) -> str:
    from operator_console.engine.wording import action_words, shown

    last = about.last
    if last is None:
        return "Its run was cut off before any action."
    words = action_words(last.action).line if last.action else shown(last.name)
    return f"Its run was cut off. Last action: step {last.step}, call {last.call + 1}: {words}: {last.fate.value}."


def _outcome(summary: SessionSummary) -> str:
    if summary.live:
        return "running"
    if summary.outcome is not None:
        return summary.outcome.value
    return "cut off" if summary.cut_off else "empty"


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
    last = summary.last
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
        "last_action": None if last is None else {"step": last.step, "call": last.call, "fate": last.fate.value},
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
        "last_action": None if last is None else {"step": last.step, "call": last.call, "fate": last.fate.value},
    }


def _print_json(data: object) -> None:
    import json

    print(json.dumps(data, indent=2))
