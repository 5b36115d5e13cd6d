"""`targets key`: a machine's password and certificate are kept, shown once or not at all, and tried."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import ExitCode
from operator_console.settings.file_locations import find_paths
from operator_console.settings.vnc_machines import PASSWORD_VARIABLE, accepted_certificates, find_password
from tests.cli.command import command
from tests.rfb.conftest import Certificate, certificate
from tests.servers.rfb_referee import Referee, Rules
from tests.settings.memory_keyring import memory_keyring

__all__ = ["certificate"]
VENCRYPT, X509_NONE = 19, 260


@pytest.fixture(autouse=True)
def without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)


def test_the_password_is_kept_and_the_machine_tried() -> None:
    with memory_keyring(), Referee(Rules()) as server:
        done = command("targets", "key", f"vnc:127.0.0.1:{server.port}", stdin="open sesame\n")
        address = f"127.0.0.1:{server.port}"
        assert done.code == ExitCode.FINISHED, done.err
        assert f"The password of {address} is kept" in done.out
        assert f"{address} can be logged in to." in done.out
        assert "sesame" not in done.out + done.err
        assert find_password(address) == "open sesame"
        assert command("targets", "key", f"vnc:{address}", "--delete").code == ExitCode.FINISHED
        assert find_password(address) == ""


def test_a_machine_that_is_not_there_is_said_so_and_the_password_kept() -> None:
    with Referee(Rules()) as server:
        port = server.port
    with memory_keyring():
        done = command("targets", "key", f"vnc:127.0.0.1:{port}", stdin="open sesame")
        assert done.code == ExitCode.REFUSED
        assert "was not reached" in done.err
        assert find_password(f"127.0.0.1:{port}") == "open sesame"


def test_a_certificate_is_shown_and_accepted_by_its_fingerprint_alone(certificate: Certificate) -> None:
    rules = Rules(security=(VENCRYPT,), sub_types=(X509_NONE,), tls=certificate.context)
    with memory_keyring(), Referee(rules) as server:
        machine = f"vnc:127.0.0.1:{server.port}"
        shown = command("targets", "key", machine, stdin="open sesame")
        assert shown.code == ExitCode.REFUSED
        assert certificate.fingerprint in shown.err
        assert command("targets", "key", machine, "--trust", "0" * 64).code == ExitCode.FINISHED
        changed = command("targets", "key", machine, stdin="open sesame")
        assert "is another one than you accepted" in changed.err
        assert command("targets", "key", machine, "--trust", certificate.fingerprint).code == ExitCode.FINISHED
        assert command("targets", "key", machine, stdin="open sesame").code == ExitCode.FINISHED
        kept = accepted_certificates(find_paths().vnc_certificates)
        assert kept == {f"127.0.0.1:{server.port}": certificate.fingerprint}


@pytest.mark.parametrize("machine", ["monitor:1", "vnc:", "vnc:host:0", "nonsense"])
def test_what_is_no_machine_is_a_usage_error(machine: str) -> None:
    assert command("targets", "key", machine, stdin="x").code == ExitCode.USAGE
