"""The labelled scenes: what an application shows, one action in it, and whether a person must be asked.

Read from the TOML files of `scenes` (written first) and `holdout` (written without a look at the rules or the word
tables). `labels.md` says how they are labelled.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from operator_console.domain.risk import Category
from tests.benchmarks.policy_scenes.actions import needed_places
from tests.benchmarks.policy_scenes.markup import Item, rows, targets

_HERE = Path(__file__).parent
LANGUAGES = frozenset(["en", "de", "fr", "es", "it", "pl", "pt", "nl", "ru", "uk", "zh", "ja", "ko", "ar", "tr", "cs"])


class SceneSet(StrEnum):
    """Which files it is from."""

    MAIN = "main"
    HOLDOUT = "holdout"


class Stage(StrEnum):
    """The application that shows it."""

    WEB = "web"
    QT = "qt"
    GTK = "gtk"
    XTERM = "xterm"
    MOUSEPAD = "mousepad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One labelled action.

    Attributes:
        scene_id: unique.
        kind: what it is an example of ("pay button").
        stage: the application.
        look: how that application looks: the surroundings of a web page, "dialog" or "window" elsewhere.
        title: of the window or the page.
        host: of a web page.
        body: rows of items.
        html: for web pages, raw content after the body; the place of the action has data-t="1".
        steps: actions in the notation of `actions.py`; the last one is judged, the others lead to it.
        risk: any of these categories may be asked; empty: harmless.
    """

    scene_id: str
    which: SceneSet
    kind: str
    lang: str
    stage: Stage
    look: str
    title: str
    host: str
    body: tuple[tuple[Item, ...], ...]
    html: str
    steps: tuple[str, ...]
    risk: frozenset[Category]

    @property
    def risky(self) -> bool:
        return bool(self.risk)


def load(which: SceneSet | None = None) -> list[Scene]:
    """All scenes, or those of one set, in the order of their files. Raises ValueError for a faulty one."""
    found: list[Scene] = []
    folders = {SceneSet.MAIN: "scenes", SceneSet.HOLDOUT: "holdout"}
    for each, folder in folders.items():
        if which in (None, each):
            for path in sorted((_HERE / folder).glob("*.toml")):
                found += read_file(path, each)
    twice = {scene.scene_id for scene in found if [each.scene_id for each in found].count(scene.scene_id) > 1}
    if twice:
        raise ValueError(f"scenes with the same id: {sorted(twice)}")
    return found


def read_file(path: Path, which: SceneSet) -> Sequence[Scene]:
    """The scenes of one file; groups share what is not said by each. Raises ValueError for a faulty one."""
    found: list[Scene] = []
    for group in tomllib.loads(path.read_text(encoding="utf-8"))["group"]:
        shared = {name: value for name, value in group.items() if name != "scenes"}
        for text in group["scenes"]:
            found.append(read(text, shared, which, f"{path.stem}-{len(found) + 1}"))
    return found


def read(text: str, shared: Mapping[str, str], which: SceneSet, scene_id: str) -> Scene:
    """A scene in the notation of the files: "LANGUAGE | TITLE | KEY=VALUE ...", then its body, then HTML after a line
    `<!-- -->`. What its first line does not say is `shared`. Raises ValueError."""
    head, _, rest = text.partition("\n")
    lang, title, *more = (part.strip() for part in head.split(" | "))
    body, _, html = rest.partition("<!-- -->")
    given = {**shared, **dict(part.split("=", 1) for part in more)}
    if unknown := set(given) - {"kind", "app", "host", "do", "risk"}:
        raise ValueError(f"{scene_id}: unknown keys {sorted(unknown)}")
    stage, _, look = given["app"].partition(":")
    found = Scene(
        scene_id=scene_id, which=which, kind=given["kind"], lang=lang, stage=Stage(stage), look=look, title=title,
        host=given.get("host", f"{look or 'www'}.example"), body=tuple(map(tuple, rows(body))), html=html,
        steps=tuple(given.get("do", "click").split(" ; ")),
        risk=frozenset(map(Category, given.get("risk", "").split())),
    )  # fmt: skip
    if found.lang not in LANGUAGES:
        raise ValueError(f"{scene_id}: {lang} is not one of the languages")
    if found.stage in (Stage.WEB, Stage.QT, Stage.GTK):
        marked = targets(found.body) | {number for number in (1, 2) if f'data-t="{number}"' in html}
        if missing := needed_places(found.steps) - marked:
            raise ValueError(f"{scene_id}: the places {sorted(missing)} of the action are not marked")
    return found
