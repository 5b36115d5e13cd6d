"""Logging in: version, security and initialisation (RFC 6143 section 7.1 to 7.3; VeNCrypt: rfbproto).

Of the security types it knows VNC's own, which answers a challenge by the password (DES), and VeNCrypt's over TLS.

VNC authentication and anonymous TLS hold off who only listens, not who stands between. A pinned certificate does;
where one is pinned, a server that offers no certificate is refused. Users and passwords as they are (VeNCrypt's Plain)
are sent inside TLS only.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from operator_console.domain.geometry import Size
from operator_console.rfb.channel import Channel
from operator_console.rfb.errors import (
    CertificateChanged,
    CertificateUnknown,
    ConnectionLost,
    LockedOut,
    NoAnswer,
    NoKnownSecurity,
    NotReachable,
    NotVnc,
    PasswordNeeded,
    PasswordWrong,
)
from operator_console.rfb.protocol_messages import checked_size
from operator_console.rfb.server_login import Login

if TYPE_CHECKING:
    import ssl

_MAX_NAME = 1 << 16
_MAX_REASON = 1 << 12
_VERSION = re.compile(rb"RFB (\d{3})\.(\d{3})\n")


class Security(IntEnum):
    """Security types, and the sub-types of VeNCrypt, by the number on the wire."""

    NONE = 1
    VNC = 2
    VENCRYPT = 19
    TLS_NONE = 257
    TLS_VNC = 258
    TLS_PLAIN = 259
    X509_NONE = 260
    X509_VNC = 261
    X509_PLAIN = 262


_WITH_CERTIFICATE = (Security.X509_PLAIN, Security.X509_VNC, Security.X509_NONE)
_WITH_USER = (Security.TLS_PLAIN, Security.X509_PLAIN)
_WITH_PASSWORD = (Security.VNC, Security.TLS_VNC, Security.X509_VNC, *_WITH_USER)
_SUB_TYPES = (*_WITH_CERTIFICATE, Security.TLS_PLAIN, Security.TLS_VNC, Security.TLS_NONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInit:
    """What a server says of itself after the login."""

    name: str
    size: Size


def log_in(login: Login, deadline: float) -> tuple[Channel, ServerInit]:
    """Connects and logs in, sharing the machine with other clients.

    Args:
        login: where and how.
        deadline: by `time.monotonic()`.

    Raises:
        RfbError: Any of them.
    """
    channel = Channel.connect(login.host, login.port, deadline)
    try:
        return channel, _Handshake(channel, login, deadline).run()
    except BaseException:
        channel.close()
        raise


class _Handshake:
    def __init__(self, channel: Channel, login: Login, deadline: float) -> None:
        self._channel = channel
        self._login = login
        self._deadline = deadline

    def run(self) -> ServerInit:
        minor = self._agree_on_version()
        security = self._agree_on_security(minor)
        if security in _WITH_USER:
            self._send_user()
        elif security in _WITH_PASSWORD:
            self._answer_challenge()
        try:
            if security != Security.NONE or minor >= 8:
                self._read_result(minor, security)
            self._channel.send(b"\x01")  # ClientInit: shared
            return self._read_init()
        except ConnectionLost:
            if security in _WITH_USER:  # neatvnc (wayvnc) closes after a refusal, which may be lost with the connection
                raise PasswordWrong(with_user=True) from None
            raise

    def _agree_on_version(self) -> int:
        """Answers the server's version; returns the minor number of the one that is spoken: 3, 7 or 8."""
        try:
            first = self._read(1)
        except NoAnswer:
            raise NotReachable("silent") from None
        try:
            said = first + self._read(11)
        except (ConnectionLost, NoAnswer):
            raise NotVnc(f"begins with {printable(first)}") from None
        match = _VERSION.fullmatch(said)
        if match is None:
            raise NotVnc(f"begins with {printable(said)}")
        offered = int(match[1]), int(match[2])
        # Others are to be taken for 3.3 (RFC 6143 section 7.1.1); what is newer understands 3.8.
        minor = 8 if offered >= (3, 8) else 7 if offered == (3, 7) else 3
        self._channel.send(b"RFB 003.%03d\n" % minor)
        return minor

    def _agree_on_security(self, minor: int) -> Security:
        if minor == 3:
            # The server decides. A TigerVNC that locks out says 3.3 to a client of any version, and then 0.
            (offered,) = struct.unpack(">I", self._read(4))
            if offered == 0:
                raise _refused(self._read_reason())
            return self._choose([offered], (Security.VNC, Security.NONE))
        (count,) = self._read(1)
        if count == 0:
            raise _refused(self._read_reason())
        offers = list(self._read(count))
        known = [Security.VENCRYPT, Security.VNC, Security.NONE]
        chosen = self._choose(offers, known)
        self._channel.send(bytes((chosen,)))
        return self._start_vencrypt() if chosen == Security.VENCRYPT else chosen

    def _start_vencrypt(self) -> Security:
        if self._read(2) < b"\x00\x02":
            raise NoKnownSecurity("VeNCrypt older than 0.2")
        self._channel.send(b"\x00\x02")
        if self._read(1) != b"\x00":
            raise NoKnownSecurity("VeNCrypt 0.2 refused")
        (count,) = self._read(1)
        offers = struct.unpack(f">{count}I", self._read(4 * count))
        chosen = self._choose(offers, _SUB_TYPES)
        self._channel.send(struct.pack(">I", chosen))
        if self._read(1) != b"\x01":
            raise NotVnc("refuses to start TLS")
        fingerprint = self._channel.start_tls(_tls_context(anonymous=chosen not in _WITH_CERTIFICATE), self._deadline)
        if chosen in _WITH_CERTIFICATE:
            if not self._login.certificate:
                raise CertificateUnknown(fingerprint)
            if fingerprint != self._login.certificate:
                raise CertificateChanged(fingerprint)
        return chosen

    def _choose(self, offers: Sequence[int], known: Sequence[Security]) -> Security:
        """The best of what is offered: with a certificate, then encrypted; with what is given to log in with."""
        usable = [security for security in known if security in offers]
        if self._login.certificate:
            usable = [security for security in usable if security == Security.VENCRYPT or security in _WITH_CERTIFICATE]
        if not usable:
            raise NoKnownSecurity(", ".join(map(str, offers))[:120])
        possible = [security for security in usable if self._has_what_it_takes(security)]
        if not possible:
            raise PasswordNeeded(with_user=all(security in _WITH_USER for security in usable))
        return possible[0]

    def _has_what_it_takes(self, security: Security) -> bool:
        login = self._login
        return bool(login.password or security not in _WITH_PASSWORD) and bool(login.user or security not in _WITH_USER)

    def _send_user(self) -> None:
        user, password = self._login.user.encode(), self._login.password.encode()
        self._channel.send(struct.pack(">II", len(user), len(password)) + user + password)

    def _answer_challenge(self) -> None:
        self._channel.send(challenge_response(self._login.password, self._read(16)))

    def _read_result(self, minor: int, security: Security) -> None:
        (result,) = struct.unpack(">I", self._read(4))
        if result == 0:
            # neatvnc 0.5 (wayvnc) refuses a user as if no security type were offered: a zero, and a reason. Whoever
            # accepts one waits for ClientInit.
            if security in _WITH_USER and self._channel.receive():
                raise PasswordWrong(with_user=True)
            return
        reason = ""
        if minor >= 8:
            with contextlib.suppress(ConnectionLost, NoAnswer):  # some close without one
                reason = self._read_reason()
        if result == 2 or _is_lock_out(reason):
            raise LockedOut(reason)
        if security in _WITH_PASSWORD:
            raise PasswordWrong(reason, with_user=security in _WITH_USER)
        raise NoKnownSecurity(reason)

    def _read_init(self) -> ServerInit:
        width, height, length = struct.unpack(">HH16xI", self._read(24))
        size = checked_size(width, height)
        if length > _MAX_NAME:
            raise NotVnc(f"a name of {length} bytes")
        return ServerInit(name=self._read(length).decode("utf-8", "replace"), size=size)

    def _read_reason(self) -> str:
        (length,) = struct.unpack(">I", self._read(4))
        if length > _MAX_REASON:
            raise NotVnc(f"a reason of {length} bytes")
        return printable(self._read(length))

    def _read(self, count: int) -> bytes:
        return self._channel.read(count, self._deadline)


def challenge_response(password: str, challenge: bytes) -> bytes:
    """VNC authentication (RFC 6143 section 7.2.2): DES in ECB mode; each byte of the key has its bits in reverse."""
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

    key = bytes(int(f"{byte:08b}"[::-1], 2) for byte in password.encode()[:8].ljust(8, b"\0"))
    # Three times the same key makes DES of Triple DES.
    encryptor = Cipher(TripleDES(key * 3), modes.ECB()).encryptor()  # noqa: S305 - what the protocol says
    return encryptor.update(challenge) + encryptor.finalize()


def printable(data: bytes) -> str:
    """What a server said, short and without control characters."""
    text = data.decode("utf-8", "replace")
    return "".join(character if character.isprintable() else "?" for character in text[:120])


def _refused(reason: str) -> LockedOut | NoKnownSecurity:
    return LockedOut(reason) if _is_lock_out(reason) else NoKnownSecurity(reason)


def _is_lock_out(reason: str) -> bool:
    """Whether it is TigerVNC's "Too many security failures" or another's "Too many authentication failures"."""
    return "too many" in reason.lower()


def _tls_context(*, anonymous: bool) -> ssl.SSLContext:
    """TLS that leaves the certificate to the pin; `anonymous` knows none, which only TLS up to 1.2 can do."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if anonymous:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("ADH:AECDH:@SECLEVEL=0")
    return context
