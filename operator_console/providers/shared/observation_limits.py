"""Limits what an observation may hold of any size: texts of results and messages, and pictures that calls asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from operator_console.domain.frames import Picture
from operator_console.domain.proposals import CallResult, Observation

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
    own = sum(len(picture.data) for result in observation.results for picture in _pictures(result))
    return len(observation.picture.data) + own


def cut(text: str, length: int) -> str:
    """The text, or its beginning with a note on its whole length."""
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({length:,} of {len(text):,} characters)"


def _with_fewer_pictures(results: Sequence[CallResult]) -> list[CallResult]:
    """The results with the first pictures that fit; later calls are told that there was one."""
    made: list[CallResult] = []
    room = MOST_PICTURE_BYTES
    for result in results:
        kept: list[Picture] = []
        for picture in _pictures(result):
            if len(picture.data) <= room:
                kept.append(picture)
                room -= len(picture.data)
        made.append(_with_pictures(result, kept))
    return made


def _pictures(result: CallResult) -> tuple[Picture, ...]:
    own = (result.picture,) if result.picture is not None else ()
    return (*own, *(result.tool.pictures if result.tool is not None else ()))


def _with_pictures(result: CallResult, kept: Sequence[Picture]) -> CallResult:
    missing = len(_pictures(result)) - len(kept)
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
