"""Text and keys for a machine in a viewer's window, as clients of the machine's own X server were told.

Xvnc with -RawKeyboard takes positions from virt-viewer, as QEMU does.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import string
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, Chord, KeyDown, KeyUp, TypeText
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.frames import VmTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from operator_console.domain.viewer_names import Viewer
from tests.display.guard.acting import Acting, armed, injector_pid
from tests.display.injector.copying import copy
from tests.display.rig import Application, Desktop, Witness, launch, launch_mousepad, launch_xterm, wait_until
from tests.display.rig.xkb_locks import Locks, set_locks
from tests.display.vnc.machine import Machine, nothing_is_held
from tests.display.vnc.test_stop import typed

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

TEXT = {
    "us": string.printable[:95],
    "de": "Größe: 20 °C, äöüÄÖÜß§µ²³ @€ yz YZ {[]}\\|~ ^ ` é",
    "fr": "Ca? àéèùç £§µ² € azqw AZQW 1234567890 {[]}\\|~^`",
    "de(nodeadkeys)": "yz ^`´~ [x]",
}
SHIFT = Key("shift")
CAPS_LOCK, NUM_LOCK = 1 << 1, 1 << 4


class Guest:
    """A machine, and the viewer that shows it on a desktop."""

    def __init__(self, desktop: Desktop, machine: Machine, viewer: Viewer = Viewer.REMOTE_VIEWER) -> None:
        self.desktop, self.machine = desktop, machine
        self._viewer = viewer
        self.window = _launched(desktop, machine.port, viewer)

    def target(self, layout: str) -> VmTarget:
        return target_in(self.desktop, self.window, self._viewer, layout)

    async def do(self, acting: Acting, action: Action, layout: str = "us") -> Outcome:
        return await acting.do(action, target=self.target(layout))


def target_in(desktop: Desktop, window: Application, viewer: Viewer, layout: str) -> VmTarget:
    now = window.now()
    return VmTarget(
        spec=f"vm:0x{now.xid:x}", title="a machine", display=desktop.name, window_id=now.xid, viewer=viewer,
        name="guest", layout=layout, window_rect=Rect(now.x, now.y, now.width, now.height),
    )  # fmt: skip


def _launched(desktop: Desktop, port: int, viewer: Viewer) -> Application:
    if viewer is Viewer.REMOTE_VIEWER:
        return launch(desktop, ["remote-viewer", f"vnc://127.0.0.1:{port}"], title="(1)", wm_class="Remote-viewer")
    return launch(desktop, ["xtigervncviewer", f"127.0.0.1::{port}"], title="TigerVNC")


@pytest.fixture
def machine(tmp_path: Path, raw: bool) -> Iterator[Machine]:
    options = ("-AcceptSetDesktopSize=0", f"-RawKeyboard={int(raw)}")
    made = Machine(folder=tmp_path / "machine", size=(800, 600), options=options)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def raw() -> bool:
    """Whether the machine takes positions."""
    return True


async def arrives(guest: Guest, file: Path, text: str, layout: str) -> None:
    await asyncio.to_thread(launch_mousepad, guest.machine.desktop, file)
    async with armed(guest.desktop) as acting:
        outcome = await guest.do(acting, TypeText(text=text, clear=True), layout)
        assert (outcome.result, outcome.delivered) == (ActResult.DONE, len(text)), outcome.detail
        await guest.do(acting, Chord(keys=(Key("ctrl"), Key("s"))), layout)
        await asyncio.to_thread(wait_until, lambda: file.exists() and file.stat().st_size, "the note to be written")
    assert file.read_text("utf-8").removesuffix("\n") == text


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("us,ru", "de(nodeadkeys)"),
        *(pytest.param(*each, marks=pytest.mark.full) for each in product(("us", "de"), ("us", "de", "fr"))),
    ],
)
async def test_text_arrives_by_the_machines_layout_whatever_this_displays_is(
    desktop: Desktop, machine: Machine, tmp_path: Path, here: str, there: str
) -> None:
    await asyncio.to_thread(desktop.set_layout, here)
    await asyncio.to_thread(set_locks, desktop.name, Locks(modifiers=NUM_LOCK, group=here.count(",")))
    await asyncio.to_thread(machine.desktop.set_layout, *there.removesuffix(")").split("("))
    guest = await asyncio.to_thread(Guest, desktop, machine)
    await arrives(guest, tmp_path / "note.txt", TEXT[there], there)


async def test_shortcuts_and_held_keys_are_where_the_machines_layout_has_them(
    desktop: Desktop, machine: Machine, tmp_path: Path
) -> None:
    """On a display with AltGr, whose modifier is not taken for one that a person holds."""
    await asyncio.to_thread(desktop.set_layout, "de")
    await asyncio.to_thread(machine.desktop.set_layout, "fr")
    file = tmp_path / "note.txt"
    await asyncio.to_thread(launch_mousepad, machine.desktop, file)
    guest = await asyncio.to_thread(Guest, desktop, machine)
    async with armed(desktop) as acting:
        for action in (
            TypeText(text="lost"), Chord(keys=(Key("ctrl"), Key("a"))), KeyDown(key=Key("alt_gr")),
            Chord(keys=(Key("e"),)), KeyUp(key=Key("alt_gr")), TypeText(text="gone"),
            Chord(keys=(Key("ctrl"), Key("z"))), Chord(keys=(Key("ctrl"), Key("s"))),
        ):  # fmt: skip
            outcome = await guest.do(acting, action, "fr")
            assert outcome.result is ActResult.DONE, outcome.detail
        await asyncio.to_thread(wait_until, lambda: file.exists() and file.stat().st_size, "the note to be written")
    assert "€" in file.read_text("utf-8")
    assert "lost" not in file.read_text("utf-8")


async def test_without_a_layout_of_its_own_it_is_this_displays(
    desktop: Desktop, machine: Machine, tmp_path: Path
) -> None:
    await asyncio.to_thread(desktop.set_layout, "de,us", "nodeadkeys,")
    await asyncio.to_thread(machine.desktop.set_layout, "de", "nodeadkeys")
    guest = await asyncio.to_thread(Guest, desktop, machine)
    await arrives(guest, tmp_path / "note.txt", TEXT["de(nodeadkeys)"], "")


@pytest.mark.parametrize("raw", [False])
async def test_a_viewer_that_passes_on_characters_needs_no_layout(
    desktop: Desktop, machine: Machine, tmp_path: Path
) -> None:
    await asyncio.to_thread(machine.desktop.set_layout, "de")
    guest = await asyncio.to_thread(Guest, desktop, machine, Viewer.TIGERVNC)
    await arrives(guest, tmp_path / "note.txt", "Größe yz @€ {x}", "us")


async def test_what_the_layout_lacks_is_named_before_anything_is_typed(desktop: Desktop, machine: Machine) -> None:
    guest = await asyncio.to_thread(Guest, desktop, machine)
    with Witness(machine.desktop) as witness:
        async with armed(desktop) as acting:
            outcome = await guest.do(acting, TypeText(text="yes, 你 й", clear=True), "de")
            unknown = await guest.do(acting, TypeText(text="a"), "none")
            await asyncio.to_thread(set_locks, desktop.name, Locks(modifiers=CAPS_LOCK))
            capital = await guest.do(acting, TypeText(text="a"), "de")
        assert (outcome.result, outcome.delivered) == (ActResult.FAILED, 0)
        assert "(de) has no key for 你 (U+4F60) й (U+0439)" in outcome.detail
        assert '[machines."vm:guest"]' in outcome.detail
        assert "no keyboard layout none" in unknown.detail
        assert "Caps Lock is on" in capital.detail
        await asyncio.to_thread(witness.wait_quiet)
        assert typed(witness) == 0


@pytest.mark.parametrize("fetches", ["when-pasted", pytest.param("at-once", marks=pytest.mark.full)])
async def test_what_the_layout_lacks_is_pasted_by_choice_through_the_viewers_clipboard(
    desktop: Desktop, tmp_path: Path, fetches: str
) -> None:
    copied = await asyncio.to_thread(copy, desktop, tmp_path / "copied")
    file, text = tmp_path / "pasted", "Größe: 20 °C, Zażółć 你好"
    args = [sys.executable, str(Path(__file__).with_name("sharing_viewer.py")), str(file), fetches]
    window = await asyncio.to_thread(launch, desktop, args, title="Sharing viewer", env={"QT_QPA_PLATFORM": "xcb"})
    target = target_in(desktop, window, Viewer.REMOTE_VIEWER, "us")
    async with armed(desktop) as acting:
        pasted = await acting.do(TypeText(text=text), target=target, paste=True)
        assert (pasted.result, pasted.method) == (ActResult.DONE, "clipboard paste"), pasted.detail
        await asyncio.to_thread(wait_until, file.exists, "the machine to paste")
        assert file.read_text("utf-8") == text
        after = await acting.do(TypeText(text="ok"), target=target, paste=True)
        assert after.method == "mapped keys"
    assert await copied.now() == copied.content


async def test_nothing_is_pressed_where_the_viewer_shares_no_clipboard(desktop: Desktop, machine: Machine) -> None:
    """virt-viewer does not over VNC."""
    guest = await asyncio.to_thread(Guest, desktop, machine)
    with Witness(machine.desktop) as witness:
        async with armed(desktop) as acting:
            refused = await acting.do(TypeText(text="你"), target=guest.target("us"), paste=True)
        assert (refused.result, refused.delivered) == (ActResult.FAILED, 0)
        assert "does not share" in refused.detail
        await asyncio.to_thread(witness.wait_quiet)
        assert typed(witness) == 0


async def test_a_stop_is_followed_by_at_most_one_character(desktop: Desktop, machine: Machine) -> None:
    await asyncio.to_thread(launch_xterm, machine.desktop)
    guest = await asyncio.to_thread(Guest, desktop, machine)
    with Witness(machine.desktop) as witness:
        async with armed(desktop) as acting:
            typing = asyncio.ensure_future(guest.do(acting, TypeText(text="for ever " * 1000)))
            await asyncio.to_thread(wait_until, lambda: typed(witness) > 20, "the typing to begin")
            await acting.guard.stop(StopCause.BUTTON)
            sent = (await typing).delivered
            await asyncio.to_thread(witness.wait_quiet)
            assert sent - 1 <= typed(witness) <= sent + 1
            await nothing_is_held(machine)
    assert desktop.keys_down() == []


async def test_a_killed_injector_leaves_no_shift_down_here_or_there(desktop: Desktop, machine: Machine) -> None:
    await asyncio.to_thread(launch_xterm, machine.desktop)
    guest = await asyncio.to_thread(Guest, desktop, machine)
    async with armed(desktop) as acting:
        await guest.do(acting, KeyDown(key=SHIFT))
        await asyncio.to_thread(wait_until, machine.desktop.keys_down, "Shift to be down there")
        os.kill(injector_pid(desktop), signal.SIGKILL)
        await nothing_is_held(machine)
        await acting.ears.wait(lambda: acting.ears.pauses)
    assert desktop.keys_down() == []


async def test_a_menu_that_altgr_opened_in_qemus_window_is_told(desktop: Desktop, tmp_path: Path) -> None:
    """This display's layout has Alt where the machine's has AltGr, and Alt+M opens QEMU's menu "Machine"."""
    args = [
        "qemu-system-x86_64", "-accel", "tcg", "-m", "32", "-nodefaults", "-vga", "std", "-display", "gtk",
        "-trace", "input_event_key_qcode", "-D", str(tmp_path / "trace.log"),
    ]  # fmt: skip
    window = await asyncio.to_thread(launch, desktop, args, wm_class="Qemu", env={"LANGUAGE": "C"})
    target = target_in(desktop, window, Viewer.QEMU_GTK, "de")
    async with armed(desktop) as acting:
        whole = await acting.do(TypeText(text="Zß@"), target=target)
        assert (whole.result, whole.delivered) == (ActResult.DONE, 3), whole.detail
        part = await acting.do(TypeText(text="aµb"), target=target)
        assert (part.result, part.delivered) == (ActResult.FAILED, 1)
        assert "has taken the keyboard" in part.detail
    pressed = re.findall(r"qcode (\w+), down 1", (tmp_path / "trace.log").read_text())
    assert pressed == ["shift", "y", "minus", "alt_r", "q", "a", "alt_r"]
