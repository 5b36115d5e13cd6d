"""Specs of the command line, understood or refused with the way out."""

from __future__ import annotations

import pytest

from operator_console.computers.targets import DEFAULT_VIRTUAL, TargetSpec, parse_target, resolve
from operator_console.desktop.own import OwnWindows
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import TargetKind
from operator_console.domain.geometry import Size


@pytest.mark.parametrize(
    ("spec", "parsed"),
    [
        ("monitor:1", TargetSpec(kind=TargetKind.MONITOR, number=1)),
        ("monitor:12", TargetSpec(kind=TargetKind.MONITOR, number=12)),
        ("monitor", TargetSpec(kind=TargetKind.MONITOR, number=1)),
        ("window:^Report: 1$", TargetSpec(kind=TargetKind.WINDOW, pattern="^Report: 1$")),
        ("window:0x1E00007", TargetSpec(kind=TargetKind.WINDOW, pattern="0x1E00007")),
        ("virtual", TargetSpec(kind=TargetKind.VIRTUAL, size=DEFAULT_VIRTUAL)),
        ("virtual:800x600", TargetSpec(kind=TargetKind.VIRTUAL, size=Size(800, 600))),
        ("vnc:host:5900", TargetSpec(kind=TargetKind.VNC, rest="host:5900")),
        ("browser", TargetSpec(kind=TargetKind.BROWSER)),
        ("browser:http://localhost:8000/", TargetSpec(kind=TargetKind.BROWSER, rest="http://localhost:8000/")),
    ],
)
def test_a_spec_is_understood(spec: str, parsed: TargetSpec) -> None:
    assert parse_target(spec) == parsed


@pytest.mark.parametrize(
    "spec",
    ["", "monitor:0", "monitor:x", "monitor:-1", "window:", "window:(", "virtual:9x9", "virtual:big", "vnc:host",
     "screen:1", "monitor:1:2", "virtual:99999x10"],
)  # fmt: skip
def test_nonsense_is_a_usage_error_with_a_remedy(spec: str) -> None:
    with pytest.raises(OperatorError) as caught:
        parse_target(spec)
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.remedy


@pytest.mark.parametrize("spec", ["vnc:host:5900", "browser"])
def test_what_this_version_does_not_drive_is_refused(spec: str) -> None:
    with pytest.raises(OperatorError, match="this version") as caught:
        resolve(spec, OwnWindows())
    assert caught.value.exit_code == ExitCode.REFUSED
    assert "window:" in caught.value.remedy
