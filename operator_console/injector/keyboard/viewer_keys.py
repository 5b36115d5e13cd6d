"""Keys that a viewer takes for itself. The machine would not get them, and some leave full screen, end the viewer, or
show another of its consoles: they are refused before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from operator_console.domain.actions import Action, Chord, Click, Drag, HoldKeys, KeyDown, KeyUp, Scroll, TypeText
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import VmTarget
from operator_console.domain.grants import Grant
from operator_console.domain.keys import Key, show_keys
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.viewer_names import Viewer
from operator_console.injector.action_errors import Refused

_DIGITS = "1 2 3 4 5 6 7 8 9"


def _with(modifiers: str, keys: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset((*modifiers.split("+"), key)) for key in keys.split())


_TAKEN: Mapping[Viewer, tuple[frozenset[str], ...]] = MappingProxyType(
    {
        # Accelerators of gd_create_menus in ui/gtk.c; all but Q seen.
        Viewer.QEMU_GTK: _with("ctrl+alt", f"f g m q + = - 0 {_DIGITS}"),
        # handle_keydown in ui/sdl2.c.
        Viewer.QEMU_SDL: _with("ctrl+alt", f"f g u {_DIGITS}"),
        # Seen; also while it grabs the keyboard.
        Viewer.REMOTE_VIEWER: (frozenset(("f11",)), *_with("ctrl", "+ - 0 kp_add kp_subtract")),
        # Its shortcuts are off while the machine has the keyboard (virtManager/details/viewers.py).
        Viewer.VIRT_MANAGER: (),
        # on_key_pressed in src/app-window.vala.
        Viewer.BOXES: (frozenset(("f11",)),),
        # The host key as it is delivered; every shortcut begins with it.
        Viewer.VIRTUALBOX: (frozenset(("ctrl_r",)),),
        # VMware's manual, "Use Keyboard Shortcuts": Ctrl+Alt releases the machine, alone and with another key.
        Viewer.VMWARE: (frozenset(("ctrl", "alt")),),
        # The host key as it is delivered.
        Viewer.REMMINA: (frozenset(("ctrl_r",)),),
        # xf_keyboard_handle_special_keys in client/X11/xf_keyboard.c.
        Viewer.FREERDP: (frozenset(("ctrl_r",)), *_with("ctrl+alt", "enter c d m")),
        # F8 until 1.15, Ctrl+Alt since (vncviewer/DesktopWindow.cxx, Viewport.cxx).
        Viewer.TIGERVNC: (frozenset(("f8",)), *_with("ctrl+alt", "enter g m")),
    }
)
_LEFT = {"ctrl_r": "ctrl", "shift_r": "shift", "super_r": "super"}


class ViewerKeys:
    """Knows which keys actions of grants hold down."""

    def __init__(self) -> None:
        self._held: set[Key] = set()

    def check(self, grant: Grant, *, holds_keys: bool) -> None:
        """Before an action.

        Args:
            grant: the action's.
            holds_keys: whether any key is held down.

        Raises:
            Refused: with what is held it would press keys that the viewer of its target takes.
        """
        if not isinstance(grant.target, VmTarget):
            return
        if not holds_keys:
            self._held.clear()
        action = grant.action
        if isinstance(action, KeyUp):
            self._held.discard(action.key)
            return
        for pressed in _pressed(action):
            _require_passed_on(grant.target.viewer, (*self._held, *pressed))
        if isinstance(action, KeyDown):
            self._held.add(action.key)


def _pressed(action: Action) -> list[tuple[Key, ...]]:
    """What it presses at once, one after the other."""
    match action:
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return [keys]
        case KeyDown(key=key):
            return [(key,)]
        case Click(modifiers=modifiers) | Drag(modifiers=modifiers) | Scroll(modifiers=modifiers):
            return [modifiers]
        case TypeText(text=text, submit=submit):
            return [*((Key(each),) for each in dict.fromkeys(text.lower())), *([(Key("enter"),)] if submit else [])]
        case _:
            return []


def _require_passed_on(viewer: Viewer, keys: tuple[Key, ...]) -> None:
    down = {name for key in keys for name in (key, _LEFT.get(key, key))}
    if any(taken <= down for taken in _TAKEN[viewer]):
        raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.VIEWER_TAKES_KEYS, keys=show_keys(keys)))
