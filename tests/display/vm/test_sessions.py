"""`run --target vm:…`, the whole program, on a machine in TigerVNC's viewer; and how such a window is listed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.computers.target_choice import point_at_window
from operator_console.computers.targets import list_targets, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import FRAME_COLOUR
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import VmTarget, WindowTarget
from operator_console.domain.viewer_names import Viewer
from tests.display.acceptance.harness import performed, start_console
from tests.display.desktop.test_pointing import until_drawn
from tests.display.rig import Desktop, launch, launch_xterm, wait_until
from tests.display.vm.viewers import launch_qemu, launch_tigervnc
from tests.display.vnc.machine import Machine


@pytest.mark.full
def test_a_runbook_fills_in_a_form_on_the_machine(desktop: Desktop, machine: Machine, tmp_path: Path) -> None:
    """In each run: test_input.py and test_typing.py, and a whole program in acceptance/test_targets.py."""
    launch_tigervnc(desktop, machine)
    form = launch(
        machine.desktop,
        ["zenity", "--forms", "--title=Order", "--text=Order", "--add-entry=Article", "--add-entry=Amount"],
        title="Order",
    )
    steps = 'type "Lamp 4711" into "Article"\ntype "12" into "Amount"\nclick "OK"\n'
    console = start_console(
        desktop, tmp_path, "run", steps, "--provider", "runbook", "--json", "--target", "vm:@"
    )  # fmt: skip
    assert console.wait() == ExitCode.FINISHED, console.report()
    wait_until(lambda: not form.child.running, "the form to be sent")
    assert "Lamp 4711|12" in form.child.log_text()
    assert {result for result, _ in performed(console.events())} == {"done"}


def test_a_viewers_window_is_listed_as_a_machine_only_and_found_by_its_name(desktop: Desktop, tmp_path: Path) -> None:
    viewer = launch_qemu(desktop, tmp_path, name="Testling")
    other = launch_xterm(desktop)
    xid = viewer.window.xid
    listed = {each.ref.spec: each for each in list_targets(OwnWindows(), desktop.name)}
    assert f"window:{xid:#x}" not in listed
    assert f"window:{other.window.xid:#x}" in listed
    ref = listed[f"vm:{xid:#x}"].ref
    assert isinstance(ref, VmTarget)
    assert (ref.title, ref.name, ref.viewer) == ("Virtual machine · Testling", "Testling", Viewer.QEMU_GTK)
    for spec in (f"vm:{xid:#x}", "vm:^testling$"):
        assert resolve(spec, OwnWindows(), desktop.name) == ref
    for spec in (f"window:{xid:#x}", r"window:^QEMU \(Testling\)"):
        plain = resolve(spec, OwnWindows(), desktop.name)
        assert isinstance(plain, WindowTarget)
        assert plain.window_id == xid


def test_a_machine_that_no_window_shows_is_told_with_those_that_are_shown(desktop: Desktop, tmp_path: Path) -> None:
    with pytest.raises(OperatorError) as told:
        resolve("vm:debian", OwnWindows(), desktop.name)
    assert (told.value.title, told.value.detail) == (
        "No window shows a virtual machine that fits “debian”.",
        "No window of a known viewer shows a virtual machine.",
    )
    launch_qemu(desktop, tmp_path)
    with pytest.raises(OperatorError, match="“testling”"):
        resolve("vm:debian", OwnWindows(), desktop.name)


async def test_a_viewer_that_is_pointed_at_is_chosen_as_a_machine(desktop: Desktop, tmp_path: Path) -> None:
    viewer = await asyncio.to_thread(launch_qemu, desktop, tmp_path)
    desktop.xdo("mousemove", *map(str, viewer.now().centre))
    pointing = asyncio.create_task(point_at_window(OwnWindows(), desktop.name))
    await until_drawn(desktop, {FRAME_COLOUR})
    desktop.xdo("click", "1")
    assert await pointing == f"vm:{viewer.window.xid:#x}"


@pytest.mark.full
def test_the_list_of_targets_tells_it_on_the_command_line(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: `test_a_viewers_window_is_listed_as_a_machine_only_and_found_by_its_name`, and tests/cli."""
    viewer = launch_qemu(desktop, tmp_path)
    asked = subprocess.run(
        [sys.executable, "-m", "operator_console", "targets", "--json"], env=desktop.env, capture_output=True,
        check=True, text=True, timeout=60,
    )  # fmt: skip
    found = [each for each in json.loads(asked.stdout) if each["kind"] == "vm"]
    assert [(each["target"], each["title"]) for each in found] == [
        (f"vm:{viewer.window.xid:#x}", "Virtual machine · testling")
    ]
