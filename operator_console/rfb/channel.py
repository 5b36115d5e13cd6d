"""The bytes between client and server: a TCP connection, on which TLS may start. It belongs to one thread."""

from __future__ import annotations

import contextlib
import hashlib
import select
import socket
import threading
import time
from typing import TYPE_CHECKING

from operator_console.rfb.errors import ConnectionLost, NoAnswer, NotReachable, NotVnc

if TYPE_CHECKING:
    import ssl

_CHUNK = 1 << 18
_SEND_S = 0.25
# A silent network is noticed after about ten seconds, also where nothing is asked.
_KEEP_ALIVE = (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 10_000))


class Channel:
    """A connection. Raises ConnectionLost from every method once it has ended.

    Times named `deadline` are those of `time.monotonic()`.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection
        self._tls: ssl.SSLSocket | None = None

    @classmethod
    def connect(cls, host: str, port: int, deadline: float) -> Channel:
        """Connects. Raises NotReachable."""
        failure = ""
        for family, address in _addresses(host, port, deadline):
            connection = socket.socket(family, socket.SOCK_STREAM)
            try:
                connection.settimeout(max(0.001, deadline - time.monotonic()))
                connection.connect(address)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                for name, value in _KEEP_ALIVE:
                    if hasattr(socket, name):  # not on every system
                        connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
            except OSError as error:
                failure = error.strerror or str(error)
                connection.close()
                continue
            return cls(connection)
        raise NotReachable(failure)

    def start_tls(self, context: ssl.SSLContext, deadline: float) -> str:
        """Speaks TLS from here on; returns the certificate's SHA-256 in lower-case hex, "" where there is none.

        Raises:
            NotVnc: TLS failed.
            NoAnswer: It did not come in time.
        """
        import ssl

        try:
            tls = context.wrap_socket(self._socket, do_handshake_on_connect=False, suppress_ragged_eofs=True)
            self._socket = self._tls = tls
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    self._wait(deadline)
                except ssl.SSLWantWriteError:
                    self._wait(deadline, writable=True)
        except (OSError, ValueError) as error:
            raise NotVnc(f"TLS: {getattr(error, 'reason', None) or error}"[:120]) from error
        certificate = tls.getpeercert(binary_form=True)
        return hashlib.sha256(certificate).hexdigest() if certificate else ""

    def receive(self) -> bytes:
        """What is there, without waiting; b"" for nothing."""
        try:
            data = self._socket.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return b""
        except OSError as error:
            if _wants(error):
                return b""
            raise ConnectionLost(error.strerror or str(error)) from error
        if not data:
            raise ConnectionLost("closed by the server")
        return data

    def read(self, count: int, deadline: float) -> bytes:
        """Exactly that many bytes. Raises NoAnswer where they do not come in time."""
        data = bytearray()
        while len(data) < count:
            try:
                part = self._socket.recv(count - len(data))
            except (BlockingIOError, InterruptedError):
                part = None
            except OSError as error:
                if not _wants(error):
                    raise ConnectionLost(error.strerror or str(error)) from error
                part = None
            if part is None:
                self._wait(deadline)
            elif not part:
                raise ConnectionLost("closed by the server")
            else:
                data += part
        return bytes(data)

    def send(self, data: bytes | bytearray) -> None:
        """All of it. Raises ConnectionLost where the server does not take it within a quarter of a second."""
        deadline = time.monotonic() + _SEND_S
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
                continue
            except (BlockingIOError, InterruptedError):
                pass
            except OSError as error:
                if not _wants(error):
                    raise ConnectionLost(error.strerror or str(error)) from error
            try:
                self._wait(deadline, writable=True)
            except NoAnswer:
                # A part of a message may be on its way: nothing can follow it.
                raise ConnectionLost("takes nothing") from None

    def fileno(self) -> int:
        """To wait for what comes. What TLS has read already must have been received before."""
        return self._socket.fileno()

    def wait(self, deadline: float) -> bool:
        """Waits until something may have come; False where the time is over."""
        try:
            self._wait(deadline)
        except NoAnswer:
            return False
        return True

    def cut(self) -> None:
        """Ends the connection from any thread: whoever reads or waits gets ConnectionLost."""
        with contextlib.suppress(OSError):  # it has ended already
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # not SSLSocket's, which a reader does not bear

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def _wait(self, deadline: float, *, writable: bool = False) -> None:
        if self._tls is not None and not writable and self._tls.pending():
            return
        if self._socket.fileno() < 0:
            raise ConnectionLost("closed")
        poll = select.poll()
        poll.register(self._socket.fileno(), select.POLLOUT if writable else select.POLLIN)
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not poll.poll(remaining * 1000):
            raise NoAnswer


def _wants(error: OSError) -> bool:
    """Whether TLS only waits for the network."""
    return type(error).__name__ in {"SSLWantReadError", "SSLWantWriteError"}  # without importing ssl


def _addresses(host: str, port: int, deadline: float) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """Where a host is. Asking a name server cannot be interrupted: another thread does it, and is left behind."""
    found: list[tuple[socket.AddressFamily, tuple[str, int]]] = []
    failure: list[str] = []

    def ask() -> None:
        try:
            for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                found.append((family, address))  # type: ignore[arg-type]
        except (OSError, UnicodeError) as error:
            failure.append(getattr(error, "strerror", None) or str(error))

    thread = threading.Thread(target=ask, name="rfb-address", daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    if not found or thread.is_alive():
        raise NotReachable(failure[0] if failure else "no answer from the name server")
    return found
