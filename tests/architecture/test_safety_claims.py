"""Each sentence of README's Safety part is held by a test or a measurement that is named here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HELD_BY = {
    "The stop is a process of its own.": ["tests/guard/test_latch.py::test_status_and_stop_import_little"],
    "It ends the process that can act, releases keys and buttons, and blocks the display until you reset it.": [
        "tests/display/guard/test_stop.py::test_a_hand_stops_5000_characters",
        "tests/display/guard/test_stop.py::test_the_button_stops_a_drag_and_releases_its_button",
        "tests/guard/test_latch.py::test_a_reset_clears_the_latch",
    ],
    "In 1,000 measured stops the last input was sent at most 81 ms after the key press.": ["measurements.md#stop"],
    "A slow application may still show up to about 200 characters of a text that was being typed.": [
        "measurements.md#stop"
    ],
    "One way in.": ["tests/architecture/test_single_door.py::test_no_other_file_sends_input"],
    "Only one process can send input, and only with a permission for one action.": [
        "tests/architecture/test_single_door.py::test_no_other_file_sends_input",
        "tests/display/injector/test_grants.py::test_a_grant_is_good_once_and_not_across_a_pause",
    ],
    "It checks first that the screen is still what the model saw.": [
        "tests/display/injector/test_grants.py::test_a_changed_screen_is_refused_and_an_unchanged_one_is_not"
    ],
    "You are asked first.": ["tests/policy/test_run_ask_or_refuse.py::test_each_risk_class_at_each_autonomy_level"],
    "What the console knows as sending, publishing, deleting, installing, uploading, signing in or running a command "
    "line waits for you.": ["tests/policy/test_run_ask_or_refuse.py::test_each_risk_class_at_each_autonomy_level"],
    "What it knows as paying, secrets, permissions or legal terms does so in every setting.": [
        "tests/policy/test_run_ask_or_refuse.py::test_the_allow_list_applies_only_in_auto_and_only_to_c3"
    ],
    "No answer means no.": ["tests/engine/test_review.py::test_a_dialog_lapses_to_no_and_the_run_pauses"],
    "The model cannot help itself.": [
        "tests/display/ui/test_self_approval.py::test_no_press_and_no_word_of_a_program_allows"
    ],
    "No key or click of its own can resume, reset or approve.": [
        "tests/display/ui/test_self_approval.py::test_no_press_and_no_word_of_a_program_allows",
        "tests/engine/test_review.py::test_step_asks_on_the_card_with_gate_shut_and_waits_for_ever",
    ],
    "Limits.": ["policy-measurements.md"],
    "The console judges by what is hit, by what an action does there and by words in 16 languages, and does not "
    "recognise every risky action: measured.": ["policy-measurements.md"],
    "What Auto may run includes what those words take for it: “Add deploy key” counts as publishing.": [
        "tests/policy/test_run_ask_or_refuse.py::test_auto_runs_what_words_take_for_a_category_that_is_allowed"
    ],
    "It cannot protect you from other programs of your user, also those that the model starts.": [
        "safety.md#what-the-console-cannot-do"
    ],
    "Use Step where a mistake would be expensive.": [
        "tests/engine/test_review.py::test_step_asks_on_the_card_with_gate_shut_and_waits_for_ever"
    ],
    "The session file contains what was typed, except into password fields.": [
        "tests/engine/test_passwords_hidden.py::test_a_password_is_typed_and_not_recorded"
    ],
    "It stays on your machine.": [
        "tests/journal/test_anchors.py::test_the_anchor_and_all_folders_made_for_it_are_private"
    ],
}


def claims() -> list[str]:
    """The sentences of the Safety part, without marks of formatting and addresses of links."""
    part = (ROOT / "README.md").read_text("utf-8").partition("\n## Safety\n")[2].partition("\n## ")[0]
    listed = " ".join(
        line[1:] if line.startswith("- ") else line for line in part.partition("\nMore: ")[0].splitlines()
    )
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(listed.split())).replace("*", "")
    return [sentence.strip() for sentence in re.split(r"(?<=[.])\s+(?=[A-Z])", plain) if sentence.strip()]


def test_each_sentence_is_held_and_nothing_is_held_that_is_not_said() -> None:
    assert claims() == list(HELD_BY)


@pytest.mark.parametrize("proof", sorted({proof for proofs in HELD_BY.values() for proof in proofs}))
def test_what_holds_it_exists(proof: str) -> None:
    if "::" not in proof:
        page, _, anchor = proof.partition("#")
        headings = re.findall(r"^#+ (.*)$", (ROOT / "resources/help" / page).read_text("utf-8"), re.MULTILINE)
        assert not anchor or anchor in [re.sub(r"[^\w-]", "", each.lower().replace(" ", "-")) for each in headings]
        return
    file, _, name = proof.partition("::")
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
