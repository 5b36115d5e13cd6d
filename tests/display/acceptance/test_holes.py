"""The ten holes of the safety audit, and incidents of peers, played through the whole loop against real windows.

Each was once carried out without a question. Every one is asked now, and after "no" nothing has reached the window. All
are played in one go by the player of the labelled scenes, which is the product's session with a played model.

In each run: tests/policy/test_holes.py.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.domain.risk import Category
from tests.benchmarks.policy_scenes.player import Given, Played, play
from tests.benchmarks.policy_scenes.results import known
from tests.benchmarks.policy_scenes.scenes import Scene, SceneSet, read_file

pytestmark = [pytest.mark.full, pytest.mark.timeout(1_800)]  # the first test plays all
_HOLES = Path(__file__).with_name("holes.toml")

_THINKS_S = 0.5  # less than any model: on a busy machine the first reading of a window takes longer than its answer
_PROGRAMS = ("poweroff", "reboot", "xkill", "gnome-session-quit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What came of each, and which programs were started."""

    played: Sequence[Played]
    started: Sequence[str]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What came of each. Programs that end sessions are harmless ones of the same name here."""
    folder = tmp_path_factory.mktemp("holes")
    programs, data = folder / "programs", folder / "data"
    programs.mkdir()
    (data / "applications").mkdir(parents=True)
    for name in _PROGRAMS:
        program = programs / name
        program.write_text(f"#!/bin/sh\ntouch '{folder}/started-{name}'\n")
        program.chmod(0o755)

    def before(scene: Scene) -> None:
        if scene.steps == ("launch:Hole",):
            entry = f"[Desktop Entry]\nType=Application\nName=Hole\nExec=touch {folder}/started-hole\n"
            (data / "applications" / "hole.desktop").write_text(entry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        patch.setenv("XDG_DATA_HOME", str(data))
        patch.setenv("OPERATOR_CONSOLE_HOME", str(folder / "home"))
        found = play(read_file(_HOLES, SceneSet.MAIN), Given(before=before, thinks_s=_THINKS_S))
    return Results(played=found, started=sorted(path.name for path in folder.glob("started-*")))


def _asked(results: Results, hole: str) -> None:
    """All of a hole's ways were asked, for a fitting reason or because the control is not known, and nothing came."""
    faults: list[str] = []
    those = [played for played in results.played if played.scene.kind == hole]
    assert those
    for played in those:
        fitting = {Category.UNKNOWN.value, *(each.value for each in played.scene.risk)}
        name = f"{played.scene.scene_id} “{played.scene.title}” {played.scene.steps}"
        if played.fault:
            faults.append(f"{name}: {played.fault}")
        elif not played.asked:
            faults.append(f"{name}: not asked, {known(played)}")
        elif played.received:
            faults.append(f"{name}: the window received {played.received}")
        elif played.categories and not fitting.intersection(played.categories):
            faults.append(f"{name}: asked as {played.categories}")
    assert not faults, "\n".join(faults)


def test_1_what_was_written_is_not_started(results: Results) -> None:
    _asked(results, "1")
    (launched,) = (played for played in results.played if played.scene.kind == "1, launched")
    assert launched.asked or "step 1 failed" in launched.fault
    assert "started-hole" not in results.started


def test_2_typing_at_a_place_is_a_click(results: Results) -> None:
    _asked(results, "2")


def test_3_a_control_is_hit_beside_its_words(results: Results) -> None:
    _asked(results, "3")


def test_4_files_that_run_later_are_known_by_path_and_text(results: Results) -> None:
    _asked(results, "4")


def test_5_every_way_to_submit_a_line(results: Results) -> None:
    _asked(results, "5")


def test_6_what_is_shown_is_what_runs(results: Results) -> None:
    _asked(results, "6")
    whole, pieces, history = (played for played in results.played if played.scene.kind == "6")
    assert whole.scene.steps[0].removeprefix("type:") in _shown(whole)
    assert "security" in pieces.categories, "it names this console only when both pieces are read together"
    assert "not known" in _shown(history) or "cannot be known" in _shown(history)


def test_7_a_release_is_judged_where_it_lands(results: Results) -> None:
    _asked(results, "7")


def test_7_a_drop_on_a_part_of_a_page(results: Results) -> None:
    _asked(results, "7, on a page")


def test_8_keys_press_what_has_the_focus(results: Results) -> None:
    _asked(results, "8")


def test_8_a_letter_chooses_in_an_open_menu(results: Results) -> None:
    _asked(results, "8, by a mnemonic")


def test_9_addresses_are_parsed(results: Results) -> None:
    _asked(results, "9")


def test_10_programs_that_end_the_session_are_not_launched(results: Results) -> None:
    _asked(results, "10")
    assert not [name for name in results.started if name != "started-hole"]


def test_incidents_of_peers(results: Results) -> None:
    _asked(results, "incident")


def _shown(played: Played) -> str:
    """Everything that the last question showed about what would run."""
    question = played.questions[-1]
    found = question.assessment
    return " ".join((question.text, str(question.action), *(found.reasons if found else ()), str(found)))
