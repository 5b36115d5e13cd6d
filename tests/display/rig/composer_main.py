"""A composing engine for IBus: letters wait in a preedit, space or Enter commits them as something else.

What pinyin, anthy or hangul do to keys, in the smallest form. Runs under Debian's Python with libibus, started by
ibus-daemon from the component file that input_method.py writes.
"""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("IBus", "1.0")
from gi.repository import GLib, GObject, IBus  # noqa: E402

_KEPT = IBus.ModifierType.CONTROL_MASK | IBus.ModifierType.MOD1_MASK | IBus.ModifierType.RELEASE_MASK


class Composer(IBus.Engine):  # type: ignore[misc]
    """Letters are composed; anything else ends it."""

    __gtype_name__ = "RigComposer"

    def __init__(self, **properties: Any) -> None:
        super().__init__(**properties)
        self._held = ""

    def do_process_key_event(self, keyval: int, _keycode: int, state: int) -> bool:
        if state & _KEPT:
            return False
        character = IBus.keyval_to_unicode(keyval)
        if character.isalpha():
            self._held += character
            self._show()
            return True
        if self._held and keyval in {IBus.KEY_space, IBus.KEY_Return}:
            self.commit_text(IBus.Text.new_from_string(f"«{self._held}»"))
            self._held = ""
            self._show()
            return True
        return False

    def do_reset(self) -> None:
        self._held = ""
        self._show()

    def do_focus_out(self) -> None:
        self.do_reset()

    def _show(self) -> None:
        self.update_preedit_text(IBus.Text.new_from_string(self._held), len(self._held), bool(self._held))


def main() -> None:
    IBus.init()
    bus = IBus.Bus()
    loop = GLib.MainLoop()
    bus.connect("disconnected", lambda _bus: loop.quit())
    factory = IBus.Factory.new(bus.get_connection())
    factory.add_engine(sys.argv[2], GObject.type_from_name("RigComposer"))
    bus.request_name(sys.argv[1], 0)
    loop.run()


if __name__ == "__main__":
    main()
