"""The errors of a connection to an RFB server, and what they mean for people.

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

The `detail` of an error is short and printable; `login_trouble` says what it means for people.
"""

from __future__ import annotations

from operator_console.domain.errors import LoginLack, LoginRefused, OperatorError
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.rfb.server_login import Login, address_of


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


_LACKS = {
    PasswordNeeded: LoginLack.KEY,
    PasswordWrong: LoginLack.RIGHT_KEY,
    CertificateUnknown: LoginLack.ACCEPTED_CERTIFICATE,
    CertificateChanged: LoginLack.CERTIFICATE_OF_BEFORE,
}
"""What the operator can give at once."""


def login_trouble(error: RfbError, login: Login) -> OperatorError:
    """The error as one for the operator, with its remedy."""
    address = address_of(login.host, login.port)
    title, remedy = _said(error, address)
    lack = _LACKS.get(type(error))
    if lack is None:
        return OperatorError(title, detail=error.detail, remedy=remedy)
    shown = error.fingerprint if isinstance(error, CertificateUnknown | CertificateChanged) else ""
    detail = notice(NoticeCode.VNC_FINGERPRINT_IS, fingerprint=shown) if shown else error.detail
    asks_user = isinstance(error, PasswordNeeded | PasswordWrong) and error.with_user
    return LoginRefused(
        title, lack=lack, address=address, fingerprint=shown, asks_user=asks_user, detail=detail, remedy=remedy
    )


def _said(error: RfbError, at: str) -> tuple[NoticeText, NoticeText]:
    """Title and remedy."""
    match error:
        case NotVnc():
            return notice(NoticeCode.NOT_VNC_THERE, address=at), notice(NoticeCode.CHECK_VNC_PORT)
        case PasswordNeeded():
            asks = NoticeCode.VNC_ASKS_FOR_USER if error.with_user else NoticeCode.VNC_ASKS_FOR_KEY
            return notice(asks, address=at), _keep(error, at)
        case PasswordWrong():
            wrong = NoticeCode.VNC_USER_WRONG if error.with_user else NoticeCode.VNC_KEY_WRONG
            return notice(wrong, address=at), _keep(error, at)
        case LockedOut():
            return notice(NoticeCode.VNC_LOCKED_OUT, address=at), notice(NoticeCode.WAIT_FOR_VNC_LOGIN, address=at)
        case NoKnownSecurity():
            return notice(NoticeCode.VNC_LOGIN_NOT_KNOWN, address=at), notice(NoticeCode.SET_UP_VNC_LOGIN)
        case CertificateUnknown():
            accept = notice(NoticeCode.ACCEPT_VNC_CERTIFICATE, address=at)
            return notice(NoticeCode.VNC_CERTIFICATE_UNKNOWN, address=at), accept
        case CertificateChanged():
            accept = notice(NoticeCode.ACCEPT_NEW_VNC_CERTIFICATE, address=at)
            return notice(NoticeCode.VNC_CERTIFICATE_CHANGED, address=at), accept
        case NoAnswer():
            return notice(NoticeCode.VNC_HANGS, address=at), notice(NoticeCode.CHECK_VNC_SERVER)
        case _:
            return notice(NoticeCode.VNC_NOT_REACHED, address=at), notice(NoticeCode.CHECK_VNC_SERVER)


def _keep(error: PasswordNeeded | PasswordWrong, at: str) -> NoticeText:
    return notice(NoticeCode.KEEP_VNC_USER if error.with_user else NoticeCode.KEEP_VNC_KEY, address=at)
