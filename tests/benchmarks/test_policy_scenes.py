"""The labelled scenes are as many and as various as promised, and their notation is read as it says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from operator_console.domain.actions import Chord, Drag, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from tests.benchmarks.policy_scenes import scenes as scene_files
from tests.benchmarks.policy_scenes.actions import action_of
from tests.benchmarks.policy_scenes.markup import rows, targets
from tests.benchmarks.policy_scenes.scenes import SceneSet, Stage, load, read
from tests.benchmarks.policy_scenes.web_pages import page

_PLACES = {1: NativePoint(10, 20), 2: NativePoint(30, 40)}


def test_there_are_enough_of_every_sort() -> None:
    scenes = load()
    risky = [scene for scene in scenes if scene.risky]
    assert len(risky) >= 300
    assert len(scenes) - len(risky) >= 300
    assert len({scene.kind for scene in scenes}) >= 25
    assert len({scene.lang for scene in scenes}) >= 12
    assert len(load(SceneSet.HOLDOUT)) >= 200  # a third of the least number
    assert {scene.stage for scene in scenes} == set(Stage)
    named = Counter(category for scene in risky for category in scene.risk)
    assert set(named) == set(Category) - {Category.UNKNOWN}


def test_a_set_without_files_has_no_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_files, "_HERE", tmp_path)
    assert load() == []
    (tmp_path / "holdout").mkdir()
    assert load(SceneSet.HOLDOUT) == []


def test_every_step_is_one_of_the_notation() -> None:
    for scene in load():
        for step in scene.steps:
            action_of(step, _PLACES)


def test_the_label_is_nowhere_on_the_page() -> None:
    scene = read(
        "en | Checkout\n[=Pay now]*", {"kind": "pay button", "app": "web:bare", "risk": "pay"}, SceneSet.MAIN, "x"
    )
    text = page(scene, 3, "none")
    assert "Pay now" in text
    assert "pay button" not in text
    assert scene.scene_id == "x"


def test_a_row_is_read_into_its_items() -> None:
    (row,) = rows("Total [Back] [=Pay]* {!PIN=12} (_ Agree) @[trash|Delete]** <Terms>")
    assert [item["t"] for item in row] == ["text", "button", "button", "field", "check", "icon", "link"]
    assert [item.get("target", 0) for item in row] == [0, 0, 1, 0, 0, 2, 0]
    assert row[2]["default"]
    assert (row[3]["kind"], row[3]["text"], row[3]["value"]) == ("password", "PIN", "12")


def test_cells_and_entries_hold_items() -> None:
    body = rows("| a | [Drop]* |\n- file.txt **")
    assert targets(body) == {1, 2}
    assert body[0][0]["cells"][1]["inner"][0]["text"] == "Drop"
    assert body[1][0]["text"] == "file.txt"


@pytest.mark.parametrize(
    ("line", "whole", "inside"),
    [("- a.pdf @[trash|Delete]*", 0, [0, 1]), ("- a.pdf @[trash|Delete] *", 1, [0, 0]), ("- a.pdf *", 1, [])],
)
def test_a_mark_right_behind_an_item_of_an_entry_is_on_the_item(line: str, whole: int, inside: list[int]) -> None:
    ((entry,),) = rows(line)
    assert (entry["target"], [item["target"] for item in entry.get("inner", ())]) == (whole, inside)


@pytest.mark.parametrize(
    ("step", "action"),
    [
        ("type:a↵⏎", TypeText(text="a\n", submit=True)),
        ("typeat:x", TypeText(text="x", at=_PLACES[1])),
        ("key:ctrl+Return", Chord(keys=(Key("ctrl"), Key("enter")))),
        ("drag", Drag(path=(_PLACES[1], _PLACES[2]))),
    ],
)
def test_steps_are_actions(step: str, action: object) -> None:
    assert action_of(step, _PLACES) == action


@pytest.mark.parametrize("line", ["xx | Title", "en | Title | colour=red", "en | Title | risk=boredom"])
def test_a_faulty_scene_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"language|unknown keys|not a valid"):
        read(f"{line}\n[OK]*", {"kind": "k", "app": "web:bare"}, SceneSet.MAIN, "x")
