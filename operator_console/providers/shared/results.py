"""What a model is told: results of calls, how long their texts and how large their pictures may be, and the page of a
managed browser, in words. Titles and addresses are the page's own text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from operator_console.domain.actions import Action
from operator_console.domain.codec import encode
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry, GridPoint, NativePoint, SentPoint
from operator_console.domain.pages import Page, PageDialog
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation

_EMPTY = "about:blank"
_LONGEST_ADDRESS = 2_000
_LONGEST_TITLE = 100
_LONGEST_MESSAGE = 500
_LONGEST_OF_TAB = 200
_MOST_TABS = 30

LONGEST = 20_000
"""Characters of one text."""

MOST_PICTURE_BYTES = 4_000_000
"""Bytes of the pictures that the calls of one turn asked for; one that a function may return always fits."""


def limited(observation: Observation, room: int) -> Observation:
    """The observation with results of at most `room` characters in all, and messages of at most as many.

    Where they are too long together, the longest are cut. A text that is cut says so at its end, and a picture that is
    left out is named in a text.
    """
    results = _with_fewer_pictures(observation.results)
    texts = [text for result in results for text in _texts(result)]
    made = iter(_within(texts, room))
    return replace(
        observation,
        results=tuple(_with_texts(result, [next(made) for _ in _texts(result)]) for result in results),
        messages=tuple(_within(observation.messages, room)),
    )


def text_length(observation: Observation) -> int:
    """Characters of its results and messages."""
    return sum(map(len, (*(text for result in observation.results for text in _texts(result)), *observation.messages)))


def picture_bytes(observation: Observation) -> int:
    """Bytes of the screen and of the pictures that calls asked for."""
    own = sum(len(picture.data) for result in observation.results for picture in result.pictures)
    return len(observation.picture.data) + own


def cut(text: str, length: int) -> str:
    """The text, or its beginning with a note on its whole length."""
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({length:,} of {len(text):,} characters)"


def one_line(text: str, length: int) -> str:
    """The text on one line, cut to a length."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _with_fewer_pictures(results: Sequence[CallResult]) -> list[CallResult]:
    """The results with the first pictures that fit; later calls are told that there was one."""
    made: list[CallResult] = []
    room = MOST_PICTURE_BYTES
    for result in results:
        kept: list[Picture] = []
        for picture in result.pictures:
            if len(picture.data) <= room:
                kept.append(picture)
                room -= len(picture.data)
        made.append(_with_pictures(result, kept))
    return made


def _with_pictures(result: CallResult, kept: Sequence[Picture]) -> CallResult:
    missing = len(result.pictures) - len(kept)
    if not missing:
        return result
    note = f"({missing} picture{'' if missing == 1 else 's'} left out: too large together with those before.)"
    tool = result.tool
    return replace(
        result,
        text=f"{result.text} {note}".strip(),
        picture=result.picture if any(picture is result.picture for picture in kept) else None,
        tool=None
        if tool is None
        else replace(tool, pictures=tuple(picture for picture in kept if picture is not result.picture)),
    )


def _texts(result: CallResult) -> tuple[str, ...]:
    return (result.text, result.output, *(result.tool.texts if result.tool is not None else ()))


def _with_texts(result: CallResult, texts: Sequence[str]) -> CallResult:
    text, output, *tool = texts
    return replace(
        result,
        text=text,
        output=output,
        tool=None if result.tool is None else replace(result.tool, texts=tuple(tool)),
    )


def _within(texts: Sequence[str], room: int) -> list[str]:
    made = list(texts)
    places = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for done, place in enumerate(places):
        share = min(LONGEST, room // (len(texts) - done))
        made[place] = cut(texts[place], share)
        room = max(0, room - len(made[place]))
    return made


STATUS_WORDS = {
    CallStatus.DONE: "done",
    CallStatus.DECLINED: "declined by the operator",
    CallStatus.SKIPPED: "skipped by the operator",
    CallStatus.FAILED: "failed",
    CallStatus.STOPPED: "stopped",
    CallStatus.NOT_DONE: "not done",
    CallStatus.NOT_UNDERSTOOD: "not understood",
    CallStatus.OBSERVING: "not done: observing only",
}
_LINE_LIMIT = 300
_LONGEST_FIELD = 2_000

Show: TypeAlias = Callable[[Action, FrameGeometry], str]
"""Describes an action in the terms of the model."""

_Place: TypeAlias = Callable[[NativePoint], GridPoint | SentPoint]


def show_on_grid(action: Action, geometry: FrameGeometry) -> str:
    """The fields of an action as JSON, with points on the 0-999 grid."""
    return _show(action, geometry.to_grid)


def show_in_picture(action: Action, geometry: FrameGeometry) -> str:
    """The fields of an action as JSON, with points in pixels of the picture that was sent."""
    return _show(action, geometry.to_sent)


def digest_lines(
    observation: Observation, geometry: FrameGeometry, *, show: Show, left_out: Collection[str]
) -> tuple[str, ...]:
    """One line for each result and message of a turn. `left_out` are arguments to omit."""
    said = (f"Message: {text}"[:_LINE_LIMIT] for text in observation.messages)
    return (*(_line(result, geometry, show, left_out) for result in observation.results), *said)


def withdrawn_text(
    results: Sequence[CallResult], geometry: FrameGeometry, *, show: Show, left_out: Collection[str]
) -> str:
    """Describes each call of a turn that was removed; a picture of the screen follows."""
    lines = [f"- {_line(result, geometry, show, left_out)}" for result in results]
    return "\n".join(
        [
            "The operator did not allow everything in your last turn, so it was removed. The results of its calls:",
            *lines,
            "Do not try declined actions again, in this or another way. Do something else, or ask the operator.",
            "The screen now:",
        ]
    )


def _line(result: CallResult, geometry: FrameGeometry, show: Show, left_out: Collection[str]) -> str:
    call = result.call
    words = [f"{call.name} {_plain_arguments(call, left_out)}".strip()]
    if call.intent:
        words.append(f"({call.intent})")
    line = f"{' '.join(words)}: {STATUS_WORDS[result.status]}"
    reason = result.text or call.error
    for extra in (reason, result.output, *(result.tool.texts if result.tool is not None else ())):
        line += f". {extra}" if extra else ""
    if result.executed is not None:
        line += f". What ran: {show(result.executed, geometry)}"
    return line if len(line) <= _LINE_LIMIT else line[: _LINE_LIMIT - 1] + "…"


def _plain_arguments(call: Call, left_out: Collection[str]) -> str:
    arguments = json.loads(call.arguments_json)
    if not isinstance(arguments, dict):
        return ""
    plain = {name: value for name, value in arguments.items() if name not in left_out}
    return json.dumps(plain, ensure_ascii=False) if plain else ""


def _show(action: Action, place: _Place) -> str:
    fields = {key: _brief(_placed(value, place)) for key, value in encode(action).items()}
    return json.dumps({k: v for k, v in fields.items() if v not in (None, "", [], False)}, ensure_ascii=False)


def _brief(value: Any) -> Any:
    return cut(value, _LONGEST_FIELD) if isinstance(value, str) else value


def _placed(value: Any, place: _Place) -> Any:
    if isinstance(value, dict) and set(value) == {"x", "y"}:
        point = place(NativePoint(value["x"], value["y"]))
        return {"x": round(point.x), "y": round(point.y)}
    if isinstance(value, list):
        return [_placed(item, place) for item in value]
    return value


def page_words(page: Page) -> str:
    """Address and title, the dialog that waits for an answer, and where there are several tabs, these with their
    numbers. On one line each."""
    tabs = tab_lines(page)
    address = f"The page now: {one_line(page.url, _LONGEST_ADDRESS) or _EMPTY}{_title(page.title)}"
    dialog = [f"A dialog waits for an answer: {dialog_words(page.dialog)}"] if page.dialog is not None else []
    return "\n".join([address, *dialog, *(["Tabs:", *tabs] if tabs else [])])


def dialog_words(dialog: PageDialog) -> str:
    """The kind of a dialog, and what it says."""
    return f"{dialog.kind.value.replace('_', ' ')}{_quoted(dialog.message, _LONGEST_MESSAGE)}"


def tab_lines(page: Page) -> list[str]:
    """The tabs with their numbers, one a line; none where there is only one."""
    if len(page.tabs) < 2:
        return []
    lines = [
        f"{number}. {one_line(tab.url, _LONGEST_OF_TAB) or _EMPTY}{_title(tab.title)}{' (shown)' if tab.shown else ''}"
        for number, tab in enumerate(page.tabs[:_MOST_TABS], 1)
    ]
    more = len(page.tabs) - len(lines)
    return [*lines, *([f"({more} more)"] if more else [])]


def _title(title: str) -> str:
    return _quoted(title, _LONGEST_TITLE)


def _quoted(text: str, length: int) -> str:
    line = one_line(text, length)  # so that no title can look like words of the console
    return f" “{line}”" if line else ""
