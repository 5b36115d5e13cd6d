"""A fake fcitx5 on a session bus of the test."""

from __future__ import annotations

from typing import Any

from jeepney import HeaderFields, new_error, new_method_return

from operator_console.injector.input_method import fcitx
from tests.servers.message_bus import Service


class StandIn:
    """Two fields, "a" and "b".

    Attributes:
        active: the fields that compose.
        focus: the field with the focus.

    Args:
        hangs: whether it owns its name but never answers.
    """

    def __init__(self, address: str, *, display: str, hangs: bool = False) -> None:
        self.active: set[str] = set()
        self.focus = "a"
        self.first, self.other = "keyboard-us", "pinyin"
        self.display = display
        self.asked: list[str] = []
        self._hangs = hangs
        self._service = Service(address, fcitx.SERVICE, self._heard)

    def close(self) -> None:
        self._service.close()

    def _heard(self, call: Any) -> Any | None:
        member = call.header.fields[HeaderFields.member]
        self.asked.append(member)
        return None if self._hangs else self._answer(call, member)

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
