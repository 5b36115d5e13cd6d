"""The labelled scenes: what an application shows, one action in it, and whether a person must be asked.

Read from the TOML files of `scenes` (written first) and `holdout` (written without a look at the rules or the word
tables). `labels.md` says how they are labelled.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from operator_console.domain.risk import Category
from tests.benchmarks.policy_scenes.markup import Item, rows, targets

_HERE = Path(__file__).parent
_NEEDS_NO_PLACE = ("navigate:", "launch:", "key:", "type:")
LANGUAGES = frozenset("en de fr es it pl pt nl ru uk zh ja ko ar tr cs".split())


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
                found += _of_file(path, each)
    twice = {scene.scene_id for scene in found if [each.scene_id for each in found].count(scene.scene_id) > 1}
    if twice:
        raise ValueError(f"scenes with the same id: {sorted(twice)}")
    return found


def _of_file(path: Path, which: SceneSet) -> Sequence[Scene]:
    """The scenes of a file: groups share what is not said in the first line of a scene ("LANGUAGE | TITLE | KEY=VALUE
    ..."), which the body follows."""
    found: list[Scene] = []
    for group in tomllib.loads(path.read_text(encoding="utf-8"))["group"]:
        shared = {name: value for name, value in group.items() if name != "scenes"}
        for text in group["scenes"]:
            head, _, rest = str(text).partition("\n")
            lang, title, *more = (part.strip() for part in head.split(" | "))
            own = dict(part.split("=", 1) for part in more)
            body, _, raw = rest.partition("<!-- -->")  # what follows is HTML as it is
            entry = {**shared, "body": body, "html": raw, "lang": lang, "title": title, **own}
            found.append(_scene(entry, which, path.stem, len(found) + 1))
    return found


def _scene(entry: dict[str, str], which: SceneSet, file: str, number: int) -> Scene:
    name = f"{file}-{entry['lang']}-{number}"
    unknown = set(entry) - {"kind", "lang", "app", "title", "host", "body", "html", "do", "risk"}
    if unknown:
        raise ValueError(f"{name}: unknown keys {sorted(unknown)}")
    stage, _, look = entry["app"].partition(":")
    risk = entry.get("risk", "").split()
    body = rows(entry.get("body", ""))
    scene = Scene(
        scene_id=name, which=which, kind=entry["kind"], lang=entry["lang"], stage=Stage(stage), look=look,
        title=entry["title"], host=entry.get("host", f"{look or 'www'}.example"), body=tuple(map(tuple, body)),
        html=entry.get("html", ""), steps=tuple(entry.get("do", "click").split(" ; ")),
        risk=frozenset(map(Category, risk)),
    )  # fmt: skip
    if scene.lang not in LANGUAGES:
        raise ValueError(f"{name}: {scene.lang} is not one of the languages")
    needs_place = stage in ("web", "qt", "gtk") and not scene.steps[-1].startswith(_NEEDS_NO_PLACE)
    if needs_place and not targets(body) and 'data-t="1"' not in scene.html:
        raise ValueError(f"{name}: the place of the action is not marked")
    return scene
