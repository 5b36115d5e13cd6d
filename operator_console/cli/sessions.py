"""`sessions`: lists, shows, verifies, exports, replays and deletes recorded sessions."""

from __future__ import annotations

import argparse
import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.domain.translations import _, ngettext

if TYPE_CHECKING:
    from operator_console.journal.call_outcomes import CallOutcome, RecordedCall
    from operator_console.journal.summary import SessionSummary
    from operator_console.journal.verify import Finding, Verdict

LOGS = True
_MAX_PAUSE_S = 60.0
"""Of a replay: what took longer is shortened to this."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
F is a path, or a name from `sessions list`.

exit of verify: 0 intact, 1 damaged, 6 consistent, but recorded by another user or computer.
It never changes the file. 2 if the file is not a session.""")
    verbs = parser.add_subparsers(title=_("verbs"), metavar="VERB", required=True)
    listing = verbs.add_parser("list", help=_("list recorded sessions, newest first"))
    listing.add_argument("--deleted", action="store_true", help=_("list what was noted of deleted sessions"))
    listing.set_defaults(execute=_list)
    show = verbs.add_parser("show", help=_("show a session step by step"))
    show.set_defaults(execute=_show)
    verify = verbs.add_parser("verify", help=_("check whether a session was changed or damaged"))
    verify.set_defaults(execute=_verify)
    for verb in (listing, show, verify):
        verb.add_argument("--json", action="store_true", help=_("print JSON"))
    export = verbs.add_parser("export", help=_("save a session as a web page, as JSON lines, or as an archive"))
    export.add_argument("--to", required=True, metavar="OUT", help=_("new file: .html, .jsonl or .zip"))
    export.set_defaults(execute=_export)
    replay = verbs.add_parser("replay", help=_("print a session as it was printed live"))
    replay.add_argument(
        "--speed", type=float, default=0.0, metavar="X", help=_("X times the original speed (default: at once)")
    )
    replay.add_argument("--json", action="store_true", help=_("print one JSON object per event"))
    replay.set_defaults(execute=_replay)
    delete = verbs.add_parser("delete", help=_("delete a session"))
    delete.add_argument("--yes", action="store_true", help=_("do not ask"))
    delete.set_defaults(execute=_delete)
    for verb in (show, verify, export, replay, delete):
        verb.add_argument("file", metavar="F", help=_("a path, or a name from `sessions list`"))


def execute(args: argparse.Namespace) -> int:
    """Never called, because argparse requires a verb."""
    raise AssertionError(args)


def _list(args: argparse.Namespace) -> int:
    from operator_console.domain.message_texts import worded
    from operator_console.journal.summary import list_sessions
    from operator_console.settings.file_locations import find_paths
    from operator_console.ui.view.words import task_line

    paths = find_paths()
    if args.deleted:
        return _list_deleted(paths.anchors, json=args.json)
    summaries, unreadable = list_sessions(paths.sessions, paths.anchors)
    if args.json:
        _print_json([_fields(summary) for summary in summaries])
        return 0
    name = _("Name")
    width = max([len(name), *(len(summary.path.stem) for summary in summaries)])
    if summaries:
        print(f"{name:<{width}}  {_('Started (UTC)'):<16}  {_('Size'):>9}  {_('Result'):<12} {_('Task')}")
    for summary in summaries:
        task = task_line(summary.task, 60, runbook=summary.provider == "runbook") or _("(no task)")
        began = summary.created[:16].replace("T", " ")
        print(
            f"{summary.path.stem:<{width}}  {began:<16}  {_size(summary.size_bytes):>9}  {_result(summary):<12} {task}"
        )
    for each in unreadable:
        print(worded(each.error.title), worded(each.error.detail), file=sys.stderr)
    if summaries:
        total = _size(sum(summary.size_bytes for summary in summaries))
        print(
            "\n"
            + ngettext(
                "{count} session in {folder}, {size} in total.",
                "{count} sessions in {folder}, {size} in total.",
                len(summaries),
            ).format(count=len(summaries), folder=paths.sessions, size=total),
            _("These files contain what was typed, except into fields known as ones for passwords."),
        )
    else:
        print(_("No sessions in {sessions}.").format(sessions=paths.sessions))
    return 0


def _list_deleted(folder: Path, *, json: bool) -> int:
    from operator_console.domain.codec import encode
    from operator_console.journal.tombstones import tombstones

    found = tombstones(folder)
    if json:
        _print_json(encode(found))
        return 0
    if not found:
        print(_("Of deleted sessions nothing was noted. Settings, Privacy, or [record] tombstones switches it on."))
    for stone in found:
        line = ngettext(
            "{name}: begun {begun}, deleted {deleted}, {count} event, the last with the hash {hash}.",
            "{name}: begun {begun}, deleted {deleted}, {count} events, the last with the hash {hash}.",
            stone.events,
        )
        print(
            line.format(
                name=stone.file, begun=_clock(stone.created), deleted=_clock(stone.deleted), count=stone.events,
                hash=stone.hash,
            ),
            "" if stone.genuine else _("This line was changed, or the key for it is gone."),
        )  # fmt: skip
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
    print(
        f"{path}\n"
        + _("{size}, started {time}, {result}").format(
            size=_size(summary.size_bytes), time=_clock(summary.created), result=_result(summary)
        )
    )
    if summary.cut_off:
        print(_interruption(recorded_last_call(path)))
    print(f"{_contents()}\n")
    lines = EventLines()
    with Reader(path) as reader:
        for entry in reader.entries():
            if entry.record is None:
                print(
                    _("      (an event of a kind unknown to this version: {kind!r})").format(kind=entry.object["kind"])
                )
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
    from operator_console.domain.message_texts import worded

    if json:
        _print_json(_verdict_fields(verdict))
        return
    print(f"{path}\n{_finding(verdict.finding)}")
    for text in (*verdict.problems, *verdict.remarks):
        print(f"  {worded(text)}")
    print(
        _("  {events} events, {blobs} pictures and model answers.").format(events=verdict.events, blobs=verdict.blobs)
    )
    if verdict.live:
        print(_("  The session is still running."))
    if verdict.cut_off:
        print(f"  {_interruption(verdict.last)}")


def _export(args: argparse.Namespace) -> int:
    from operator_console.app.session_export import export_session

    path, anchors = _paths(args)
    target = Path(args.to).expanduser().absolute()
    export_session(path, anchors, target)
    print(f"{target} ({_size(target.stat().st_size)}). {_contents()}")
    return 0


def _replay(args: argparse.Namespace) -> int:
    import asyncio

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
    from operator_console.cli.model_profiles import load
    from operator_console.domain.errors import ExitCode
    from operator_console.journal.summary import delete_session, session_summary

    path, anchors = _paths(args)
    summary = session_summary(path, anchors)
    if not args.yes:
        print(
            _("Delete {path} ({size})? Type yes: ").format(path=path, size=_size(summary.size_bytes)),
            end="",
            file=sys.stderr,
            flush=True,
        )
        answer = sys.stdin.readline() if sys.stdin is not None else ""
        if answer.strip() != "yes":
            print(_("Not deleted. With --yes it is not asked."), file=sys.stderr)
            return ExitCode.FAILED
    freed = delete_session(path, anchors, tombstone=load().record.tombstones)
    print(_("Deleted {path} ({freed} freed).").format(path=path, freed=_size(freed)))
    return 0


def _paths(args: argparse.Namespace) -> tuple[Path, Path]:
    from operator_console.settings.file_locations import find_paths

    paths = find_paths()
    return paths.session(args.file), paths.anchors


def _contents() -> str:
    return _("This file contains what was typed, except into fields known as ones for passwords.")


def _finding(finding: Finding) -> str:
    match finding.name:
        case "INTACT":
            return _("Intact: unchanged since it was recorded here.")
        case "DAMAGED":
            return _("DAMAGED: changed or incomplete.")
        case _elsewhere:
            return _("Consistent, but recorded on another computer or by another user.")


def _interruption(last: RecordedCall | None) -> str:
    from operator_console.engine.action_wording import action_words
    from operator_console.engine.visible_text import shown

    if last is None:
        return _("The run was interrupted before any action.")
    words = action_words(last.action).line if last.action else shown(last.name)
    return _("The run was interrupted. Last action: step {step}, call {call}: {action}: {outcome}.").format(
        step=last.step, call=last.call + 1, action=words, outcome=_fate(last.outcome)
    )


def _outcome(summary: SessionSummary) -> str:
    if summary.live:
        return "running"
    if summary.outcome is not None:
        return summary.outcome.value
    return "cut off" if summary.cut_off else "empty"


def _result(summary: SessionSummary) -> str:
    match _outcome(summary):
        case "running":
            return _("running")
        case "finished":
            return _("finished")
        case "failed":
            return _("failed")
        case "stopped":
            return _("stopped")
        case "limit":
            return _("limit")
        case "cut off":
            return _("interrupted")
        case _empty:
            return _("empty")


def _fate(outcome: CallOutcome) -> str:
    """What became of a call."""
    match outcome.name:
        case "DONE":
            return _("done")
        case "FAILED":
            return _("failed")
        case "STOPPED":
            return _("stopped")
        case "NOT_DONE":
            return _("not done")
        case _unknown:
            return _("unknown")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


def _clock(time: str) -> str:
    return _("{time} UTC").format(time=time.partition(".")[0].replace("T", " "))


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


async def replay(path: Path, *, speed: float, json: bool) -> None:
    """Print the records of a session.

    Args:
        path: the session file.
        speed: multiple of the original speed; 0 prints everything at once.
        json: print JSON objects instead of lines.
    """
    import asyncio
    from datetime import datetime

    from operator_console.cli.terminal import AnswerMode, RunOptions, Terminal
    from operator_console.journal.read import Reader

    terminal = Terminal(RunOptions(json=json, answer=AnswerMode.DENY))
    try:
        with Reader(path) as reader:
            before: datetime | None = None
            for record in reader.records():
                when = datetime.fromisoformat(record.time)
                if speed > 0 and before is not None:
                    waited_s = (when - before).total_seconds() / speed
                    await asyncio.sleep(min(max(waited_s, 0.0), _MAX_PAUSE_S))
                before = when
                terminal.on_record(record)
    finally:
        await terminal.close()
