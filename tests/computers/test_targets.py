"""Specs of the command line, understood or refused with the way out."""

from __future__ import annotations

import pytest

from operator_console.computers.targets import TARGETS, parse_target, resolve
from operator_console.computers.virtual.target import DEFAULT_SIZE, virtual_size
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import TargetKind, VncTarget, target_address
from operator_console.domain.geometry import Size


@pytest.mark.parametrize(
    ("spec", "kind", "argument"),
    [
        ("monitor:1", TargetKind.MONITOR, "1"),
        ("monitor:12", TargetKind.MONITOR, "12"),
        ("monitor", TargetKind.MONITOR, ""),
        ("window:^Report: 1$", TargetKind.WINDOW, "^Report: 1$"),
        ("window:0x1E00007", TargetKind.WINDOW, "0x1E00007"),
        ("vm:debian", TargetKind.VM, "debian"),
        ("vm:0x1E00007", TargetKind.VM, "0x1E00007"),
        ("virtual", TargetKind.VIRTUAL, ""),
        ("virtual:800x600", TargetKind.VIRTUAL, "800x600"),
        ("vnc:host:5900", TargetKind.VNC, "host:5900"),
        ("vnc:host", TargetKind.VNC, "host"),
        ("browser", TargetKind.BROWSER, ""),
        ("browser:http://localhost:8000/", TargetKind.BROWSER, "http://localhost:8000/"),
    ],
)
def test_a_spec_is_understood(spec: str, kind: TargetKind, argument: str) -> None:
    parsed = parse_target(spec)
    assert (parsed.target.kind, parsed.argument) == (kind, argument)


def test_every_kind_is_registered_once() -> None:
    assert sorted(each.kind for each in TARGETS) == sorted(TargetKind)


def test_a_virtual_desktop_has_the_size_that_is_asked_for() -> None:
    assert virtual_size("800x600") == Size(800, 600)
    assert virtual_size("") == DEFAULT_SIZE
    assert resolve("virtual:800x600", OwnWindows()).title == "Virtual desktop · 800 × 600"


@pytest.mark.parametrize(
    "spec",
    ["", "monitor:0", "monitor:x", "monitor:-1", "window:", "window:(", "vm:", "vm:(", "virtual:9x9", "virtual:big",
     "vnc:", "vnc:host:", "vnc:host:0", "screen:1", "monitor:1:2", "virtual:99999x10", "vnc:host:70000", "vnc:::1",
     "vnc:a b:1", "vnc:user@host:1"],
)  # fmt: skip
def test_nonsense_is_a_usage_error_with_a_remedy(spec: str) -> None:
    with pytest.raises(OperatorError) as caught:
        parse_target(spec)
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("spec", "address"),
    [
        ("vnc:host", "host:5900"),
        ("vnc:host:5901", "host:5901"),
        ("vnc:192.0.2.7:5900", "192.0.2.7:5900"),
        ("vnc:[2001:db8::1]", "[2001:db8::1]:5900"),
        ("vnc:[::1]:5977", "[::1]:5977"),
    ],
)
def test_a_machine_has_its_address_and_a_port(spec: str, address: str) -> None:
    found = resolve(spec, OwnWindows())
    assert found == VncTarget(spec=f"vnc:{address}", title=f"VNC · {address}")
    assert target_address(found) == address
