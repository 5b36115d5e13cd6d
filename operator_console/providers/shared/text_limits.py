"""Shortens the texts of an observation that may have any length: results, data that calls asked for, and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from operator_console.domain.proposals import CallResult, Observation

LONGEST = 20_000
"""Characters of one text."""


def with_shorter_texts(observation: Observation, room: int) -> Observation:
    """The observation with results of at most `room` characters in all, and messages of at most as many.

    Where they are too long together, the longest are cut. A text that is cut says so at its end.
    """
    texts = [text for result in observation.results for text in _texts(result)]
    made = iter(_within(texts, room))
    return replace(
        observation,
        results=tuple(_with_texts(result, [next(made) for _ in _texts(result)]) for result in observation.results),
        messages=tuple(_within(observation.messages, room)),
    )


def cut(text: str, length: int) -> str:
    """The text, or its beginning with a note on its whole length."""
    if len(text) <= length:
        return text
    return f"{text[:length]}… ({length:,} of {len(text):,} characters)"


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
