"""Logging in to servers of every version and security type, and to what is no server at all."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from operator_console.domain.geometry import Size
from operator_console.rfb.authentication import ServerInit, challenge_response, log_in
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
    RfbError,
)
from operator_console.rfb.server_login import Login
from tests.rfb.conftest import Certificate
from tests.servers.rfb_referee import Referee, Rules, raw_server

SOON_S = 0.3

# FIPS 46: the key 133457799BBCDFF1 makes 85E813540F0AB405 of 0123456789ABCDEF. A password's bytes have the bits of the
# key's in reverse; the parity bits, which do not count, are 0 here.
PASSWORD = "\x48\x2c\x6a\x1e\x59\x3d\x7b\x0f"
CHALLENGE = bytes.fromhex("0123456789ABCDEF" * 2)
RESPONSE = bytes.fromhex("85E813540F0AB405" * 2)


def try_to_log_in(login: Login, within_s: float = 8.0) -> ServerInit:
    channel, told = log_in(login, time.monotonic() + within_s)
    channel.close()
    return told


def login_at(port: int, password: str = "", certificate: str = "") -> Login:
    return Login(host="127.0.0.1", port=port, password=password, certificate=certificate)


def test_a_challenge_is_answered_as_the_standard_says() -> None:
    assert challenge_response(PASSWORD, CHALLENGE) == RESPONSE


def test_a_password_counts_up_to_its_eighth_byte() -> None:
    assert challenge_response(PASSWORD + "more", CHALLENGE) == RESPONSE
    assert challenge_response("short", CHALLENGE) != challenge_response("shorter", CHALLENGE)


def test_neither_password_nor_user_is_in_a_login_that_is_printed() -> None:
    assert "secret" not in repr(replace(login_at(1, "secret"), user="secret"))


@pytest.mark.parametrize(
    "version", [b"RFB 003.003\n", b"RFB 003.007\n", b"RFB 003.008\n", b"RFB 003.889\n", b"RFB 005.000\n"]
)
@pytest.mark.parametrize("security", [1, 2])
def test_each_version_is_spoken(version: bytes, security: int) -> None:
    rules = Rules(version=version, security=(security,), challenge=CHALLENGE, response=RESPONSE)
    with Referee(rules) as server:
        told = try_to_log_in(login_at(server.port, PASSWORD))
    assert told == ServerInit(name="mäc", size=Size(64, 48))


def test_encryption_is_preferred(certificate: Certificate) -> None:
    rules = Rules(
        security=(1, 2, 19),
        sub_types=(257, 258, 260, 261),
        tls=certificate.context,
        challenge=CHALLENGE,
        response=RESPONSE,
    )
    with Referee(rules) as server:
        told = try_to_log_in(login_at(server.port, PASSWORD, certificate.fingerprint))
    assert told.name == "mäc"


@pytest.mark.parametrize("sub_type", [260, 261])
def test_a_certificate_that_was_not_seen_before_is_told_before_the_password_is_used(
    certificate: Certificate, sub_type: int
) -> None:
    rules = Rules(security=(19,), sub_types=(sub_type,), tls=certificate.context)
    with Referee(rules) as server, pytest.raises(CertificateUnknown) as told:
        try_to_log_in(login_at(server.port, PASSWORD))
    assert told.value.fingerprint == certificate.fingerprint


def test_another_certificate_than_the_pinned_one_is_refused(certificate: Certificate) -> None:
    rules = Rules(security=(19,), sub_types=(260,), tls=certificate.context)
    with Referee(rules) as server, pytest.raises(CertificateChanged) as told:
        try_to_log_in(login_at(server.port, certificate="0" * 64))
    assert told.value.fingerprint == certificate.fingerprint


@pytest.mark.parametrize("security", [(1,), (2,), (19,)])
def test_a_server_that_no_longer_shows_its_certificate_gets_no_password(security: tuple[int, ...]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    rules = Rules(security=security, sub_types=(257, 258), tls=context)
    with Referee(rules) as server, pytest.raises(NoKnownSecurity):
        try_to_log_in(login_at(server.port, PASSWORD, "0" * 64))


@pytest.mark.parametrize("sub_type", [257, 258])
def test_tls_without_a_certificate_is_spoken(sub_type: int) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ADH:AECDH:@SECLEVEL=0")
    rules = Rules(security=(19,), sub_types=(sub_type,), tls=context, challenge=CHALLENGE, response=RESPONSE)
    with Referee(rules) as server:
        assert try_to_log_in(login_at(server.port, PASSWORD)).size == Size(64, 48)


USER, LONG_PASSWORD = "ånna", "longer than eight"


def rules_with_users(certificate: Certificate, *sub_types: int) -> Rules:
    return Rules(
        security=(19,), sub_types=sub_types, tls=certificate.context, challenge=CHALLENGE, response=RESPONSE,
        user=(USER.encode(), LONG_PASSWORD.encode()),
    )  # fmt: skip


@pytest.mark.parametrize("sub_types", [(262,), (256, 260, 261, 262)])
def test_a_user_logs_in_with_the_whole_password(sub_types: tuple[int, ...], certificate: Certificate) -> None:
    login = replace(login_at(0, LONG_PASSWORD, certificate.fingerprint), user=USER)
    with Referee(rules_with_users(certificate, *sub_types)) as server:
        assert try_to_log_in(replace(login, port=server.port)).size == Size(64, 48)
        for wrong in (replace(login, user="other"), replace(login, password="longer t")):
            with pytest.raises(PasswordWrong) as told:
                try_to_log_in(replace(wrong, port=server.port))
            assert told.value.with_user


@pytest.mark.parametrize("refusal", [b"\0\0\0\0\x1c" + bytes(range(28)), bytes(4), b""], ids=["all", "a part", "none"])
def test_a_refusal_of_wayvnc_is_no_welcome_also_where_it_is_lost(certificate: Certificate, refusal: bytes) -> None:
    rules = replace(rules_with_users(certificate, 262), refusal=refusal)
    with Referee(rules) as server, pytest.raises(PasswordWrong) as told:
        try_to_log_in(replace(login_at(server.port, "wrong", certificate.fingerprint), user=USER))
    assert told.value.with_user


def test_a_user_logs_in_by_tls_without_a_certificate(certificate: Certificate) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ADH:AECDH:@SECLEVEL=0")
    rules = replace(rules_with_users(certificate, 257, 258, 259), tls=context)
    with Referee(rules) as server:
        login = replace(login_at(server.port, LONG_PASSWORD), user=USER)
        assert try_to_log_in(login).size == Size(64, 48)


@pytest.mark.parametrize(("user", "password"), [("", "some"), (USER, ""), ("", "")])
def test_a_server_that_wants_a_user_is_told_apart(certificate: Certificate, user: str, password: str) -> None:
    with Referee(rules_with_users(certificate, 262)) as server, pytest.raises(PasswordNeeded) as told:
        try_to_log_in(replace(login_at(server.port, password), user=user))
    assert told.value.with_user


def test_a_server_that_takes_a_password_alone_is_not_asked_about_a_user(certificate: Certificate) -> None:
    with Referee(rules_with_users(certificate, 261, 262)) as server:
        with pytest.raises(PasswordNeeded) as told:
            try_to_log_in(login_at(server.port))
        assert not told.value.with_user
        try_to_log_in(login_at(server.port, PASSWORD, certificate.fingerprint))


def test_user_and_password_are_not_sent_without_tls(certificate: Certificate) -> None:
    with Referee(rules_with_users(certificate, 256)) as server, pytest.raises(NoKnownSecurity):
        try_to_log_in(replace(login_at(server.port, LONG_PASSWORD), user=USER))


def test_user_and_password_are_not_sent_under_a_certificate_that_was_not_accepted(certificate: Certificate) -> None:
    with Referee(rules_with_users(certificate, 262)) as server, pytest.raises(CertificateUnknown):
        try_to_log_in(replace(login_at(server.port, LONG_PASSWORD), user=USER))


@pytest.mark.parametrize("version", [b"RFB 003.003\n", b"RFB 003.007\n", b"RFB 003.008\n"])
def test_a_wrong_password_is_told(version: bytes) -> None:
    rules = Rules(version=version, security=(2,), challenge=CHALLENGE, response=RESPONSE)
    with Referee(rules) as server, pytest.raises(PasswordWrong):
        try_to_log_in(login_at(server.port, "wrong"))


@pytest.mark.parametrize("sub_types", [(), (258, 261)])
def test_a_server_that_wants_a_password_is_told_apart(sub_types: tuple[int, ...], certificate: Certificate) -> None:
    rules = Rules(security=(19,) if sub_types else (2,), sub_types=sub_types, tls=certificate.context)
    with Referee(rules) as server, pytest.raises(PasswordNeeded):
        try_to_log_in(login_at(server.port))


def saying(*parts: bytes) -> Callable[[socket.socket], None]:
    """Says one part after each thing that the client says, and then waits until the client has gone."""

    def connected(connection: socket.socket) -> None:
        for part in parts:
            connection.sendall(part)
            if not connection.recv(1000):
                return
        while connection.recv(1000):
            pass

    return connected


INIT = bytes(16) + b"\xff" * 4
"""A pixel format and the length of a name."""
LOCK_OUT = struct.pack(">II", 0, 26) + b"Too many security failures"


@pytest.mark.parametrize(
    ("what", "parts", "error"),
    [
        ("TigerVNC's lock-out", [b"RFB 003.003\n", LOCK_OUT], LockedOut),
        ("a lock-out of version 3.8", [b"RFB 003.008\n", LOCK_OUT[3:]], LockedOut),
        ("too many attempts", [b"RFB 003.008\n", b"\1\1", b"\0\0\0\2\0\0\0\0"], LockedOut),
        ("a refusal", [b"RFB 003.008\n", b"\0\0\0\0\2no"], NoKnownSecurity),
        ("security of another kind", [b"RFB 003.008\n", b"\2\5\6"], NoKnownSecurity),
        ("VeNCrypt with a name only", [b"RFB 003.008\n", b"\1\x13", b"\0\2", b"\0\1\0\0\1\0"], NoKnownSecurity),
        ("VeNCrypt of another version", [b"RFB 003.008\n", b"\1\x13", b"\0\1"], NoKnownSecurity),
        ("SSH", [b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"], NotVnc),
        ("HTTP", [b"HTTP/1.1 400 Bad Request\r\n\r\n"], NotVnc),
        ("zeros", [bytes(100)], NotVnc),
        ("a part of a version", [b"RFB"], NotVnc),
        ("silence after the version", [b"RFB 003.008\n"], NoAnswer),
        ("silence from the beginning", [], NotReachable),
        ("a reason of four gigabytes", [b"RFB 003.008\n", b"\0\xff\xff\xff\xff"], NotVnc),
        ("a name of four gigabytes", [b"RFB 003.008\n", b"\1\1", bytes(4), b"\0\1\0\1" + INIT], NotVnc),
        ("an endless screen", [b"RFB 003.008\n", b"\1\1", bytes(4), b"\xff" * 4 + INIT], NotVnc),
        ("TLS that is none", [b"RFB 003.008\n", b"\1\x13", b"\0\2", b"\0\1\0\0\1\4", b"\1" + b"nonsense" * 9], NotVnc),
    ],
)  # fmt: skip
def test_what_is_no_server_or_does_not_let_in_is_told(what: str, parts: list[bytes], error: type[RfbError]) -> None:
    within_s = 8.0 if error not in (NoAnswer, NotReachable) and what != "a part of a version" else SOON_S
    with raw_server(saying(*parts)) as port, pytest.raises(RfbError) as told:
        try_to_log_in(login_at(port), within_s)
    assert type(told.value) is error
    assert told.value.detail.isprintable() and len(told.value.detail) <= 130


def test_a_port_where_nobody_listens_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(NotReachable):
        try_to_log_in(login_at(port))


@pytest.mark.parametrize("host", ["no-such-host.invalid", "", "a" * 300, "\0", "ü" * 80])
def test_a_host_that_does_not_exist_is_told(host: str) -> None:
    with pytest.raises(NotReachable):
        try_to_log_in(replace(login_at(5900), host=host), 2.0)


def test_a_server_that_leaves_during_the_login_is_told() -> None:
    def leave(connection: socket.socket) -> None:
        connection.sendall(b"RFB 003.008\n")
        connection.recv(12)

    with raw_server(leave) as port, pytest.raises(ConnectionLost):
        try_to_log_in(login_at(port))
