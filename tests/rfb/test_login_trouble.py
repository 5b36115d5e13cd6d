"""Which refusals of a login the operator can answer at once, and what the answer needs."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import LoginLack, LoginRefused
from operator_console.rfb.errors import (
    CertificateChanged,
    CertificateUnknown,
    LockedOut,
    NotReachable,
    PasswordNeeded,
    PasswordWrong,
    RfbError,
    login_trouble,
)
from operator_console.rfb.server_login import Login

LOGIN = Login(host="::1", port=5901, password="opensesame")
SHOWN = "0f" * 32


@pytest.mark.parametrize(
    ("error", "lack", "fingerprint"),
    [
        (PasswordNeeded(), LoginLack.KEY, ""),
        (PasswordWrong("no"), LoginLack.RIGHT_KEY, ""),
        (CertificateUnknown(SHOWN), LoginLack.ACCEPTED_CERTIFICATE, SHOWN),
        (CertificateChanged(SHOWN), LoginLack.CERTIFICATE_OF_BEFORE, SHOWN),
    ],
)
def test_what_the_operator_can_give_is_named(error: RfbError, lack: LoginLack, fingerprint: str) -> None:
    told = login_trouble(error, LOGIN)
    assert isinstance(told, LoginRefused)
    assert (told.lack, told.address, told.fingerprint) == (lack, "[::1]:5901", fingerprint)
    assert told.remedy
    assert "opensesame" not in f"{told!r} {told}"


@pytest.mark.parametrize("kind", [PasswordNeeded, PasswordWrong])
def test_it_is_told_whether_the_password_goes_with_a_user(kind: type[PasswordNeeded | PasswordWrong]) -> None:
    for with_user in (False, True):
        told = login_trouble(kind(with_user=with_user), LOGIN)
        assert isinstance(told, LoginRefused)
        assert told.asks_user is with_user
        assert ("user" in told.title, "--user NAME" in told.remedy) == (with_user, with_user)


@pytest.mark.parametrize("error", [NotReachable(), LockedOut("too many")])
def test_what_nobody_can_answer_is_only_told(error: RfbError) -> None:
    assert not isinstance(login_trouble(error, LOGIN), LoginRefused)
