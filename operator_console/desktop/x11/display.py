"""A connection to an X server: requests, properties, events, and errors when it is lost.

One connection per thread: nothing here locks. Not here: windows (windows.py), pixels (pixels.py), keyboard mappings
(input_*.py).
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.geometry import Rect

# Our name: (xcffib's module, the server's name), the arguments of QueryVersion.
_EXTENSIONS: dict[str, tuple[tuple[str, str], tuple[int, ...]]] = {
    "composite": (("composite", "Composite"), (0, 4)),
    "damage": (("damage", "DAMAGE"), (1, 1)),
    "dpms": (("dpms", "DPMS"), (1, 1)),
    "randr": (("randr", "RANDR"), (1, 5)),
    "resource": (("res", "X-Resource"), (1, 2)),
    "screensaver": (("screensaver", "MIT-SCREEN-SAVER"), (1, 1)),
    "shape": (("shape", "SHAPE"), ()),
    "shm": (("shm", "MIT-SHM"), ()),
    "fixes": (("xfixes", "XFIXES"), (5, 0)),
}
_PROPERTY_WORDS = 4096
_CW_EVENT_MASK = 2048


class Display:
    """An open connection.

    Attributes:
        name: as it was opened (":0").
        core: the core protocol's requests (xcffib).
        root: the root window's id.
    """

    def __init__(self, name: str | None = None) -> None:
        """Opens `name`, or $DISPLAY. Raises ComputerUnavailable (no display) where that fails."""
        xcffib = _xcffib()
        self.name = os.environ.get("DISPLAY", "") if name is None else name
        self._refused: type[Exception] = xcffib.Error
        self._failed: type[Exception] = xcffib.XcffibException
        if not self.name:
            raise no_display(self.name)
        try:
            self.connection: Any = xcffib.Connection(display=self.name)
        except (xcffib.XcffibException, OSError) as error:
            raise no_display(self.name) from error
        self.core: Any = self.connection.core
        screen = self.connection.get_screen_pointers()[self.connection.pref_screen]
        self.root: int = screen.root
        self._extensions: dict[str, Any] = {}
        self._atoms: dict[str, int] = {}
        self._atom_names: dict[int, str] = {}
        self._masks: dict[int, int] = {}
        self._hearers: list[Callable[[Any], None]] = []

    def extension(self, name: str) -> Any | None:
        """The requests of an extension ("composite"), its version agreed; None where the server lacks it."""
        if name not in self._extensions:
            self._extensions[name] = self._open_extension(name)
        return self._extensions[name]

    def _open_extension(self, name: str) -> Any | None:
        module, version = _EXTENSIONS[name]
        if not self.core.QueryExtension(len(module[1]), module[1]).reply().present:
            return None
        found = self.connection(getattr(_xcffib(), module[0]).key)
        ask = found.GetVersion if name == "dpms" else found.QueryVersion
        return found if self.answer(ask(*version)) is not None else None

    def atom(self, name: str) -> int:
        """An atom's number, made where it did not exist."""
        if name not in self._atoms:
            self._atoms[name] = int(self.core.InternAtom(False, len(name), name).reply().atom)
        return self._atoms[name]

    def atom_name(self, atom: int) -> str:
        """What an atom stands for; asked once, because that never changes while anybody is connected."""
        if atom not in self._atom_names:
            name = self.core.GetAtomName(atom).reply().name.buf()
            self._atom_names[atom] = bytes(name).decode("utf-8", "replace")
        return self._atom_names[atom]

    def ask(self, window: int, name: str) -> Any:
        """Request a property; `words` or `text` reads the answer. Several requests pipeline well."""
        return self.core.GetProperty(False, window, self.atom(name), 0, 0, _PROPERTY_WORDS)

    def words(self, cookie: Any) -> tuple[int, ...]:
        """A 32-bit property's values; empty where it is absent or the window is gone."""
        reply = self.answer(cookie)
        if reply is None or reply.format != 32:
            return ()
        return tuple(memoryview(reply.value.buf()).cast("I"))

    def text(self, cookie: Any) -> bytes:
        """An 8-bit property's bytes; empty where it is absent or the window is gone."""
        reply = self.answer(cookie)
        return b"" if reply is None or reply.format != 8 else bytes(reply.value.buf())

    def answer(self, cookie: Any) -> Any | None:
        """A request's reply, None where the server refused it (the window is gone).

        Raises ComputerUnavailable (no display) where the connection is lost.
        """
        try:
            return cookie.reply()
        except self._refused:
            return None
        except self._failed as error:
            raise lost_display(self.name) from error

    def image(self, drawable: int, part: Rect) -> tuple[int, bytearray] | None:
        """Depth and pixels of a part of a drawable, sent over the connection; None where it is gone or smaller.

        Reads the reply's bytes: xcffib's own GetImageReply makes a list of integers first, 25 times as slow.
        """
        z_pixmap, all_planes, header_bytes = 2, 0xFFFFFFFF, 32
        asked = self.core.GetImage(z_pixmap, drawable, part.x, part.y, part.width, part.height, all_planes)
        try:
            reply = self.connection.wait_for_reply(asked.sequence)
        except self._refused:
            return None
        except self._failed as error:
            raise lost_display(self.name) from error
        data = memoryview(_xcffib().ffi.buffer(reply.cdata, header_bytes + part.width * part.height * 4)).cast("B")
        return data[1], bytearray(data[header_bytes:])

    def done(self, cookie: Any) -> bool:
        """Whether a request without an answer (sent checked) was carried out; waits for the server."""
        try:
            cookie.check()
        except self._refused:
            return False
        except self._failed as error:
            raise lost_display(self.name) from error
        return True

    def sync(self) -> None:
        """Return when the server has done everything asked so far."""
        self.answer(self.core.GetInputFocus())

    def flush(self) -> None:
        """Send what is buffered."""
        self.connection.flush()

    def made(self, window: int) -> bool:
        """Whether this connection made the window."""
        setup = self.connection.setup
        return bool(window & ~setup.resource_id_mask == setup.resource_id_base)

    def listen(self, window: int, mask: int) -> None:
        """Receive these events of a window too (what was selected before stays selected)."""
        self._masks[window] = self._masks.get(window, 0) | mask
        self.core.ChangeWindowAttributes(window, _CW_EVENT_MASK, [self._masks[window]])

    def subscribe(self, hear: Callable[[Any], None]) -> Callable[[], None]:
        """Hand every event to `hear` while `pump` or `wait` runs; the returned callable ends that."""
        self._hearers.append(hear)
        return lambda: self._hearers.remove(hear)

    def pump(self) -> int:
        """Hand out what has arrived, without waiting; how many events. Errors nobody waited for are dropped."""
        count = 0
        while True:
            try:
                event = self.connection.poll_for_event()
            except self._refused:
                continue
            except self._failed as error:
                raise lost_display(self.name) from error
            if event is None:
                return count
            count += 1
            for hear in tuple(self._hearers):
                hear(event)

    def wait(self, timeout_s: float, also: int | None = None) -> int:
        """As pump, but waits up to `timeout_s` for something to arrive (or for `also` to become readable)."""
        self.flush()
        count = self.pump()
        if count or timeout_s <= 0:
            return count
        watched = [self.connection.get_file_descriptor(), *([also] if also is not None else [])]
        select.select(watched, [], [], timeout_s)
        return self.pump()

    def wait_until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Whether `condition` came true in time; it is asked again after each event."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.wait(min(left, 0.25))
        return True

    def close(self) -> None:
        """Disconnect; a second time does nothing."""
        self._hearers.clear()
        self.connection.disconnect()


@contextmanager
def losing(display: Display) -> Iterator[None]:
    """Any request of this block that fails because the connection broke raises ComputerUnavailable (no display)."""
    xcffib = _xcffib()
    try:
        yield
    except xcffib.Error:
        raise
    except xcffib.XcffibException as error:
        raise lost_display(display.name) from error


def _xcffib() -> Any:
    """xcffib with the extensions used here, all loaded before the first connection (it learns their events then)."""
    import xcffib
    import xcffib.composite
    import xcffib.damage
    import xcffib.dpms
    import xcffib.randr
    import xcffib.res
    import xcffib.screensaver
    import xcffib.shape
    import xcffib.shm
    import xcffib.xfixes
    import xcffib.xproto

    return xcffib


def no_display(name: str) -> ComputerUnavailable:
    """The error for a display that cannot be opened."""
    return ComputerUnavailable(
        f"The display {name} cannot be opened." if name else "There is no display.",
        reason=UnavailableReason.NO_DISPLAY,
        detail="No X server answers there, or it does not let this user in.",
        remedy="Start from a desktop session, set DISPLAY, or use the isolated desktop: --target virtual.",
    )


def lost_display(name: str) -> ComputerUnavailable:
    """The error for a display that went away."""
    return ComputerUnavailable(
        f"The display {name} is gone.",
        reason=UnavailableReason.NO_DISPLAY,
        detail="The X server ended or closed the connection.",
        remedy="Start again when the desktop is back.",
    )
