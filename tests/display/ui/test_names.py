"""What a screen reader finds: the names that are an outside contract, in the states where they can be used."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tests.display.rig import AccessibleDesktop, AccessibleSession, wait_until
from tests.display.ui.shown import Shown

PUSH, LINE, SPIN, COMBO, RADIO = "push button", "text", "spin button", "combo box", "radio button"
LABELLED = (LINE, SPIN, COMBO, "list", "password text", "check box")

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
    "editing": {"Text": LINE, "X": SPIN, "Y": SPIN, "Feedback": LINE, "Cancel edit": PUSH},
    "paused": {"Resume": PUSH, "Stop": PUSH},
    "handed-over": {"Hand back": PUSH, "Message": LINE},
    "model-settings": {
        "Profiles": "list", "Name": LINE, "Provider": COMBO, "Endpoint": LINE, "Key of this profile": "password text",
        "Pictures kept": SPIN, "Show the thinking": "check box", "Thinking level": COMBO, "Steps": SPIN,
        "Minutes of work": SPIN, "Cost": LINE, "Check": PUSH, "Save": PUSH, "Close": PUSH, "New profile": PUSH,
        "Duplicate profile": PUSH, "Delete profile": PUSH,
    },
    "question": {"Allow": PUSH, "Deny": PUSH, "Deny with note": PUSH},
    "stopped": {"Reset": PUSH, "Start": PUSH},
}  # fmt: skip


def test_a_reader_finds_every_name_in_every_state(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    tree = accessible_desktop.tree
    shown = Shown(accessible_desktop.desktop, tmp_path, accessible_desktop.env)
    pid = shown.child.pid
    for state, names in NAMES.items():
        shown.show(state)
        # Of Text and Feedback one is open at a time; below.
        names = {name: role for name, role in names.items() if state != "editing" or name not in ("Text", "Feedback")}
        wait_until(partial(_read, tree, pid, names), f"the names of {state}", interval_s=0.1)
        if state == "editing":
            tree.wait("Text", LINE, pid=pid)
            tree.press(tree.wait("Cancel edit", PUSH, pid=pid))
            tree.press(tree.wait("Skip", PUSH, pid=pid, enabled=True))
            tree.wait("Feedback", LINE, pid=pid)


def _read(tree: AccessibleSession, pid: int, names: Mapping[str, str]) -> bool:
    """Whether each of the names is there, once and in its role."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for node in tree.find_all(pid=pid):
        labels = node.labelled_by if node.role in LABELLED else ()
        for name in {node.name, *labels} & found.keys():
            if node.role != "label":
                found[name].append(node.role)
    wrong = {n: roles for n, roles in found.items() if len(roles) > 1 or (roles and names[n] not in ("", roles[0]))}
    assert not wrong
    return all(found.values())


def test_a_reader_that_asks_for_what_is_no_longer_there_is_told_so(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """It counts a node's children and then asks for each; Qt's own account of a scrolled area ends the process."""
    tree, shown = accessible_desktop.tree, Shown(accessible_desktop.desktop, tmp_path, accessible_desktop.env)
    shown.show("reviewing")
    pid = shown.child.pid
    tree.wait("Approve", PUSH, pid=pid)
    nodes = tree.find_all(pid=pid, showing=False)
    assert len(nodes) > 100
    assert not any(tree.has_child(node, index) for node in nodes for index in (-1, 99))
    assert shown.child.running
