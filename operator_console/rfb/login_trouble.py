"""Why a machine cannot be logged in to, and what to do about it, for people."""

from __future__ import annotations

from operator_console.domain.errors import LoginLack, LoginRefused, OperatorError
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.rfb.address import address_of
from operator_console.rfb.login import (
    CertificateChanged,
    CertificateUnknown,
    LockedOut,
    Login,
    NoAnswer,
    NoKnownSecurity,
    NotVnc,
    PasswordNeeded,
    PasswordWrong,
    RfbError,
)

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
