"""Targets by name: what can be driven here, what a spec of the command line means, and opening it.

What each kind does stands in its own package; the kinds are in registry.py. Blocking functions say so; none keeps a
connection.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from operator_console.computers.desktop import DesktopComputer
from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.computers.registry import TARGETS
from operator_console.computers.target_spec import TargetListing, TargetSpec
from operator_console.desktop.own import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import Frame, ImageNeeds, TargetRef


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedTarget:
    """A spec that is well formed: its kind, and what stands after the colon ("" where nothing does)."""

    target: TargetSpec
    argument: str


def parse_target(spec: str) -> ParsedTarget:
    """Raises OperatorError (usage) for a spec that is none."""
    kind, _, argument = spec.strip().partition(":")
    for target in TARGETS:
        if target.kind.value == kind and target.accepts(argument):
            return ParsedTarget(target=target, argument=argument)
    *most, last = (each.grammar for each in TARGETS)
    raise OperatorError(
        f"“{spec}” is not a target.",
        remedy=f"Write {', '.join(most)} or {last}; `operator-console targets` lists what is here.",
        exit_code=ExitCode.USAGE,
    )


def list_targets(own: OwnWindows, display_name: str | None = None) -> list[TargetListing]:
    """Monitors, then windows from the top, the console's own left out. Blocking.

    Raises OperatorError (Wayland, another system), ComputerUnavailable (no display).
    """
    display = open_display(display_name)
    try:
        layers = display.window_layers(own)
        listed = [each.list_here for each in TARGETS if each.list_here is not None]
        return [listing for list_here in listed for listing in list_here(display, layers)]
    finally:
        display.close()


def resolve(spec: str, own: OwnWindows, display_name: str | None = None) -> TargetRef:
    """The one target that a spec means. Blocking.

    Raises:
        OperatorError: no such target, several, or a kind that this version does not drive.
        ComputerUnavailable: no display.
    """
    parsed = parse_target(spec)
    return parsed.target.resolve(parsed.argument, lambda: list_targets(own, display_name))


def make_eye(ref: TargetRef, own: OwnWindows) -> MonitorEye | WindowEye:
    """A connection to a target that is there, for the thread that calls this. Blocking."""
    target = next(each for each in TARGETS if each.kind is ref.kind)
    assert target.make_eye is not None, "what is not driven is not resolved"
    return target.make_eye(ref, own)


def snapshot(ref: TargetRef, own: OwnWindows, needs: ImageNeeds | None = None) -> Frame:
    """One capture, for the picker's pictures. Blocking; raises ComputerUnavailable with the reason."""
    eye = make_eye(ref, own)
    try:
        return eye.preview(needs or ImageNeeds())
    finally:
        eye.close()


async def open_computer(spec: str, own: OwnWindows, display_name: str | None = None) -> DesktopComputer:
    """The computer a spec means, connected; what is started for it ends with `close`.

    Raises OperatorError and ComputerUnavailable as `resolve`, and as starting the target does.
    """
    parsed = parse_target(spec)
    ref = await asyncio.to_thread(resolve, spec, own, display_name)
    if parsed.target.start is None:
        return await DesktopComputer.open(ref, lambda: make_eye(ref, own))
    machine = await parsed.target.start(parsed.argument)
    try:
        there = replace(ref, display=machine.display)
        return await DesktopComputer.open(there, lambda: make_eye(there, own), end=machine.close)
    except BaseException:
        await asyncio.shield(machine.close())
        raise
