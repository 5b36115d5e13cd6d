"""A connection to an X server: requests, properties, events, and the error for a lost connection.

A connection belongs to one thread: nothing here locks.
"""

from __future__ import annotations

import os
import re
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from operator_console.desktop.x11.xcffib_loading import prepare_xcffib
from operator_console.domain.display_names import normal_display
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_LATIN_1 = "iso8859-1"
_HIGH = {
    b"\x1b-A": _LATIN_1, b"\x1b-B": "iso8859-2", b"\x1b-C": "iso8859-3", b"\x1b-D": "iso8859-4", b"\x1b-F": "iso8859-7",
    b"\x1b-G": "iso8859-6", b"\x1b-H": "iso8859-8", b"\x1b-L": "iso8859-5", b"\x1b-M": "iso8859-9",
    b"\x1b-T": "iso8859-11", b"\x1b-V": "iso8859-10", b"\x1b-Y": "iso8859-13", b"\x1b-_": "iso8859-14",
    b"\x1b-b": "iso8859-15", b"\x1b-f": "iso8859-16", b"\x1b)I": "shift_jis",
    b"\x1b$)A": "gb2312", b"\x1b$)B": "euc_jp", b"\x1b$)C": "euc_kr",
}  # fmt: skip
"""Codecs for the bytes above 0x80. Half-width katakana have the same numbers in Shift JIS."""
_LOW = {
    b"\x1b(B": "ascii", b"\x1b(J": "ascii", b"\x1b$(A": "gb2312", b"\x1b$(B": "euc_jp", b"\x1b$(C": "euc_kr",
}  # fmt: skip
"""Codecs for the bytes below 0x80; those of two bytes a character know them with the high bit set."""
_UTF_8, _UTF_8_END = b"\x1b%G", b"\x1b%@"
_TO_HIGH = bytes(byte | 0x80 for byte in range(256))
_ESCAPE = re.compile(rb"(\x1b[\x20-\x2f]+[\x30-\x7e])")
_RUN = re.compile(rb"[\x00-\x20]+|[\x21-\x7f]+|[\x80-\xff]+")


def compound_text(text: bytes) -> str:
    """The text of a property of type COMPOUND_TEXT, such as the titles of xterm.

    It is cut into runs by escape sequences, each of which names the character set of the bytes below or above 0x80
    that follow (Compound Text Encoding 1.1, X Consortium Standard). Characters of other sets become U+FFFD; a text
    without escape sequences is Latin-1.
    """
    low: str | None = "ascii"
    high: str | None = _LATIN_1
    utf_8 = False
    parts: list[str] = []
    for piece in _ESCAPE.split(text):
        if _ESCAPE.fullmatch(piece):
            utf_8 = piece == _UTF_8
            if piece in _HIGH:
                high = _HIGH[piece]
            elif piece in _LOW:
                low = _LOW[piece]
            elif piece.startswith((b"\x1b-", b"\x1b)", b"\x1b$)")):
                high = None
            elif piece not in (_UTF_8, _UTF_8_END):
                low = None
        elif utf_8:
            parts.append(piece.decode("utf-8", "replace"))
        else:
            parts += (_decode_run(run, low, high) for run in _RUN.findall(piece))
    return "".join(parts)


def _decode_run(run: bytes, low: str | None, high: str | None) -> str:
    if run[0] <= 0x20:
        return run.decode("ascii")
    codec = high if run[0] >= 0x80 else low
    if codec is None:
        return "\ufffd"
    if run[0] < 0x80 and codec != "ascii":
        run = run.translate(_TO_HIGH)
    return run.decode(codec, "replace")


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
        name: the name by which it was opened (":0").
        core: the core protocol's requests (xcffib).
        root: the root window's id.
    """

    def __init__(self, name: str | None = None) -> None:
        """Connect to `name`, or $DISPLAY. Raises ComputerUnavailable (no display) if that fails."""
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
        self._listeners: list[Callable[[Any], None]] = []

    def extension(self, name: str) -> Any | None:
        """The requests of an extension ("composite"), after negotiating its version; None if the server lacks it."""
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
        """The number of an atom, which is created if necessary."""
        if name not in self._atoms:
            self._atoms[name] = int(self.core.InternAtom(False, len(name), name).reply().atom)
        return self._atoms[name]

    def atom_name(self, atom: int) -> str:
        """The name of an atom. Cached: it does not change while a client is connected."""
        if atom not in self._atom_names:
            name = self.core.GetAtomName(atom).reply().name.buf()
            self._atom_names[atom] = bytes(name).decode("utf-8", "replace")
        return self._atom_names[atom]

    def ask(self, window: int, name: str) -> Any:
        """Request a property; `words`, `text` or `string` reads the reply. Send several requests before reading one."""
        return self.core.GetProperty(False, window, self.atom(name), 0, 0, _PROPERTY_WORDS)

    def words(self, cookie: Any) -> tuple[int, ...]:
        """The values of a 32-bit property; empty if it is absent or the window is gone."""
        reply = self.answer(cookie)
        if reply is None or reply.format != 32:
            return ()
        return tuple(memoryview(reply.value.buf()).cast("I"))

    def text(self, cookie: Any) -> bytes:
        """The bytes of an 8-bit property; empty if it is absent or the window is gone."""
        reply = self.answer(cookie)
        return b"" if reply is None or reply.format != 8 else bytes(reply.value.buf())

    def string(self, cookie: Any) -> str:
        """A text property, decoded by its type (ICCCM 2.7.1); "" if it is absent or the window is gone."""
        reply = self.answer(cookie)
        if reply is None or reply.format != 8:
            return ""
        text = bytes(reply.value.buf())
        if reply.type == self.atom("UTF8_STRING"):
            return text.decode("utf-8", "replace")
        return compound_text(text)  # STRING is the part of it without escape sequences

    def answer(self, cookie: Any) -> Any | None:
        """The reply to a request; None if the server reported an error (the window is gone).

        Raises ComputerUnavailable (no display) if the connection is lost.
        """
        try:
            return cookie.reply()
        except self._refused:
            return None
        except self._failed as error:
            raise lost_display(self.name) from error

    def image(self, drawable: int, part: Rect) -> tuple[int, bytearray] | None:
        """Depth and pixels of a part of a drawable, sent over the connection; None if it is gone or too small.

        The reply is read as bytes: xcffib's GetImageReply builds a list of integers first, which is 25 times as slow.
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
        """Whether a checked request without a reply was successful; waits for the server."""
        try:
            cookie.check()
        except self._refused:
            return False
        except self._failed as error:
            raise lost_display(self.name) from error
        return True

    def sync(self) -> None:
        """Wait until the server has processed all requests so far."""
        self.answer(self.core.GetInputFocus())

    def flush(self) -> None:
        """Send buffered requests."""
        self.connection.flush()

    def created(self, window: int) -> bool:
        """Whether this connection created the window."""
        setup = self.connection.setup
        return bool(window & ~setup.resource_id_mask == setup.resource_id_base)

    def listen(self, window: int, mask: int) -> None:
        """Also receive these events of a window, besides those selected before."""
        self._masks[window] = self._masks.get(window, 0) | mask
        self.core.ChangeWindowAttributes(window, _CW_EVENT_MASK, [self._masks[window]])

    def subscribe(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Pass every event read to `listener`; the returned function ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def pump(self) -> int:
        """Pass on the events that have arrived, without waiting; how many. Errors of unchecked requests are dropped."""
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
            for listener in tuple(self._listeners):
                listener(event)

    def wait(self, timeout_s: float, also: int | None = None) -> int:
        """As `pump`, but waits up to `timeout_s` for an event, or until the descriptor `also` is readable."""
        self.flush()
        count = self.pump()
        if count or timeout_s <= 0:
            return count
        watched = [self.connection.get_file_descriptor(), *([also] if also is not None else [])]
        select.select(watched, [], [], timeout_s)
        return self.pump()

    def wait_until(self, condition: Callable[[], bool], timeout_s: float, *, interval_s: float = 0.25) -> bool:
        """Wait until `condition` is true; whether it became true in time. Checked after each event, and after
        `interval_s` without one."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.wait(min(left, interval_s))
        return True

    def close(self) -> None:
        """Disconnect. A second call does nothing."""
        self._listeners.clear()
        self.connection.disconnect()


@contextmanager
def losing(display: Display) -> Iterator[None]:
    """In this context any failure of the connection raises ComputerUnavailable (no display)."""
    xcffib = _xcffib()
    try:
        yield
    except xcffib.Error:
        raise
    except xcffib.XcffibException as error:
        raise lost_display(display.name) from error


def _xcffib() -> Any:
    """xcffib with its extensions, loaded before the first connection because that registers their events."""
    prepare_xcffib()
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
    if name and answers(name):
        file = os.environ.get("XAUTHORITY") or "~/.Xauthority"
        detail, remedy = notice(NoticeCode.X_SERVER_REFUSES_USER, file=file), notice(NoticeCode.SET_XAUTHORITY)
    else:
        detail, remedy = notice(NoticeCode.NO_X_SERVER_ANSWERS), notice(NoticeCode.START_FROM_DESKTOP)
    return ComputerUnavailable(
        notice(NoticeCode.DISPLAY_NOT_OPENED, display=name) if name else notice(NoticeCode.NO_DISPLAY),
        reason=UnavailableReason.NO_DISPLAY,
        detail=detail,
        remedy=remedy,
    )


def answers(name: str) -> bool:
    """Whether an X server takes connections at this display, whomever it lets in. Blocks for up to a second.

    Local ones have a socket in the abstract namespace or in /tmp/.X11-unix, others a port of TCP: 6000 and the
    display's number (X(7), DISPLAY NAMES; libxcb, xcb_util.c).
    """
    host, _colon, rest = normal_display(name).rpartition(":")
    if not rest.isdecimal():
        return False
    path = f"/tmp/.X11-unix/X{rest}"  # noqa: S108 - where X servers listen
    places: list[tuple[int, object]] = [(socket.AF_UNIX, f"\0{path}"), (socket.AF_UNIX, path)]
    if host:
        places = [(socket.AF_INET, (host, 6000 + int(rest)))]
    for family, place in places:
        with socket.socket(family) as tried, suppress(OSError):
            tried.settimeout(1.0)
            tried.connect(place)  # type: ignore[arg-type]
            return True
    return False


def lost_display(name: str) -> ComputerUnavailable:
    """The error for a lost connection."""
    return ComputerUnavailable(
        notice(NoticeCode.DISPLAY_GONE, display=name),
        reason=UnavailableReason.NO_DISPLAY,
        detail=notice(NoticeCode.X_SERVER_ENDED),
        remedy=notice(NoticeCode.START_WHEN_DESKTOP_BACK),
    )
