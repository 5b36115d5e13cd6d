"""What a screen reader finds: the names that are an outside contract, in the states where they can be used."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.display.rig import AccessibleDesktop, Child

ROOT = Path(__file__).resolve().parents[3]
PUSH, LINE, SPIN, COMBO, RADIO = "push button", "text", "spin button", "combo box", "radio button"

NAMES: dict[str, dict[str, str]] = {
    "idle": {
        "Target": COMBO, "Refresh targets": PUSH, "Task": LINE, "Model": COMBO, "Start": PUSH, "Stop": PUSH,
        "Model settings…": PUSH, "Show tools": PUSH,
        "Max steps": SPIN, "Max minutes": SPIN, "Observe": RADIO, "Step": RADIO, "Guarded": RADIO, "Auto": RADIO,
        "Live preview": "", "Autonomy": "",
    },
    "reviewing": {
        "Message": LINE, "Take over": PUSH, "Pause": PUSH, "Stop": PUSH, "Approve": PUSH, "Edit": PUSH, "Skip": PUSH,
        "Timeline": "list", "Live preview": "",
    },
    "editing": {"Text": LINE, "X": SPIN, "Y": SPIN, "Feedback": LINE},
    "paused": {"Resume": PUSH, "Stop": PUSH},
    "handed-over": {"Hand back": PUSH, "Message": LINE},
    "model-settings": {
        "Profiles": "list", "Name": LINE, "Provider": COMBO, "Endpoint": LINE, "Key of this profile": "password text",
        "Pictures kept": SPIN, "Show the thinking": "check box", "Thinking level": COMBO, "Steps": SPIN,
        "Minutes of work": SPIN, "Cost": LINE, "Check": PUSH, "Save": PUSH, "Close": PUSH, "New profile": PUSH,
        "Duplicate profile": PUSH, "Delete profile": PUSH,
    },
    "question": {"Allow": PUSH, "Deny": PUSH},
    "stopped": {"Reset": PUSH, "Start": PUSH},
}  # fmt: skip


def show(place: AccessibleDesktop, folder: Path, state: str) -> Child:
    """The window in that state, once it is there."""
    env = {**place.env, "PYTHONPATH": str(ROOT)}
    args = [sys.executable, "-m", "tests.display.ui.showing", state]
    child = place.desktop.adopt(Child(args, env=env, log=folder / "showing.log", cwd=folder))
    place.desktop.wait_window(title="Operator console", pid=child.pid, still=child.checked)
    return child


@pytest.mark.parametrize("state", NAMES)
def test_a_reader_finds_every_name(accessible_desktop: AccessibleDesktop, tmp_path: Path, state: str) -> None:
    tree, child = accessible_desktop.tree, show(accessible_desktop, tmp_path, state)
    for name, role in NAMES[state].items():
        if name in ("Text", "Feedback") and state == "editing":
            continue  # one of the two is open at a time; below
        found = [node for node in tree.find_all(name, pid=child.pid) if node.role != "label"]
        if not found:
            tree.wait(name, role or None, pid=child.pid)
            found = [node for node in tree.find_all(name, pid=child.pid) if node.role != "label"]
        assert len(found) == 1, [(node.role, node.name) for node in found]
        assert not role or found[0].role == role
    if state == "editing":
        tree.wait("Text", LINE, pid=child.pid)
        tree.press(tree.wait("Edit", PUSH, pid=child.pid))
        tree.press(tree.wait("Skip", PUSH, pid=child.pid, enabled=True))
        tree.wait("Feedback", LINE, pid=child.pid)


def test_a_reader_that_asks_for_what_is_no_longer_there_is_told_so(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """It counts a node's children and then asks for each; Qt's own account of a scrolled area ends the process."""
    tree, child = accessible_desktop.tree, show(accessible_desktop, tmp_path, "reviewing")
    tree.wait("Approve", PUSH, pid=child.pid)
    nodes = tree.find_all(pid=child.pid, showing=False)
    assert len(nodes) > 100
    assert not any(tree.has_child(node, index) for node in nodes for index in (-1, 99))
    assert child.running
