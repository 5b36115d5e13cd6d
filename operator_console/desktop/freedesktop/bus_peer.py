"""A connection to a message bus that both makes calls and receives calls and signals.

A thread of its own reads, so that incoming calls are answered while the program does something else. Each call has a
time limit; after one has expired, or once the bus is gone, all calls return None.

jeepney.io.threading is not used, because it sends without a time limit (a bus that stops reading would block the
injector forever) and its Hello waits for 10 s.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

_CREDENTIALS = struct.Struct("3i")
_TIMEVAL = struct.Struct("ll")

Receive = Callable[["Peer", Any], None]
"""Called in the reading thread with each message that is not a reply."""


class Peer:
    """Create it with `connect`. `timeout_s` is the time limit of a call."""

    def __init__(self, link: socket.socket, receive: Receive, timeout_s: float) -> None:
        self._socket = link
        self._receive = receive
        self.timeout_s = timeout_s
        self._serials = count(1)
        self._sending = threading.Lock()
        self._answered = threading.Condition()
        self._waiting: dict[int, Any] = {}
        self._open = True
        self._thread = threading.Thread(target=self._read, name="message bus", daemon=True)

    @classmethod
    def connect(cls, address: str, receive: Receive, timeout_s: float) -> Peer | None:
        """A registered connection (Hello), None if the bus does not reply in time."""
        try:
            link = _connected(address, timeout_s)
        except (ImportError, OSError, ValueError, RuntimeError, EOFError):
            return None
        peer = cls(link, receive, timeout_s)
        peer._thread.start()
        bus = "org.freedesktop.DBus"
        if peer.call(bus, "/org/freedesktop/DBus", bus, "Hello") is None:
            peer.close()
            return None
        return peer

    @property
    def open(self) -> bool:
        """Whether the connection is open."""
        return self._open

    @property
    def pid(self) -> int | None:
        """The process at the other end, None if the system does not report it."""
        if not hasattr(socket, "SO_PEERCRED"):
            return None
        pid, _, _ = _CREDENTIALS.unpack(self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return int(pid)

    def call(
        self, service: str, path: str, interface: str, method: str, signature: str = "", body: tuple[Any, ...] = ()
    ) -> tuple[Any, ...] | None:
        """The results of a method; None if it failed, or no reply came in time, which closes the connection."""
        from jeepney import DBusAddress, MessageType, new_method_call

        message = new_method_call(DBusAddress(path, service, interface), method, signature or None, body)
        serial = next(self._serials)
        with self._answered:
            self._waiting[serial] = None
        self.post(message, serial)
        with self._answered:
            self._answered.wait_for(lambda: self._waiting[serial] is not None or not self._open, self.timeout_s)
            reply = self._waiting.pop(serial)
        if reply is None:
            self.close()
            return None
        return tuple(reply.body) if reply.header.message_type is MessageType.method_return else None

    def post(self, message: Any, serial: int | None = None) -> None:
        """Send a message without waiting for a reply. Closes the connection if it cannot be sent in time."""
        try:
            with self._sending:
                self._socket.sendall(message.serialise(serial=next(self._serials) if serial is None else serial))
        except OSError:
            self.close()

    def close(self) -> None:
        """Close the connection; the reading thread then ends."""
        with self._answered:
            self._open = False
            self._answered.notify_all()
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def _read(self) -> None:
        from jeepney import HeaderFields, Parser

        parser = Parser()
        with self._socket:
            while data := self._receive_bytes():
                parser.add_data(data)
                while (message := parser.get_next_message()) is not None:
                    serial = message.header.fields.get(HeaderFields.reply_serial)
                    if serial is None:
                        self._receive(self, message)
                        continue
                    with self._answered:
                        if serial in self._waiting:
                            self._waiting[serial] = message
                            self._answered.notify_all()
        self.close()

    def _receive_bytes(self) -> bytes:
        try:
            return self._socket.recv(1 << 14)
        except OSError:
            return b""


def _connected(address: str, timeout_s: float) -> socket.socket:
    """A connection without a time limit for reading, but with one for sending."""
    from jeepney.bus import get_bus
    from jeepney.io.blocking import prep_socket

    link: socket.socket = prep_socket(get_bus(address), timeout=timeout_s)
    whole_s, rest_s = divmod(timeout_s, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(int(whole_s), int(rest_s * 1e6)))
    return link
