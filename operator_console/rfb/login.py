"""How to log in to an RFB server, and all that can go wrong with a connection.

    RfbError
      NotReachable           refused, no such host, or silent until the time was over
      NotVnc                 speaks something else, or breaks the protocol
      NoKnownSecurity        offers no way to log in that this client knows
      PasswordNeeded         asks for a password; none was given
      PasswordWrong          did not accept it
      LockedOut              refuses every password for a while, after too many wrong ones
      CertificateUnknown     shows a certificate, and none is pinned
      CertificateChanged     shows another certificate than the pinned one
      ConnectionLost         was connected
      NoAnswer               is connected, and did not answer in time

No error has a sentence for people; `detail` is short and printable.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How to log in to one server.

    Attributes:
        host: name or address.
        port: TCP port; display :1 is 5901.
        password: only its first eight bytes count in VNC authentication; "" for none.
        user: for servers that have users (VeNCrypt's Plain); "" for none. It is shown as little as the password.
        certificate: SHA-256 of the certificate that was accepted before, in lower-case hex; "" for none yet.
    """

    host: str
    port: int
    password: str = field(default="", repr=False)
    user: str = field(default="", repr=False)
    certificate: str = ""


class RfbError(Exception):
    """A connection that cannot be made, or that ended."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail


class NotReachable(RfbError):
    """Refused, no such host, or silent before the first byte until the time was over."""


class NotVnc(RfbError):
    """Speaks something else, or breaks the protocol."""


class NoKnownSecurity(RfbError):
    """Offers no security type that this client knows; `detail` names those it offers."""


class _Password(RfbError):
    """About a password.

    Attributes:
        with_user: it goes with the name of a user.
    """

    def __init__(self, detail: str = "", *, with_user: bool = False) -> None:
        super().__init__(detail)
        self.with_user = with_user


class PasswordNeeded(_Password):
    """Asks for a password, and none was given, or no user."""


class PasswordWrong(_Password):
    """Did not accept the password, or the user; `detail` is what it said."""


class LockedOut(RfbError):
    """Refuses every password for a while, the right one too; `detail` is what it said."""


class ConnectionLost(RfbError):
    """Ended by the server or the network."""


class NoAnswer(RfbError):
    """Connected, but a request was not answered in time."""


class CertificateUnknown(RfbError):
    """Shows a certificate, and none is pinned.

    Attributes:
        fingerprint: its SHA-256, in lower-case hex.
    """

    def __init__(self, fingerprint: str) -> None:
        super().__init__(fingerprint)
        self.fingerprint = fingerprint


class CertificateChanged(RfbError):
    """Shows another certificate than the pinned one.

    Attributes:
        fingerprint: SHA-256 of the one that it shows now, in lower-case hex.
    """

    def __init__(self, fingerprint: str) -> None:
        super().__init__(fingerprint)
        self.fingerprint = fingerprint
