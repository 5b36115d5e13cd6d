"""Words that tell the choices of a question apart, before they are cut to fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class ChoiceWords:
    """A choice in two parts.

    Attributes:
        own: what sets it apart from the others; all of it if nothing is common to them.
        common: the words that all choices begin with; "" for none.
    """

    own: str
    common: str = ""


def told_apart(labels: Sequence[str]) -> tuple[ChoiceWords, ...]:
    """The labels without the words that all of them begin with."""
    words = [label.split() for label in labels]
    columns = zip(*words, strict=False)
    same = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, columns))
    same = min(same, *(len(each) - 1 for each in words)) if len(set(labels)) > 1 else 0
    while same > 0 and _broken(words[0][:same]):
        same -= 1
    return tuple(ChoiceWords(" ".join(each[same:]), " ".join(each[:same]).rstrip(",")) for each in words)


def _broken(words: Sequence[str]) -> bool:
    """Whether the words end within a quotation, or with one that belongs to what follows."""
    text, last = " ".join(words), words[-1]
    quoted = text.count("“") != text.count("”") or text.count('"') % 2 == 1
    return quoted or last in _JOINING


_JOINING = {"near", "at", "in", "on", "of", "by", "to"}
