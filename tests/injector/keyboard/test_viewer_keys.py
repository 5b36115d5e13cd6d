"""Keys that a viewer takes for itself are refused by name, however they are pressed; others are not."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Chord, Click, HoldKeys, KeyDown, KeyUp, TypeText
from operator_console.domain.frames import TargetRef, VmTarget, WindowTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.domain.keys import Key, parse_chord, show_keys
from operator_console.domain.viewer_names import Viewer
from operator_console.injector.action_errors import Refused
from operator_console.injector.keyboard.viewer_keys import ViewerKeys

SIZE = Size(800, 600)
WINDOW = WindowTarget(spec="window:0x7", title="QEMU", window_id=7)


def grant(action: Action, target: Viewer | TargetRef) -> Grant:
    if isinstance(target, Viewer):
        target = VmTarget(spec="vm:0x7", title="", window_id=7, viewer=target, name="debian")
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE)
    return Grant(
        grant_id="1", step=1, call=0, action=action, target=target, geometry=geometry, epoch=1, expires_s=0.0
    )  # fmt: skip


def refused(action: Action, viewer: Viewer) -> str:
    with pytest.raises(Refused) as caught:
        ViewerKeys().check(grant(action, viewer), holds_keys=False)
    return str(caught.value)


@pytest.mark.parametrize(
    ("viewer", "keys"),
    [
        (Viewer.QEMU_GTK, "Ctrl+Alt+G"), (Viewer.QEMU_GTK, "Ctrl+Alt+F"), (Viewer.QEMU_GTK, "Right Ctrl+Alt+2"),
        (Viewer.QEMU_SDL, "Ctrl+Alt+U"), (Viewer.REMOTE_VIEWER, "F11"), (Viewer.REMOTE_VIEWER, "Ctrl++"),
        (Viewer.BOXES, "F11"), (Viewer.VIRTUALBOX, "Right Ctrl+F"), (Viewer.VIRTUALBOX, "Right Ctrl"),
        (Viewer.VMWARE, "Ctrl+Alt+Delete"), (Viewer.REMMINA, "Right Ctrl"), (Viewer.FREERDP, "Ctrl+Alt+Return"),
        (Viewer.TIGERVNC, "F8"),
    ],
)  # fmt: skip
def test_a_chord_that_the_viewer_takes_is_refused_by_its_name(viewer: Viewer, keys: str) -> None:
    chord = parse_chord(keys)
    for action in (Chord(keys=chord), HoldKeys(keys=chord, duration_s=1.0)):
        assert refused(action, viewer).startswith(f"{show_keys(chord)} was not sent")


@pytest.mark.parametrize(
    ("viewer", "keys"),
    [
        (Viewer.QEMU_GTK, "Ctrl+Alt+Delete"), (Viewer.QEMU_GTK, "Ctrl+G"), (Viewer.QEMU_GTK, "F8"),
        (Viewer.VIRTUALBOX, "Ctrl+F"), (Viewer.VMWARE, "Ctrl+Delete"), (Viewer.TIGERVNC, "F11"),
        (Viewer.VIRT_MANAGER, "Ctrl+Alt+F2"),
    ],
)  # fmt: skip
def test_what_the_viewer_passes_on_is_sent(viewer: Viewer, keys: str) -> None:
    ViewerKeys().check(grant(Chord(keys=parse_chord(keys)), viewer), holds_keys=False)


def test_keys_that_are_held_count_until_they_are_released() -> None:
    keys, ctrl, alt = ViewerKeys(), Key("ctrl"), Key("alt")
    keys.check(grant(KeyDown(key=ctrl), Viewer.QEMU_GTK), holds_keys=False)
    keys.check(grant(KeyDown(key=alt), Viewer.QEMU_GTK), holds_keys=True)
    for action in (KeyDown(key=Key("g")), TypeText(text="a G"), Chord(keys=(Key("f"),))):
        with pytest.raises(Refused):
            keys.check(grant(action, Viewer.QEMU_GTK), holds_keys=True)
    keys.check(grant(KeyUp(key=alt), Viewer.QEMU_GTK), holds_keys=True)
    keys.check(grant(TypeText(text="a G"), Viewer.QEMU_GTK), holds_keys=True)


def test_what_a_stop_or_pause_has_released_is_forgotten() -> None:
    keys = ViewerKeys()
    keys.check(grant(KeyDown(key=Key("ctrl")), Viewer.REMOTE_VIEWER), holds_keys=False)
    keys.check(grant(TypeText(text="0"), Viewer.REMOTE_VIEWER), holds_keys=False)


def test_a_click_with_modifiers_that_the_viewer_takes_is_refused() -> None:
    assert refused(Click(at=NativePoint(1, 1), modifiers=(Key("ctrl"), Key("alt"))), Viewer.VMWARE)


def test_a_plain_window_gets_every_key() -> None:
    ViewerKeys().check(grant(Chord(keys=parse_chord("Ctrl+Alt+G")), WINDOW), holds_keys=False)
