"""IBus: the address of a display's daemon, and the values that it exchanges with engines.

Makes no calls. Sources: IBus 1.5 (src/ibusshare.c for the
address, src/ibus*.c for the serialised values).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SERVICE, PATH = "org.freedesktop.IBus", "/org/freedesktop/IBus"
ENGINE = "org.freedesktop.IBus.Engine"
CONTEXT = "org.freedesktop.IBus.InputContext"
PROPERTIES = "org.freedesktop.DBus.Properties"
NOBODY = "fake"
"""The client that the daemon reports if no application's field has the focus."""

RELEASED = 1 << 30
"""Flag in the state of a key event: the key was released."""

KEYCODE_OFFSET = 8
"""Difference between X keycodes and the kernel's."""

WATCHED = (
    *(f"type='signal',interface='{CONTEXT}',member='{name}'"
      for name in ("UpdatePreeditText", "UpdatePreeditTextWithMode", "HidePreeditText")),
    *(f"type='method_call',interface='{CONTEXT}',member='{name}'" for name in ("FocusOut", "Reset")),
)  # fmt: skip
"""Match rules for the messages that tell whether text is being composed."""

_MACHINE_IDS = (Path("/var/lib/dbus/machine-id"), Path("/etc/machine-id"))

Value = tuple[str, Any]
"""A variant: its D-Bus signature and value."""


def address(display: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The address of the display's IBus daemon, None if there is none."""
    if environ.get("IBUS_ADDRESS"):
        return environ["IBUS_ADDRESS"]
    try:
        return address_in(address_file(display, environ).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def address_file(display: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The file in which the daemon of an X display writes its address."""
    if environ.get("IBUS_ADDRESS_FILE"):
        return Path(environ["IBUS_ADDRESS_FILE"])
    host, _, number = display.rpartition(":")
    config = environ.get("XDG_CONFIG_HOME") or str(Path(environ.get("HOME") or "~").expanduser() / ".config")
    return Path(config) / "ibus" / "bus" / f"{_machine_id()}-{host or 'unix'}-{number.partition('.')[0]}"


def address_in(text: str) -> str | None:
    """The address in such a file, None if the daemon no longer runs."""
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    named = {name: value.strip() for name, _, value in lines}
    pid = named.get("IBUS_DAEMON_PID", "")
    if pid.isdigit() and not Path(f"/proc/{pid}").exists():
        return None
    return named.get("IBUS_ADDRESS") or None


def _machine_id() -> str:
    for path in _MACHINE_IDS:
        try:
            return path.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            continue
    return "machine-id"


def composes(engine: str) -> bool:
    """Whether an engine may turn keys into other text: all except plain keyboard layouts."""
    return bool(engine) and not engine.startswith("xkb:")


def name_of_engine(value: Value) -> str:
    """The name in a serialised IBusEngineDesc, "" if the value is not one."""
    signature, fields = value
    if signature == "v":
        return name_of_engine(fields)
    good = isinstance(fields, tuple) and len(fields) > 2 and fields[0] == "IBusEngineDesc"
    return str(fields[2]) if good else ""


def shows_preedit(member: str, body: tuple[Any, ...]) -> bool | None:
    """Whether text is being composed after this message; None if the message does not change that."""
    match member:
        case "UpdatePreeditText" | "UpdatePreeditTextWithMode" if len(body) > 2:
            _, fields = body[0]
            return bool(body[2]) and isinstance(fields, tuple) and len(fields) > 2 and bool(fields[2])
        case "HidePreeditText" | "FocusOut" | "Reset":
            return False
        case _:
            return None


def text(characters: str) -> Value:
    """An IBusText without attributes."""
    return "(sa{sv}sv)", ("IBusText", {}, characters, ("(sa{sv}av)", ("IBusAttrList", {}, [])))


def component(name: str, title: str) -> Value:
    """An IBusComponent with one engine of that name, which keeps the keyboard layout."""
    engine = ("IBusEngineDesc", {}, name, title, title, "other", "", "", "", "default", 0, *[""] * 8)
    described = ("(sa{sv}" + "s" * 8 + "u" + "s" * 8 + ")", engine)
    fields: tuple[Any, ...] = ("IBusComponent", {}, f"{SERVICE}.{name}", title, "", "", "", "", "", "", [], [described])
    return "(sa{sv}" + "s" * 8 + "avav)", fields
