"""The operator's own pointer and keys on a machine over VNC.

What a killed console held down there stays down until the server notices that the connection ended: the ledger, by
which the guard releases, is the injector's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from operator_console.computers.far_input import FarSender
from operator_console.computers.operator_hand import ThreadedHand
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.rfb.input_line import InputLine, release
from operator_console.rfb.login import Login
from operator_console.rfb.machine_keys import MachineKey, character_keys, named_key

_CONNECTED_WITHIN_S = 5.0


class MachineHand(ThreadedHand):
    """The operator's hand on one machine. `layout`: the machine's keyboard layout, by its name in XKB."""

    def __init__(self, login: Login, layout: str) -> None:
        super().__init__(_MachineSender(login, layout))


class _MachineSender(FarSender[InputLine]):
    def __init__(self, login: Login, layout: str) -> None:
        super().__init__()
        self._login = login
        self._layout = layout

    def _open(self) -> InputLine:
        return InputLine.connect(self._login, within_s=_CONNECTED_WITHIN_S)

    def _release_held(self, line: InputLine, keysyms: Sequence[int], mask: int, at: NativePoint) -> None:
        release(line, keysyms, mask, (at.x, at.y))

    def _confirm(self, line: InputLine) -> str:
        if line.takes_positions:
            time.sleep(line.position_pause_s())
            return ""
        return super()._confirm(line)

    def _named_key(self, line: InputLine, name: Key) -> MachineKey | None:
        return named_key(name, self._layout)

    def _chord_character(self, line: InputLine, name: Key) -> MachineKey | None:
        key = named_key(name, self._layout)
        return None if key is None or (line.takes_positions and not key.scancode) else key

    def _character_keys(self, line: InputLine, character: str) -> tuple[MachineKey, ...]:
        return character_keys(character, self._layout, positions=line.takes_positions)

    def _no_way(self, text: str) -> str:
        return notice(NoticeCode.NO_KEY_AND_NO_CLIPBOARD, layout=self._layout, characters=text)
