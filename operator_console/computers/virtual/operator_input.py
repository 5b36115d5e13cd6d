"""The operator's own pointer and keys on an isolated desktop of the console's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from operator_console.computers.far_input import FarSender
from operator_console.desktop.protocols import DesktopInput
from operator_console.domain.actions import Button
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.rfb.machine_keys import BUTTON_NUMBERS, MachineKey

_CONTROLS = {"\n": Key("enter"), "\t": Key("tab"), " ": Key("space")}


class DesktopSender(FarSender[DesktopInput]):
    """Sends to the desktop that `open_input` connects to. Nothing is open until something is sent."""

    buttons: Mapping[Button, int] = {**BUTTON_NUMBERS, Button.FORWARD: 9}

    def __init__(self, open_input: Callable[[], DesktopInput]) -> None:
        super().__init__()
        self._open_input = open_input

    def _open(self) -> DesktopInput:
        return self._open_input()

    def _release_held(self, line: DesktopInput, keysyms: Sequence[int], mask: int, at: NativePoint) -> None:
        """Nothing: a connection is lost with the desktop."""

    def _named_key(self, line: DesktopInput, name: Key) -> MachineKey | None:
        keycode = line.named(name)
        if keycode is None:
            return None
        return MachineKey(keysym=keycode, above=keycode, scancode=keycode, shift=name in ("shift", "shift_r"))

    def _character_keys(self, line: DesktopInput, character: str) -> tuple[MachineKey, ...]:
        if character in _CONTROLS:
            key = self._named_key(line, _CONTROLS[character])
            return () if key is None else (key,)
        found = line.character(character)
        if found is None:
            return ()
        keycode, shifted = found
        holding = (Key("shift"),) if shifted else ()
        return (MachineKey(keysym=keycode, above=0, scancode=keycode, holding=holding),)

    def _write(self, line: DesktopInput, text: str) -> str:
        """One character after the other: looking one up may give a keycode to it."""
        for each in text:
            self._require()
            if trouble := super()._write(line, each):
                return trouble
        return ""

    def _no_way(self, text: str) -> str:
        return notice(NoticeCode.NO_KEY_AND_NO_CLIPBOARD, layout="", characters=text)
