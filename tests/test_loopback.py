"""An address is on this computer by each of its names, and by none that only a name server knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console import loopback
from operator_console.loopback import host_of, is_loopback


@pytest.fixture(autouse=True)
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hosts file of its own."""
    file = tmp_path / "hosts"
    file.write_text(
        "127.0.0.1 localhost\n127.0.1.1\tWorkbench workbench.lan # its own\n::1 ip6-loopback\n"
        "192.168.7.5 server\n127.0.0.1 both\n10.0.0.9 both\nnonsense named\n\n#127.0.0.1 commented\n"
    )
    monkeypatch.setattr(loopback, "_HOSTS", file)
    return file


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST", "localhost.", "model.localhost", "Model.LocalHost.", "127.0.0.1", "127.0.0.1.",
        "127.1", "127.255.255.254", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]", "0.0.0.0", "[::]", "workbench", "WORKBENCH.lan", "ip6-loopback",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["http://{}:8000/v1", "https://{}", "HTTP://{}/"])
def test_an_address_of_this_computer_is_known_by_any_name(host: str, form: str) -> None:
    assert is_loopback(form.format(host))


@pytest.mark.parametrize(
    "url",
    [
        "http://192.168.7.5:8000/v1", "http://server", "http://both", "http://named", "http://commented",
        "http://localhost.example.com", "http://notlocalhost", "http://128.0.0.1", "http://[::ffff:10.0.0.1]",
        "http://[fe80::1]", "http://127.0.0.1.example.com", "http://example.com/127.0.0.1", "http://unknown-name",
        "http://127.0.0.1@example.com", "", "localhost", "http://[::1", "http://",
    ],
)  # fmt: skip
def test_anything_else_is_not_on_this_computer(url: str) -> None:
    assert not is_loopback(url)


def test_without_a_hosts_file_a_name_is_not_on_this_computer(hosts: Path) -> None:
    hosts.unlink()
    assert not is_loopback("http://workbench")
    assert is_loopback("http://localhost")


def test_the_host_of_an_address_is_told_in_lower_case() -> None:
    assert host_of("https://Proxy.LAN:1/x") == "proxy.lan"
    assert host_of("http://[::1") == ""
