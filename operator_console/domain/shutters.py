"""Shutters: what no picture of a target shows, as the operator writes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_REGION = re.compile(r"\s*(-?\d{1,6})\s*,\s*(-?\d{1,6})\s*,\s*([1-9]\d{0,5})\s*[xX×]\s*([1-9]\d{0,5})\s*")
_KINDS = ("region:", "app:")
FORMS = ("region:X,Y,WxH", "window:TITLE", "app:NAME")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionShutter:
    """A place: native pixels from the corner of the target."""

    rect: Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowShutter:
    """All windows whose title has this part, whatever its case, with their menus."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AppShutter:
    """All windows of the applications whose name has this part, whatever its case."""

    name: str


Shutter: TypeAlias = RegionShutter | WindowShutter | AppShutter


def parse_shutter(text: str) -> Shutter:
    """The shutter that a text describes, in one of `FORMS`. Raises OperatorError (usage)."""
    kind, _, what = text.strip().partition(":")
    if kind == "region" and (found := _REGION.fullmatch(what)):
        return RegionShutter(rect=Rect(*map(int, found.groups())))
    if kind == "window" and what.strip():
        return WindowShutter(title=what.strip())
    if kind == "app" and what.strip():
        return AppShutter(name=what.strip())
    raise OperatorError(
        notice(NoticeCode.NOT_A_SHUTTER, text=text),
        remedy=notice(NoticeCode.WRITE_SHUTTER_LIKE, region=FORMS[0], window=FORMS[1], app=FORMS[2]),
        exit_code=ExitCode.USAGE,
    )


def parse_shutters(texts: Iterable[str]) -> tuple[Shutter, ...]:
    """The shutters that texts describe, without repeats. Raises OperatorError (usage)."""
    return tuple(dict.fromkeys(map(parse_shutter, texts)))


def shutters_for(texts: Iterable[str], target: str) -> tuple[Shutter, ...]:
    """The shutters of the settings that apply to a target: those that stand alone, and those behind its name.

    Raises OperatorError (usage).
    """
    found: list[Shutter] = []
    for text in texts:
        before, _, behind = text.strip().partition(" ")
        of_target = behind.strip().startswith(("region:", "window:", "app:")) and not before.startswith(_KINDS)
        shutter = parse_shutter(behind if of_target else text)
        if not of_target or before == target:
            found.append(shutter)
    return tuple(dict.fromkeys(found))


def shutter_text(shutter: Shutter) -> str:
    """The text that `parse_shutter` reads."""
    match shutter:
        case RegionShutter(rect=rect):
            return f"region:{rect.x},{rect.y},{rect.width}x{rect.height}"
        case WindowShutter(title=title):
            return f"window:{title}"
        case AppShutter(name=name):
            return f"app:{name}"
