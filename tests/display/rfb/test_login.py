"""Passwords, TLS and lock-outs of real servers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from operator_console.rfb.errors import (
    CertificateChanged,
    CertificateUnknown,
    LockedOut,
    NotVnc,
    PasswordNeeded,
    PasswordWrong,
    RfbError,
)
from operator_console.rfb.input_line import InputLine
from operator_console.rfb.server_login import Login
from tests.display.rig.processes import DEADLINE_S
from tests.display.rig.vnc_servers import (
    Certificate,
    VncServer,
    make_certificate,
    password_file,
    qemu,
    tigervnc,
    wayvnc,
    with_users,
    x11vnc,
)

PASSWORD = "Secret12"
USER = "ånna"


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    return make_certificate(tmp_path)


Started = Callable[[Path], AbstractContextManager[VncServer]]


def tigervnc_with_password(folder: Path) -> AbstractContextManager[VncServer]:
    return tigervnc(folder, ("-SecurityTypes", "VncAuth", "-PasswordFile", str(password_file(folder, PASSWORD))))


def x11vnc_with_password(folder: Path) -> AbstractContextManager[VncServer]:
    return x11vnc(folder, ("-passwd", PASSWORD))


def qemu_with_password(folder: Path) -> AbstractContextManager[VncServer]:
    return qemu(folder, vnc=",password-secret=it", options=("-object", f"secret,id=it,data={PASSWORD}"))


each_kind = pytest.mark.parametrize(
    "start",
    [
        pytest.param(tigervnc_with_password, id="TigerVNC"),
        pytest.param(x11vnc_with_password, id="x11vnc", marks=pytest.mark.full),
        pytest.param(qemu_with_password, id="QEMU", marks=pytest.mark.full),
    ],
)


def try_to_log_in(server: VncServer, password: str = "", certificate: str = "", user: str = "") -> None:
    login = Login(host="127.0.0.1", port=server.port, password=password, certificate=certificate, user=user)
    line = InputLine.connect(login, within_s=DEADLINE_S)
    try:
        assert line.acknowledge(DEADLINE_S)
    finally:
        line.close()


def refusal(server: VncServer, password: str = "", certificate: str = "", user: str = "") -> RfbError:
    with pytest.raises(RfbError) as told:
        try_to_log_in(server, password, certificate, user)
    return told.value


@each_kind
def test_a_password_lets_in_and_a_wrong_one_or_none_does_not(start: Started, tmp_path: Path) -> None:
    with start(tmp_path) as server:
        try_to_log_in(server, PASSWORD)
        try_to_log_in(server, PASSWORD + "is not looked at after eight")
        assert type(refusal(server, "wrong")) is PasswordWrong
        assert type(refusal(server)) is PasswordNeeded
        try_to_log_in(server, PASSWORD)


def test_tigervnc_locks_out_after_wrong_passwords_and_the_right_one_too(tmp_path: Path) -> None:
    with tigervnc_with_password(tmp_path) as server:
        wrong = [refusal(server, "wrong") for _ in range(8)]
        assert [type(told) for told in wrong[:1]] == [PasswordWrong]
        assert {type(told) for told in wrong} == {PasswordWrong, LockedOut}
        told = refusal(server, PASSWORD)
        assert type(told) is LockedOut
        assert told.detail == "Too many security failures"


@pytest.mark.parametrize(
    "security", ["X509Vnc", *(pytest.param(each, marks=pytest.mark.full) for each in ("X509None", "TLSNone", "TLSVnc"))]
)
def test_tigervnc_is_encrypted(security: str, tmp_path: Path, certificate: Certificate) -> None:
    shown, private = (str(certificate.folder / f"server-{part}.pem") for part in ("cert", "key"))
    passwords = str(password_file(tmp_path, PASSWORD))
    options = ("-SecurityTypes", security, "-PasswordFile", passwords, "-X509Cert", shown, "-X509Key", private)
    pinned = certificate.fingerprint if security.startswith("X509") else ""
    with tigervnc(tmp_path, options) as server:
        if pinned:
            assert refusal(server, PASSWORD).detail == certificate.fingerprint
            assert type(refusal(server, PASSWORD)) is CertificateUnknown
            assert type(refusal(server, PASSWORD, "0" * 64)) is CertificateChanged
        try_to_log_in(server, PASSWORD, pinned)
        if security.endswith("Vnc"):
            assert type(refusal(server, "wrong", pinned)) is PasswordWrong


@pytest.mark.full
def test_qemu_is_encrypted(tmp_path: Path, certificate: Certificate) -> None:
    (tmp_path / "ca-cert.pem").write_bytes((tmp_path / "server-cert.pem").read_bytes())
    options = (
        "-object", f"secret,id=it,data={PASSWORD}",
        "-object", "tls-creds-x509,id=tls,dir=.,endpoint=server,verify-peer=off,sanity-check=off",
    )  # fmt: skip
    with qemu(tmp_path, vnc=",password-secret=it,tls-creds=tls", options=options) as server:
        assert type(refusal(server, PASSWORD)) is CertificateUnknown
        try_to_log_in(server, PASSWORD, certificate.fingerprint)
        assert type(refusal(server, "wrong", certificate.fingerprint)) is PasswordWrong


def test_a_user_of_wayvnc_is_let_in(tmp_path: Path, certificate: Certificate) -> None:
    with wayvnc(tmp_path, with_users(certificate, USER, PASSWORD)) as server:
        needed = refusal(server, PASSWORD)
        assert isinstance(needed, PasswordNeeded) and needed.with_user
        assert type(refusal(server, PASSWORD, user=USER)) is CertificateUnknown
        try_to_log_in(server, PASSWORD, certificate.fingerprint, USER)
        for user, password in (("other", PASSWORD), (USER, "wrong")):
            wrong = refusal(server, password, certificate.fingerprint, user)
            assert isinstance(wrong, PasswordWrong) and wrong.with_user


def test_a_user_of_tigervnc_is_asked_for(tmp_path: Path, certificate: Certificate) -> None:
    shown, private = (str(certificate.folder / f"server-{part}.pem") for part in ("cert", "key"))
    options = ("-SecurityTypes", "X509Plain", "-PlainUsers", "*", "-X509Cert", shown, "-X509Key", private)
    with tigervnc(tmp_path, options) as server:
        needed = refusal(server, PASSWORD, certificate.fingerprint)
        assert isinstance(needed, PasswordNeeded) and needed.with_user
        wrong = refusal(server, PASSWORD, certificate.fingerprint, "no-such-user")
        assert isinstance(wrong, PasswordWrong) and wrong.with_user


def test_a_pinned_certificate_does_not_let_a_server_without_one_have_the_password(tmp_path: Path) -> None:
    with tigervnc_with_password(tmp_path) as server:
        assert not isinstance(refusal(server, PASSWORD, "0" * 64), PasswordWrong | NotVnc)
        try_to_log_in(server, PASSWORD)
