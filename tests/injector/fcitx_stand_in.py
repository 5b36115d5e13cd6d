"""What answers for fcitx5 on a session bus of the test's own: fields, and whether each composes."""

from __future__ import annotations

import threading
from typing import Any

from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from operator_console.desktop import fcitx


class StandIn:
    """`active`: the fields that compose; `focus`: the one that has it. `hangs`: it has its name and says nothing."""

    def __init__(self, address: str, *, display: str, hangs: bool = False) -> None:
        self.active: set[str] = set()
        self.focus = "a"
        self.first, self.other = "keyboard-us", "pinyin"
        self.display = display
        self.asked: list[str] = []
        self._hangs = hangs
        self._connection = open_dbus_connection(address)
        self._connection.send_and_get_reply(message_bus.RequestName(fcitx.SERVICE))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._connection.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            try:
                message = self._connection.receive(timeout=0.02)
            except TimeoutError:
                continue
            if message.header.message_type is MessageType.method_call:
                member = message.header.fields[HeaderFields.member]
                self.asked.append(member)
                if not self._hangs:
                    self._connection.send(self._answer(message, member))

    def _answer(self, message: Any, member: str) -> Any:
        match member:
            case "State":
                return new_method_return(message, "i", (2 if self.focus in self.active else 1,))
            case "CurrentInputMethod":
                return new_method_return(message, "s", (self.other if self.focus in self.active else self.first,))
            case "DebugInfo":
                return new_method_return(message, "s", (self._fields(),))
            case _:
                return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")

    def _fields(self) -> str:
        lines = (
            f"  IC [{name}] program:editor frontend:dbus cap:6000000012 focus:{int(name == self.focus)}\n"
            for name in ("a", "b")
        )
        return f"Group [x11:{self.display}] has 2 InputContext(s)\n{''.join(lines)}Input Context without group\n"
