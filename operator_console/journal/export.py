"""Exports a session as JSON lines, as a self-contained HTML page, or as a ZIP archive of both with the session file."""

from __future__ import annotations

import base64
import io
import json
import os
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TextIO, TypeAlias

from operator_console.domain import events as e
from operator_console.domain.actions import Action
from operator_console.domain.decisions import Assessment
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice, with_words
from operator_console.domain.notices import NoticeCode
from operator_console.journal.errors import record_error
from operator_console.journal.file_format import SUFFIX
from operator_console.journal.read import Blob, Reader
from operator_console.journal.record_json import Entry
from operator_console.journal.summary import TYPED_TEXT_NOTICE
from operator_console.private_files import make_private_file

Describe: TypeAlias = Callable[[Action | None, Assessment | None], str]
PictureName: TypeAlias = Callable[[str], str | None]

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data: file: 'self'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.45 system-ui, sans-serif; max-width: 1080px; margin: 24px auto; padding: 0 16px; }}
h1 {{ font-size: 20px; }} h2 {{ font-size: 15px; margin: 28px 0 6px; border-top: 1px solid #8884; padding-top: 12px; }}
p {{ margin: 4px 0; }} img {{ max-width: 100%; border: 1px solid #8884; border-radius: 6px; }}
time, .quiet {{ color: #767e88; font-size: 12px; }} .warn {{ color: #c2410c; }} .stop {{ color: #c62828; }}
.call {{ margin-left: 16px; }} .task {{ white-space: pre-wrap; overflow-wrap: anywhere; font-weight: 600; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 2px 0 8px; }}
img {{ display: block; margin: 4px 0 8px; }}
</style></head><body>
"""


def write_page(reader: Reader, out: TextIO, describe: Describe, *, picture: PictureName | None) -> None:
    """Write the HTML page.

    Args:
        describe: Puts an action and its assessment into words.
        picture: Gives the relative path of a picture by its digest; None embeds the pictures in the page.
    """
    title = f"Session of {reader.created}"
    out.write(_HEAD.format(title=escape(title)))
    out.write(f"<h1>{escape(title)}</h1>\n<p class='quiet'>{escape(TYPED_TEXT_NOTICE)}</p>\n")
    page = _Page(reader, out, describe, picture)
    for entry in reader.entries():
        page.entry(entry)
    out.write("</body></html>\n")


class _Page:
    """Writes the entries of the page one by one, and keeps the proposed and decided calls to name them later."""

    def __init__(self, reader: Reader, out: TextIO, describe: Describe, picture: PictureName | None) -> None:
        self._reader = reader
        self._out = out
        self._describe = describe
        self._picture = picture
        self._calls: dict[tuple[int, int], e.ProposedCall] = {}
        self._decided: dict[tuple[int, int], e.Decided] = {}

    def entry(self, entry: Entry) -> None:
        """Write one event."""
        if entry.record is None:
            fields = {name: value for name, value in entry.object.items() if name not in ("seq", "time")}
            self._line(str(entry.object["time"]), f"<pre>{escape(json.dumps(fields, ensure_ascii=False))}</pre>")
            return
        self._event(entry.record.time, with_words(entry.record.event))

    def _event(self, time: str, event: e.Event) -> None:
        match event:
            case e.SessionStarted(task=task, target=target, provider=provider, model=model, autonomy=autonomy):
                word = "Continued" if event.resumed else "Started"
                who = provider if model in ("", provider) else f"{provider} {model}"
                about = f"{target.title} · {who} · {autonomy.value}"
                self._out.write(f"<h2>{word}</h2>\n<p class='task'>{escape(task)}</p>\n")
                about += " · accessibility switched on" if event.accessibility else ""
                self._line(time, f"<span class='quiet'>{escape(about)}</span>")
            case e.Observed(step=step, picture=digest):
                self._out.write(f"<h2>Step {step}</h2>\n")
                self._line(time, self._image(digest, event.mime_type))
            case e.Proposed():
                self._proposed(time, event)
            case e.Decided(step=step, call=call, decision=decision, by=by, rule=rule):
                self._decided[step, call] = event
                text = f"{self._name(step, call)}: {decision.value} by {by.value} ({rule}) {event.feedback}"
                self._line(time, escape(text), "call")
            case e.Performed(step=step, call=call, status=status, detail=detail):
                text = f"{self._name(step, call)}: {status.value.replace('_', ' ')}. {detail}"
                self._line(time, escape(text), "call")
            case e.Stopped(reason=reason, detail=detail):
                self._line(time, f"<b>Stopped: {escape(reason.value)}</b> {escape(detail)}", "stop")
            case e.Settled(step=step, call=call, changed=False):
                self._line(time, escape(f"{self._name(step, call)}: the screen did not change."), "call")
            case e.Granted() | e.Settled():
                pass
            case _:
                self._line(time, _plain(event), "warn" if isinstance(event, e.Warned) else "")

    def _proposed(self, time: str, event: e.Proposed) -> None:
        for name, text in (("Thoughts", event.thoughts), ("Says", event.narration)):
            if text:
                self._line(time, f"<span class='quiet'>{name} (not verified)</span><pre>{escape(text)}</pre>")
        for call in event.calls:
            self._calls[event.step, call.index] = call
            self._decided.pop((event.step, call.index), None)
            intent = f" <span class='quiet'>{escape(call.intent)}</span>" if call.intent else ""
            note = f" <span class='quiet'>[{escape(call.note)}]</span>" if call.note else ""
            self._line(time, f"{escape(self._name(event.step, call.index))}{intent}{note}", "call")

    def _name(self, step: int, index: int) -> str:
        call, decided = self._calls.get((step, index)), self._decided.get((step, index))
        proposed = (call.action, call.assessment) if call is not None else (None, None)
        action = (decided.action if decided is not None else None) or proposed[0]
        assessment = (decided.assessment if decided is not None else None) or proposed[1]
        words = self._describe(action, assessment) if action or call is None else f"Not understood: {call.name}"
        return f"{index + 1}. {words}"

    def _image(self, digest: str, mime_type: str) -> str:
        name = self._picture(digest) if self._picture else self._data_address(digest, mime_type)
        if name is None or not mime_type.startswith("image/"):
            return "<span class='quiet'>(the picture is not in the file)</span>"
        return f"<img loading='lazy' alt='What the model was shown' src='{escape(name, quote=True)}'>"

    def _data_address(self, digest: str, mime_type: str) -> str | None:
        data = self._reader.blob(digest)
        return None if data is None else f"data:{mime_type};base64,{base64.b64encode(data).decode('ascii')}"

    def _line(self, time: str, html: str, css: str = "") -> None:
        clock = escape(time.partition("T")[2].partition(".")[0])
        self._out.write(f"<p class='{css}'><time>{clock}</time> {html}</p>\n")


def _plain(event: e.Event) -> str:
    match event:
        case e.Ended(outcome=outcome, message=message):
            text = f"Ended: {outcome.value}. {message}"
        case e.Paused(by=by, detail=detail):
            text = f"Paused: {by.value.replace('_', ' ')}. {detail}"
        case e.Resumed(by=who):
            text = "Resumed automatically" if who.startswith("guard:") else f"Resumed by {who}"
        case e.HandedOver(reason=reason):
            text = f"Taken over by the operator. {reason}"
        case e.HandedBack(note=note):
            text = f"Handed back. {note}"
        case e.Asked(question=question):
            text = f"Question: {question.text}"
        case e.Answered(answer=answer, by=decided_by):
            text = f"Answer ({decided_by.value}): {answer}"
        case e.Message(text=words, by=who):
            text = f"Message ({who}): {words}"
        case e.Retrying(reason=reason, wait_s=wait_s):
            text = f"Retrying in {wait_s:g} s: {reason}"
        case e.Warned(title=title, detail=detail):
            text = f"{title} {detail}"
        case e.Reset(by=who):
            text = f"Reset by {who}"
        case _:
            text = event.kind.replace("_", " ")
    return escape(text)


_EXTENSIONS = {"image/png": ".png", "image/jpeg": ".jpg", "application/json": ".json"}


def export_session(source: Path, target: Path, describe: Describe, *, overwrite: bool = False) -> None:
    """Export the session `source` to `target`, in the format of its suffix (.html, .jsonl, .zip).

    The target appears complete or not at all.

    Args:
        describe: Puts an action and its assessment into words.
        overwrite: Whether an existing target is replaced.

    Raises:
        OperatorError: Unknown suffix, or the target exists (exit code 2).
        NotASession: The source is not a session.
        RecordError: The source cannot be read, or the target cannot be written.
    """
    write = _writer(target)
    if target.exists() and not overwrite:
        raise _exists(target)
    with Reader(source) as reader:
        try:
            _write_whole(target, lambda part: write(reader, part, describe), overwrite=overwrite)
        except FileExistsError as error:
            raise _exists(target) from error
        except (OSError, sqlite3.Error) as error:
            raise record_error(target, error) from error


def _exists(target: Path) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.EXPORT_EXISTS, path=str(target)),
        remedy=notice(NoticeCode.CHOOSE_OTHER_EXPORT),
        exit_code=ExitCode.USAGE,
    )


def _writer(target: Path) -> Callable[[Reader, Path, Describe], None]:
    match target.suffix.lower():
        case ".html":
            return _html
        case ".jsonl":
            return _jsonl
        case ".zip":
            return _zip
        case other:
            raise OperatorError(
                notice(NoticeCode.NOT_AN_EXPORT_FORMAT, suffix=other or target.name),
                remedy=notice(NoticeCode.USE_EXPORT_FORMAT),
                exit_code=ExitCode.USAGE,
            )


def _write_whole(target: Path, write: Callable[[Path], None], *, overwrite: bool) -> None:
    with tempfile.TemporaryDirectory(prefix=".export-", dir=target.absolute().parent) as folder:
        part = Path(folder) / "part"
        write(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        make_private_file(part)
        if overwrite:
            part.replace(target)
        else:
            _name(part, target)


def _name(part: Path, target: Path) -> None:
    """Give the file its name. Raises FileExistsError where another program took the name meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        part.replace(target)


def _html(reader: Reader, part: Path, describe: Describe) -> None:
    with part.open("x", encoding="utf-8", errors="backslashreplace") as file:
        write_page(reader, file, describe, picture=None)


def _jsonl(reader: Reader, part: Path, _: Describe) -> None:
    with part.open("x", encoding="utf-8") as file:
        _write_lines(reader, file)


def _write_lines(reader: Reader, file: TextIO) -> None:
    file.writelines(json.dumps(entry.object) + "\n" for entry in reader.entries())


def _zip(reader: Reader, part: Path, describe: Describe) -> None:
    names: dict[str, str] = {}
    with zipfile.ZipFile(part, "x", compression=zipfile.ZIP_DEFLATED) as archive:
        for blob in reader.blobs():
            names[blob.digest] = _blob_name(blob)
            archive.writestr(names[blob.digest], blob.data)
        lines = io.StringIO()
        _write_lines(reader, lines)
        archive.writestr("events.jsonl", lines.getvalue())
        page = io.StringIO()
        write_page(reader, page, describe, picture=names.get)
        archive.writestr("index.html", page.getvalue().encode("utf-8", "backslashreplace"))
        with tempfile.TemporaryDirectory(prefix="ocsession-") as folder:
            copy = Path(folder) / "copy"
            reader.copy_to(copy)
            archive.write(copy, f"session{SUFFIX}")


def _blob_name(blob: Blob) -> str:
    folder = "pictures" if blob.mime_type.startswith("image/") else "answers"
    return f"{folder}/{blob.digest}{_EXTENSIONS.get(blob.mime_type, '.bin')}"
