from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.display.rig import AccessibleDesktop, Application, RigError, launch, wait_until

SAMPLE = Path(__file__).with_name("qt_sample.py")


@pytest.fixture
def sample(accessible_desktop: AccessibleDesktop) -> Application:
    return launch(accessible_desktop.desktop, [sys.executable, str(SAMPLE)], title="Sample", env=accessible_desktop.env)


def test_a_qt_window_is_read_and_worked_by_names(accessible_desktop: AccessibleDesktop, sample: Application) -> None:
    tree = accessible_desktop.tree
    line = tree.wait("Task", "text", pid=sample.pid)
    tree.set_text(line, "buy nothing")
    assert tree.again(line).text == "buy nothing"
    start = tree.wait("Start", "push button", pid=sample.pid, enabled=True)
    tree.press(start)
    tree.wait("started buy nothing", pid=sample.pid)


def test_a_label_names_its_buddy_and_radio_buttons_toggle(
    accessible_desktop: AccessibleDesktop, sample: Application
) -> None:
    tree = accessible_desktop.tree
    target = tree.wait("Target", "combo box", pid=sample.pid)
    assert target.labelled_by == ("Target",)
    step = tree.wait("Step", "radio button", pid=sample.pid)
    assert not step.checked
    tree.press(step)
    wait_until(lambda: tree.again(step).checked, "Step to be checked")


def test_extents_are_where_the_pointer_hits(accessible_desktop: AccessibleDesktop, sample: Application) -> None:
    x, y = accessible_desktop.tree.wait("Start", "push button", pid=sample.pid).centre
    accessible_desktop.desktop.xdo("mousemove", str(x), str(y), "click", "1")
    accessible_desktop.tree.wait("started ", pid=sample.pid)


def test_what_is_not_there_is_not_found(accessible_desktop: AccessibleDesktop, sample: Application) -> None:
    tree = accessible_desktop.tree
    tree.wait("Start", "push button", pid=sample.pid)
    assert tree.find("No such thing", pid=sample.pid) is None
    with pytest.raises(RigError):
        tree.find(role="radio button", pid=sample.pid)
