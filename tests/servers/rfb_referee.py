"""A strict RFB server on loopback: it reads every byte of a client by the standards and writes down each breach.

Written from RFC 6143 and rfbproto, not from the client. It serves several connections, each on a thread, and shows one
picture. Like TigerVNC it answers a request that is not incremental with the size alone where the client understands
ExtendedDesktopSize; what is drawn comes for the next incremental one.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.servers.rfb_encoders import RAW, rectangle, update

SHOWN = 8.0
"""Seconds after which a test that waits for something has failed."""

_CLIPBOARD = 0xC0A1E5CE - (1 << 32)
_KNOWN = {0, 1, 7, 16, -223, -224, -239, -257, -258, -308, -312, _CLIPBOARD}
_TEXT, _CAPS, _REQUEST, _PEEK, _NOTIFY, _PROVIDE = 1, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28


@dataclass(frozen=True, slots=True)
class Key:
    """A key event; with a scancode QEMU's."""

    keysym: int
    down: bool
    scancode: int | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer event."""

    x: int
    y: int
    mask: int


@dataclass(frozen=True, slots=True)
class Request:
    """FramebufferUpdateRequest."""

    incremental: bool
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Encodings:
    """SetEncodings."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fence:
    """ClientFence."""

    flags: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Clipboard:
    """A message of the extended clipboard, with the text that it provides."""

    action: Literal["caps", "request", "notify", "provide"]
    text: str = ""


Said = Key | Pointer | Request | Encodings | Fence | Clipboard


class Breach(Exception):
    """The client broke the protocol."""


@dataclass(slots=True, kw_only=True)
class Rules:
    """How the server behaves.

    Attributes:
        version: what it offers.
        security: types that it offers.
        sub_types: those of VeNCrypt.
        password: of VNC authentication, as the eight bytes of the DES key are made of it.
        response: to `challenge`; what the right password gives.
        user: name and password that VeNCrypt's Plain takes.
        refusal: what is said to another; None: as the standards have it.
        tls: for VeNCrypt.
        fence, extended_size, extended_keys, extended_clipboard: what it says that it can do.
        pointer_mode: 0 relative, 1 absolute; None is not told.
        answers_fences, answers_requests: else it stays silent.
    """

    version: bytes = b"RFB 003.008\n"
    security: tuple[int, ...] = (1,)
    sub_types: tuple[int, ...] = ()
    challenge: bytes = bytes(range(16))
    response: bytes = b""
    user: tuple[bytes, bytes] = (b"", b"")
    refusal: bytes | None = None
    tls: ssl.SSLContext | None = None
    name: bytes = "mäc".encode()
    fence: bool = True
    extended_size: bool = True
    extended_keys: bool = False
    extended_clipboard: bool = False
    pointer_mode: int | None = None
    answers_fences: bool = True
    answers_requests: bool = True


class Referee:
    """The server. Leave it as a context manager: then a breach of any client is raised.

    Attributes:
        port: on 127.0.0.1.
        said: all that clients said after the login, in order.
    """

    def __init__(self, rules: Rules, size: tuple[int, int] = (64, 48)) -> None:
        self.rules = replace(rules)  # a test may change them
        self.size = size
        self.pixels = bytearray(4 * size[0] * size[1])
        self.said: list[Said] = []
        self.clients: list[Client] = []
        self._breaches: list[str] = []
        self._news = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Referee:
        self._start(self._accept)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for client in self.clients:
            client.close()
        for thread in self._threads:
            thread.join(SHOWN)
        if kind is None:
            assert not self._breaches

    def until(self, done: Callable[[], bool]) -> None:
        """Waits until something was said."""
        with self._news:
            assert self._news.wait_for(done, SHOWN), f"said: {self.said}, breaches: {self._breaches}"

    def heard(self, kind: type[Said]) -> list[Said]:
        """What was said of this kind."""
        return [said for said in self.said if isinstance(said, kind)]

    def draw(self, x: int, y: int, width: int, height: int, colour: tuple[int, int, int]) -> None:
        """Changes the picture."""
        with self._news:
            for row in range(y, y + height):
                at = 4 * (row * self.size[0] + x)
                self.pixels[at : at + 4 * width] = bytes((*colour[::-1], 255)) * width
            for client in self.clients:
                client.changed |= {(x + dx, y + dy) for dx in range(width) for dy in range(height)}
                client.serve()

    def resize(self, width: int, height: int) -> None:
        """Gives the screen another size; it is black."""
        with self._news:
            self.size = width, height
            self.pixels = bytearray(4 * width * height)
            for client in self.clients:
                client.changed = {(x, y) for x in range(width) for y in range(height)}
                client.size_due = True
                client.serve()

    def send(self, data: bytes) -> None:
        """Says this to all clients."""
        with self._news:
            for client in self.clients:
                client.send(data)

    def note(self, said: Said) -> None:
        """Writes down what a client said."""
        with self._news:
            self.said.append(said)
            self._news.notify_all()

    def breach(self, what: str) -> None:
        """Writes down a breach."""
        with self._news:
            self._breaches.append(what)
            self._news.notify_all()

    @property
    def lock(self) -> threading.Condition:
        """Held while picture and requests change."""
        return self._news

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name="rfb-referee")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = Client(self, connection)
            with self._news:
                self.clients.append(client)
            self._start(client.run)


@dataclass(slots=True, eq=False)
class Client:
    """One connection."""

    referee: Referee
    connection: socket.socket
    changed: set[tuple[int, int]] = field(default_factory=set)
    requested: set[tuple[int, int]] = field(default_factory=set)
    understood: frozenset[int] = frozenset()
    size_due: bool = False
    ready: bool = False
    sizes: set[tuple[int, int]] = field(default_factory=set)

    def run(self) -> None:
        """Serves it to its end."""
        try:
            self._log_in()
            self._init()
            self.ready = True
            while True:
                self._message()
        except Breach as breach:
            self.referee.breach(str(breach))
        except (OSError, EOFError):
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Ends it."""
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self.connection, socket.SHUT_RDWR)
        if threading.current_thread().name != "MainThread":
            self.connection.close()

    def send(self, data: bytes) -> None:
        """Says it."""
        with contextlib.suppress(OSError):
            self.connection.sendall(data)

    def serve(self) -> None:
        """Sends an update where one is asked for and there is something to tell; the lock is held."""
        if not self.ready or not self.referee.rules.answers_requests or not self.requested:
            return
        width, height = self.referee.size
        if self.size_due:
            self.size_due = False
            self.requested.clear()  # what is drawn comes for the next request
            extended = -308 in self.understood and self.referee.rules.extended_size
            if extended:
                screen = b"\1\0\0\0" + struct.pack(">IHHHHI", 1, 0, 0, width, height, 0)
                self.send(update(rectangle(0, 0, width, height, -308, screen)))
            else:
                self.send(update(rectangle(0, 0, width, height, -223)))
            return
        due = self.changed & self.requested
        if not due:
            return
        self.changed -= due
        self.requested.clear()
        left, top = min(x for x, _ in due), min(y for _, y in due)
        right, bottom = 1 + max(x for x, _ in due), 1 + max(y for _, y in due)
        rows = [
            bytes(self.referee.pixels[4 * (y * width + left) : 4 * (y * width + right)]) for y in range(top, bottom)
        ]
        self.send(update(rectangle(left, top, right - left, bottom - top, RAW, b"".join(rows))))

    # What the client says

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            if not part:
                if data:
                    raise Breach(f"ended within a message, after {data!r}")
                raise EOFError
            data += part
        return data

    def _log_in(self) -> None:
        rules = self.referee.rules
        self.send(rules.version)
        version = self._read(12)
        if version not in (b"RFB 003.003\n", b"RFB 003.007\n", b"RFB 003.008\n") or version > rules.version:
            raise Breach(f"version {version!r}")
        if version == b"RFB 003.003\n":
            self.send(struct.pack(">I", rules.security[0]))
            chosen = rules.security[0]
        else:
            self.send(bytes((len(rules.security), *rules.security)))
            (chosen,) = self._read(1)
            if chosen not in rules.security:
                raise Breach(f"security type {chosen}")
        if chosen == 19:
            chosen = self._vencrypt()
        good = True
        if chosen in (2, 258, 261):
            self.send(rules.challenge)
            good = self._read(16) == rules.response
        if chosen in (256, 259, 262):
            lengths = struct.unpack(">II", self._read(8))
            good = tuple(map(self._read, lengths)) == rules.user
        if not good and rules.refusal is not None:
            self.send(rules.refusal)
            raise EOFError
        if chosen != 1 or version == b"RFB 003.008\n":
            self.send(struct.pack(">I", not good))
        if not good:
            if version == b"RFB 003.008\n":
                self.send(struct.pack(">I", 22) + b"Authentication failure")
            raise EOFError

    def _vencrypt(self) -> int:
        rules = self.referee.rules
        self.send(b"\0\2")
        if self._read(2) != b"\0\2":
            raise Breach("version of VeNCrypt")
        self.send(b"\0" + struct.pack(f">B{len(rules.sub_types)}I", len(rules.sub_types), *rules.sub_types))
        (chosen,) = struct.unpack(">I", self._read(4))
        if chosen not in rules.sub_types:
            raise Breach(f"sub-type {chosen}")
        self.send(b"\1")
        assert rules.tls is not None
        self.connection = rules.tls.wrap_socket(self.connection, server_side=True)
        return int(chosen)

    def _init(self) -> None:
        if self._read(1) != b"\1":
            raise Breach("does not share the machine")
        width, height = self.referee.size
        self.sizes.add((width, height))
        # The format of a machine of another kind: the client must ask for its own.
        self.send(
            struct.pack(
                ">HHBBBBHHHBBB3xI", width, height, 16, 16, 1, 1, 31, 63, 31, 11, 5, 0, len(self.referee.rules.name)
            )
        )
        self.send(self.referee.rules.name)

    def _message(self) -> None:
        (kind,) = self._read(1)
        read: dict[int, Callable[[], Said | None]] = {
            0: self._pixel_format,
            2: self._encodings,
            3: self._request,
            4: self._key,
            5: self._pointer,
            6: self._cut_text,
            248: self._fence,
            255: self._qemu,
        }
        if kind not in read:
            raise Breach(f"message of type {kind}")
        said = read[kind]()
        if said is not None:
            self.referee.note(said)

    def _pixel_format(self) -> None:
        padding, bits, depth, big, true, *rest = struct.unpack(">3sBBBBHHHBBB3s", self._read(19))
        if (padding, bits, depth, big, true) != (bytes(3), 32, 24, 0, 1) or rest != [255, 255, 255, 16, 8, 0, bytes(3)]:
            raise Breach("pixel format")

    def _encodings(self) -> Said:
        padding, count = struct.unpack(">BH", self._read(3))
        numbers = struct.unpack(f">{count}i", self._read(4 * count))
        if padding or len(set(numbers)) != count or not set(numbers) <= _KNOWN or RAW not in numbers:
            raise Breach(f"encodings {numbers}")
        rules = self.referee.rules
        with self.referee.lock:
            self.understood = frozenset(numbers)
            if rules.fence and -312 in numbers:
                self.send(struct.pack(">BxxxIB", 248, 1 << 31, 4) + b"ping")
            if rules.extended_keys and -258 in numbers:
                self.send(update(rectangle(0, 0, *self.referee.size, -258)))
            if rules.pointer_mode is not None and -257 in numbers:
                self.send(update(rectangle(rules.pointer_mode, 0, 0, 0, -257)))
            if rules.extended_clipboard and _CLIPBOARD in numbers:
                flags = _CAPS | _REQUEST | _NOTIFY | _PROVIDE | _PEEK | _TEXT
                self.send(struct.pack(">BxxxiII", 3, -8, flags, 0))
        return Encodings(numbers)

    def _request(self) -> Said:
        incremental, x, y, width, height = struct.unpack(">BHHHH", self._read(9))
        with self.referee.lock:
            self.sizes.add(self.referee.size)  # a request may cross a new size on its way
            if incremental > 1 or not any(0 < width <= w - x and 0 < height <= h - y for w, h in self.sizes):
                raise Breach(f"request of {width} x {height} at {x}, {y}")
            shown_width, shown_height = self.referee.size
            area = {
                (x + dx, y + dy)
                for dx in range(min(width, shown_width - x))
                for dy in range(min(height, shown_height - y))
            }
            self.requested |= area
            if not incremental:
                self.changed |= area
                self.size_due = self.size_due or (self.referee.rules.extended_size and -308 in self.understood)
            self.serve()
        return Request(bool(incremental), x, y, width, height)

    def _key(self) -> Said:
        down, padding, keysym = struct.unpack(">BHI", self._read(7))
        if down > 1 or padding or not keysym:
            raise Breach("key event")
        return Key(keysym, bool(down))

    def _qemu(self) -> Said:
        kind, down, keysym, scancode = struct.unpack(">BHII", self._read(11))
        if kind or down > 1 or not 0 < scancode < 256 or not self.referee.rules.extended_keys:
            raise Breach("extended key event")
        return Key(keysym, bool(down), scancode)

    def _pointer(self) -> Said:
        mask, x, y = struct.unpack(">BHH", self._read(5))
        if not any(x < w and y < h for w, h in self.sizes):
            raise Breach(f"pointer at {x}, {y}")
        return Pointer(x, y, mask)

    def _fence(self) -> Said:
        padding, flags, length = struct.unpack(">3sIB", self._read(8))
        payload = self._read(length)
        if padding != bytes(3) or length > 64 or flags & ~0x80000007:
            raise Breach("fence")
        if not self.referee.rules.fence or -312 not in self.understood:
            raise Breach("a fence that was not negotiated")
        if flags >> 31:
            if self.referee.rules.answers_fences:
                with self.referee.lock:
                    self.send(struct.pack(">BxxxIB", 248, flags & 7, length) + payload)
        elif payload != b"ping" or flags:
            raise Breach("an answer to no fence")
        return Fence(flags, payload)

    def _cut_text(self) -> Said:
        padding, length = struct.unpack(">3si", self._read(7))
        if padding != bytes(3) or length >= -3 or _CLIPBOARD not in self.understood:
            raise Breach(f"clipboard of {length}")
        if not self.referee.rules.extended_clipboard:
            raise Breach("an extended clipboard that was not negotiated")
        data = self._read(-length)
        (flags,) = struct.unpack(">I", data[:4])
        rest = data[4:]
        actions = flags & (_CAPS | _REQUEST | _PEEK | _NOTIFY | _PROVIDE)
        if flags & 0xFFFF & ~_TEXT:
            raise Breach("a clipboard's format")
        if flags & _CAPS:
            if len(rest) != 4 * (flags & 0xFFFF).bit_count():
                raise Breach("a clipboard's sizes")
            return Clipboard("caps")
        if actions == _PROVIDE:
            return Clipboard("provide", _provided(rest))
        if rest:
            raise Breach("more than flags")
        if actions == _REQUEST:
            return Clipboard("request")
        if actions == _NOTIFY:
            return Clipboard("notify")
        raise Breach(f"a clipboard with flags {flags:x}")


def clipboard_notice() -> bytes:
    """That there is text."""
    return struct.pack(">BxxxiI", 3, -4, _NOTIFY | _TEXT)


def clipboard_wish() -> bytes:
    """Asks for the text that was offered."""
    return struct.pack(">BxxxiI", 3, -4, _REQUEST | _TEXT)


def clipboard_text(text: str) -> bytes:
    """The text."""
    data = text.replace("\n", "\r\n").encode() + b"\0"
    packed = zlib.compress(struct.pack(">I", len(data)) + data)
    return struct.pack(">BxxxiI", 3, -4 - len(packed), _PROVIDE | _TEXT) + packed


def _provided(packed: bytes) -> str:
    try:
        data = zlib.decompress(packed)
    except zlib.error as error:
        raise Breach("a clipboard that does not unpack") from error
    (length,) = struct.unpack(">I", data[:4])
    if length != len(data) - 4 or not data.endswith(b"\0") or data.count(b"\n") != data.count(b"\r\n"):
        raise Breach("a clipboard's text")
    return data[4:-1].decode()


@contextlib.contextmanager
def raw_server(*connections: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port at which each connection in turn is handed to a function, and then closed."""
    listener = socket.create_server(("127.0.0.1", 0))
    open_now: list[socket.socket] = []

    def serve() -> None:
        for connected in connections:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            open_now.append(connection)
            with connection, contextlib.suppress(OSError):
                connected(connection)

    thread = threading.Thread(target=serve, name="rfb-raw-server")
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        for ended in (listener, *open_now):
            with contextlib.suppress(OSError):
                ended.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(SHOWN)
