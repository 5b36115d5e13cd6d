"""The keys, buttons and keyboard mapping of a display as its server holds them: the part of Desktop that reads them."""

from __future__ import annotations

import contextlib
import enum
import subprocess
from collections.abc import Iterator
from typing import Any

import xcffib.xinput
import xcffib.xkb
import xcffib.xproto
from Xlib import XK, X
from Xlib.ext import xtest

from tests.display.rig.processes import RigError
from tests.display.rig.server import XServer
from tests.display.rig.xkb_locks import Locks, set_locks

_XI_ALL_MASTER_POINTER = 2
_PLAIN_LAYOUT = ("us", "", "")
_CORE_KEYBOARD, _KEY_SYMBOLS, _CHANGE_ENABLED = 0x100, 2, 1 << 31


class KeyControl(enum.IntFlag):
    """XKB's boolean controls of these names."""

    SLOW_KEYS = 1 << 1
    BOUNCE_KEYS = 1 << 2
    STICKY_KEYS = 1 << 3


class Inputs:
    """State of one display's keyboard and pointer, read from the server each time."""

    server: XServer
    _display: Any
    _xcb: Any
    _plain_mapping: list[tuple[int, ...]]

    def keycode(self, symbol: str) -> int:
        """The keycode that carries an X keysym name (``Control_L``, ``x``) in the current mapping."""
        wanted = XK.string_to_keysym(symbol)
        # Asked of the server each time: python-xlib's own table is that of when it connected.
        for index, symbols in enumerate(self.keyboard_mapping()):
            if wanted and wanted in symbols:
                return int(self._display.display.info.min_keycode) + index
        raise RigError(f"no key carries {symbol}")

    def keys_down(self) -> list[int]:
        """Keycodes that the server holds down."""
        keymap = self._display.query_keymap()
        return [byte * 8 + bit for byte in range(32) for bit in range(8) if keymap[byte] & (1 << bit)]

    def buttons_down(self) -> list[int]:
        """Buttons that the server holds down, 8 and 9 and beyond included (XInput2)."""
        xinput = self._xcb(xcffib.xinput.key)
        root = self._xcb.get_setup().roots[0].root
        reply = xinput.XIQueryPointer(root, _XI_ALL_MASTER_POINTER).reply()
        words = list(reply.buttons)
        return [w * 32 + bit for w, word in enumerate(words) for bit in range(32) if word & (1 << bit)]

    def pointer(self) -> tuple[int, int]:
        reply = self._display.screen().root.query_pointer()
        return int(reply.root_x), int(reply.root_y)

    def modifier_state(self) -> int:
        """Modifier and lock bits (ShiftMask, LockMask, ...) without buttons."""
        return int(self._display.screen().root.query_pointer().mask) & 0xFF

    def keyboard_mapping(self) -> list[tuple[int, ...]]:
        """The whole core keyboard mapping, to be compared before and after."""
        info = self._display.display.info
        return [
            tuple(k)
            for k in self._display.get_keyboard_mapping(info.min_keycode, info.max_keycode - info.min_keycode + 1)
        ]

    def set_layout(self, *args: str) -> None:
        """``setxkbmap`` on this display, e.g. ``set_layout("us,ru", "-option", "grp:caps_toggle")``."""
        subprocess.run(["setxkbmap", *args], env=self.server.env, check=True, capture_output=True, timeout=30)

    def physical_keyboard(self) -> int:
        """The id of the keyboard that a person of a nested desktop types on."""
        devices = self._xcb(xcffib.xinput.key).XIQueryDevice(0).reply().infos
        slave = xcffib.xinput.DeviceType.SlaveKeyboard
        return next(int(each.deviceid) for each in devices if each.type == slave and b"XTEST" not in each.name.raw)

    def symbols_of(self, keyboard: int) -> list[tuple[int, ...]]:
        """The symbols of each key of a keyboard, by its id."""
        reply = self._xkb().GetMap(keyboard, _KEY_SYMBOLS, 0, *[0] * 15).reply()
        return [tuple(key.syms) for key in reply.syms_rtrn]

    def key_controls(self) -> KeyControl:
        """Which of them are on."""
        reply = self._xkb().GetControls(_CORE_KEYBOARD).reply()
        return KeyControl(reply.enabledControls & sum(KeyControl))

    @contextlib.contextmanager
    def with_key_controls(self, controls: KeyControl, *, delay_ms: int = 30) -> Iterator[None]:
        """With these on, and no others: ``delay_ms`` before a key counts, or before it counts again."""
        self._set_key_controls(controls, delay_ms)
        try:
            yield
        finally:
            self._set_key_controls(KeyControl(0), 300)

    def _set_key_controls(self, controls: KeyControl, delay_ms: int) -> None:
        changed = _CHANGE_ENABLED | KeyControl.SLOW_KEYS | KeyControl.BOUNCE_KEYS
        delays = (0, 0, delay_ms, delay_ms)
        self._xkb().SetControls(
            _CORE_KEYBOARD, *[0] * 11, sum(KeyControl), controls, changed, *delays, *[0] * 10, [0] * 32
        )
        self._xcb.core.GetInputFocus().reply()

    def _xkb(self) -> Any:
        extension = self._xcb(xcffib.xkb.key)
        extension.UseExtension(1, 0).reply()
        return extension

    def release_all(self) -> None:
        """Releases every key and button that is down, and lock modifiers: the state a test starts from."""
        for code in self.keys_down():
            xtest.fake_input(self._display, X.KeyRelease, code)
        for button in self.buttons_down():
            xtest.fake_input(self._display, X.ButtonRelease, button)
        self._display.sync()
        set_locks(self.server.name, Locks())

    @contextlib.contextmanager
    def keyboard_grabbed(self) -> Iterator[None]:
        """Another client holds the whole keyboard, as a menu or a screen locker does."""
        root = self._display.screen().root
        grabbed = root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        if grabbed != X.GrabSuccess:
            raise RigError(f"the keyboard could not be grabbed: {grabbed}")
        try:
            yield
        finally:
            self._display.ungrab_keyboard(X.CurrentTime)
            self._display.sync()

    def restore_keyboard(self) -> None:
        """Back to the layout and mapping that the display started with, if a test changed them."""
        if self._layout() != _PLAIN_LAYOUT or self.keyboard_mapping() != self._plain_mapping:
            self.set_layout("-layout", "us", "-option", "")

    def _layout(self) -> tuple[str, ...]:
        """Layout, variant and options as setxkbmap left them for others to read (`_XKB_RULES_NAMES` of libxkbfile)."""
        atom = self._display.intern_atom("_XKB_RULES_NAMES")
        found = self._display.screen().root.get_full_property(atom, X.AnyPropertyType)
        return tuple(found.value.decode().split("\0")[2:5]) if found is not None else _PLAIN_LAYOUT
