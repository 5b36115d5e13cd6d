"""The session's accessibility service (org.a11y.Bus): its bus and its switch.

Many applications describe their widgets only while accessibility is switched on (org.a11y.Status). What was changed is
noted in the run folder, so that the next start can put back what a killed process left. Only values that were changed
here and still have the value given here are put back; while another console uses the same session, they stay, and the
last one puts them back.

`IsEnabled` makes GTK, Qt and Java describe their widgets, `ScreenReaderEnabled` also Chromium and Electron. Desktops
that start a screen reader by the latter (GNOME and its relatives, where Orca is installed) would begin to speak, so
there it is left alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from operator_console.perception.accessibility.atspi.connection import BusConnection, BusGone, Call, Failure
from operator_console.perception.accessibility.atspi.vocabulary import PROPERTIES
from operator_console.private_files import lock_file, make_private_folder, open_private

SERVICE = ("org.a11y.Bus", "/org/a11y/bus")
_CALL_S = 2.0


async def session_bus(environ: Mapping[str, str]) -> BusConnection:
    """A connection to the session bus. Raises BusGone."""
    address = environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    if not address:
        raise BusGone("there is no session bus")
    return await BusConnection.connect(address)


async def accessibility_bus(environ: Mapping[str, str]) -> str:
    """The address of the accessibility bus of this session; the service is started by asking. Raises BusGone."""
    given = environ.get("AT_SPI_BUS_ADDRESS", "")
    if given:
        return given
    bus = await session_bus(environ)
    try:
        (answer,) = await bus.ask([Call(*SERVICE, "org.a11y.Bus", "GetAddress")], time.monotonic() + _CALL_S)
    finally:
        bus.close()
    if isinstance(answer, Failure) or not answer[0]:
        raise BusGone("there is no accessibility service")
    return str(answer[0])


STATUS = "org.a11y.Status"
ENABLED, SCREEN_READER = "IsEnabled", "ScreenReaderEnabled"
_MUTEX_S = 5.0
_POLL_S = 0.02
_DESKTOPS_THAT_SPEAK = frozenset(("gnome", "unity", "budgie", "x-cinnamon", "cinnamon", "mate", "pantheon"))


def screen_reader_starts(environ: Mapping[str, str], orca: bool) -> bool:
    """Whether this desktop would start a screen reader when it is told that one is in use."""
    desktops = {name.lower() for name in environ.get("XDG_CURRENT_DESKTOP", "").split(":")}
    return orca and bool(desktops & _DESKTOPS_THAT_SPEAK)


class AccessibilitySwitch:
    """The switch of one session bus. Without a bus its methods do nothing."""

    def __init__(self, folder: Path, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        address = environ.get("DBUS_SESSION_BUS_ADDRESS", "").partition(",guid=")
        name = hashlib.sha256("".join(address).encode()).hexdigest()[:16]
        self._folder = folder
        self._note = folder / f"accessibility-{name}.json"
        self._users = folder / f"accessibility-{name}.users"
        self._mutex = folder / f"accessibility-{name}.lock"
        self._held: int | None = None

    async def on(self) -> None:
        """Switch on what is off, note it, and count as a user of it."""
        wanted = [ENABLED]
        if not screen_reader_starts(self._environ, shutil.which("orca") is not None):
            wanted.append(SCREEN_READER)
        with contextlib.suppress(BusGone, OSError):
            async with self._alone() as bus:
                self._held = lock_file(self._users, shared=True)
                changed = self._changed()
                for name in wanted:
                    if name not in changed and await _value(bus, name) is False:
                        changed.append(name)
                        self._write(changed)  # before the change: a kill in between leaves a note, not a change
                for name in wanted:
                    if name in changed:
                        await _set(bus, name, True)

    async def put_back(self) -> None:
        """Stop being a user; the last one switches off what was switched on and is still on."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
        await self.put_back_leftovers()

    async def put_back_leftovers(self) -> None:
        """Put back what is noted, unless another process uses it."""
        if not self._note.exists():
            return
        with contextlib.suppress(BusGone, OSError):
            async with self._alone() as bus:
                alone = lock_file(self._users)
                if alone is None:
                    return
                try:
                    for name in self._changed():
                        if await _value(bus, name) is True:
                            await _set(bus, name, False)
                    self._note.unlink(missing_ok=True)
                finally:
                    os.close(alone)

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[BusConnection]:
        """The session bus, while no other console changes the switch. Raises BusGone, OSError."""
        make_private_folder(self._folder)
        bus = await session_bus(self._environ)
        try:
            async with asyncio.timeout(_MUTEX_S):
                while (held := lock_file(self._mutex)) is None:  # noqa: ASYNC110 - a file lock has no event
                    await asyncio.sleep(_POLL_S)
            try:
                yield bus
            finally:
                os.close(held)
        finally:
            bus.close()

    def _changed(self) -> list[str]:
        """What is noted as switched on by a console."""
        try:
            noted = json.loads(self._note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return [name for name in (ENABLED, SCREEN_READER) if isinstance(noted, list) and name in noted]

    def _write(self, changed: list[str]) -> None:
        with os.fdopen(open_private(self._note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as note:
            json.dump(changed, note)


async def _value(bus: BusConnection, name: str) -> bool | None:
    call = Call(*SERVICE, PROPERTIES, "Get", "ss", (STATUS, name))
    (answer,) = await bus.ask([call], time.monotonic() + _CALL_S)
    return None if isinstance(answer, Failure) else bool(answer[0][1])


async def _set(bus: BusConnection, name: str, value: bool) -> None:
    call = Call(*SERVICE, PROPERTIES, "Set", "ssv", (STATUS, name, ("b", value)))
    await bus.ask([call], time.monotonic() + _CALL_S)
