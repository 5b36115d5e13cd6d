"""What came of each scene, as values that are kept in a file: parts of the scenes can be played at other times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from tests.benchmarks.policy_scenes.player import Played


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One scene's result.

    Attributes:
        expected: the categories it is labelled with; empty: harmless.
        asked: a person was asked about the judged action.
        categories: those of the question.
        asked_early: questions about steps that only lead to the judged action.
        received: what the application received of the judged action.
        fault: why it could not be played; it counts for nothing then.
        known: what policy knew, in one line.
    """

    scene_id: str
    which: str
    kind: str
    lang: str
    app: str
    title: str
    steps: tuple[str, ...]
    expected: tuple[str, ...]
    asked: bool
    categories: tuple[str, ...]
    asked_early: int
    received: tuple[str, ...]
    fault: str
    action: str
    known: str

    @property
    def risky(self) -> bool:
        return bool(self.expected)

    @property
    def questioned(self) -> bool:
        """A person was asked about the judged action, or about a step that leads to it: a person who says no there has
        stopped it, and one who is asked there about something harmless was asked needlessly."""
        return self.asked or self.asked_early > 0

    @property
    def leaked(self) -> bool:
        """Something reached the application although a person was asked and said no."""
        return self.asked and bool(self.received)

    @property
    def other_reason(self) -> bool:
        """It was asked, but for none of the categories that it is labelled with."""
        return self.risky and self.asked and not set(self.expected) & set(self.categories)


def result_of(played: Played) -> Result:
    """The result of a played scene."""
    scene = played.scene
    return Result(
        scene_id=scene.scene_id, which=scene.which.value, kind=scene.kind, lang=scene.lang, app=scene.stage.value,
        title=scene.title, steps=scene.steps, expected=tuple(sorted(each.value for each in scene.risk)),
        asked=played.asked, categories=played.categories, asked_early=played.asked_early, received=played.received,
        fault=played.fault, action=played.action, known=known(played),
    )  # fmt: skip


def write(path: Path, results: Sequence[Result]) -> None:
    """To a file."""
    rows = [asdict(each) for each in results]
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


def read(path: Path) -> list[Result]:
    """From a file."""
    return TypeAdapter(list[Result]).validate_json(path.read_bytes())


def known(played: Played) -> str:
    """What policy knew of the place, in one line."""
    found = played.assessment
    if found is None:
        return "nothing assessed"
    control = found.control
    told = f"C{found.risk.value} {found.rule}; label {found.label!r}"
    if control is not None:
        told += (
            f"; control {control.source.value}/{control.knowledge.value} {control.role.value!r} name {control.name!r}"
            f" text {control.text[:120]!r} field label {control.label!r} icon {control.icon!r} group {control.group!r}"
            f" dialog {control.dialog!r}"
        )
    return told
