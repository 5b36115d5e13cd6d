"""All kinds of target, and finding and opening the one that a specification such as `monitor:1` names.

Each kind has its own package; `TARGETS` lists them. No function keeps a connection open except through what it
returns.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from operator_console.computers.browser.target import BROWSER
from operator_console.computers.monitor.target import MONITOR
from operator_console.computers.target_spec import UNKNOWN_GUEST, Guest, TargetListing, TargetSpec
from operator_console.computers.virtual.target import VIRTUAL
from operator_console.computers.vm.target import VM
from operator_console.computers.vnc.target import VNC
from operator_console.computers.window.target import WINDOW
from operator_console.computers.window_wording import require_shown
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import open_display
from operator_console.desktop.protocols import Desktop, StartedDesktop, WindowLayers
from operator_console.desktop.values import PLAIN_DESKTOP, DesktopPlan
from operator_console.domain.display_names import NO_DISPLAY, display_of_person, in_wayland_session
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import (
    Frame,
    ImageNeeds,
    OneWindow,
    TargetRef,
    VirtualTarget,
    VmTarget,
    WindowTarget,
)
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.desktop_computer import DesktopComputer
    from operator_console.computers.target_capture import TargetCapture


TARGETS: tuple[TargetSpec, ...] = (
    MONITOR,
    WINDOW,
    VM,
    VIRTUAL,
    VNC,
    BROWSER,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedTarget:
    """A well-formed specification: its kind, and the argument after the colon ("" if none)."""

    target: TargetSpec
    argument: str


def parse_target(spec: str) -> ParsedTarget:
    """Parse a specification. Raises OperatorError (usage) if it is malformed."""
    kind, _, argument = spec.strip().partition(":")
    for target in TARGETS:
        if target.kind.value == kind and target.accepts(argument):
            return ParsedTarget(target=target, argument=argument)
    *most, last = (each.grammar for each in TARGETS)
    raise OperatorError(
        notice(NoticeCode.NOT_A_TARGET, text=spec),
        remedy=notice(NoticeCode.WRITE_TARGET_LIKE, forms=", ".join(most), last=last),
        exit_code=ExitCode.USAGE,
    )


def list_targets(own: OwnWindows, display_name: str | None = None) -> list[TargetListing]:
    """What can be worked on here. Blocking.

    Monitors, windows from the top without the console's own, machines that windows show, then what a session starts.

    In a Wayland session only the last.

    Raises:
        OperatorError: another operating system.
        ComputerUnavailable: no display.
    """
    name = display_of_person(os.environ) if display_name is None else display_name
    if name == NO_DISPLAY and in_wayland_session(os.environ):
        return listed_anywhere()
    return _each_once(_list_desktop(own, name))


def _list_desktop(own: OwnWindows, display_name: str | None) -> list[TargetListing]:
    """As `list_targets`, with windows that show a machine twice; raises OperatorError on Wayland."""
    with closing(open_display(display_name)) as display:
        return _all_on(display, display.window_layers(own))


def listed_on(desktop: Desktop, layers: WindowLayers) -> list[TargetListing]:
    """As `list_targets`, on an open connection."""
    return _each_once(_all_on(desktop, layers))


def _all_on(desktop: Desktop, layers: WindowLayers) -> list[TargetListing]:
    listed = [each.list_here for each in TARGETS if each.list_here is not None]
    return [*(listing for list_here in listed for listing in list_here(desktop, layers)), *listed_anywhere()]


def _each_once(found: Sequence[TargetListing]) -> list[TargetListing]:
    """Without the plain windows that show a machine. They are not offered, but can be named as windows."""
    machines = {each.ref.window_id for each in found if isinstance(each.ref, VmTarget)}
    return [each for each in found if not (isinstance(each.ref, WindowTarget) and each.ref.window_id in machines)]


def listed_anywhere() -> list[TargetListing]:
    """What a session would start or connect to."""
    listed = [each.list_anywhere for each in TARGETS if each.list_anywhere is not None]
    return [listing for list_anywhere in listed for listing in list_anywhere()]


def resolve(spec: str, own: OwnWindows, display_name: str | None = None) -> TargetRef:
    """The target that a specification names. Blocking.

    Raises:
        OperatorError: no such target, or several.
        ComputerUnavailable: no display.
    """
    parsed = parse_target(spec)
    return parsed.target.resolve(parsed.argument, lambda: _list_desktop(own, display_name))


def open_capture(ref: TargetRef, own: OwnWindows) -> TargetCapture:
    """Connect to an existing target; the connection belongs to the calling thread. Blocking."""
    target = next(each for each in TARGETS if each.kind is ref.kind)
    assert target.open_capture is not None, "kinds that are not available do not resolve"
    return target.open_capture(ref, own)


def snapshot(ref: TargetRef, own: OwnWindows, needs: ImageNeeds | None = None) -> Frame:
    """One picture of a target. Blocking. Raises ComputerUnavailable with the reason."""
    with closing(open_capture(ref, own)) as capture:
        return capture.preview(needs or ImageNeeds())


def observe_once(ref: TargetRef, own: OwnWindows) -> Frame:
    """One picture of a target with its windows and the focus. Blocking. Raises ComputerUnavailable with the reason."""
    with closing(open_capture(ref, own)) as capture:
        return capture.frame(ImageNeeds())


def bring_forward(ref: TargetRef) -> bool:
    """Restore a window target, raise it and give it the focus; whether it has it. Other targets stay as they are.

    Blocking, for up to 2 s. Raises ComputerUnavailable if the window is gone.
    """
    if not isinstance(ref, OneWindow):
        return True
    with closing(open_display(ref.display or None)) as display:
        window = display.describe(ref.window_id)
        if window is None:
            require_shown(window, ref.title)
            return False
        return display.activate(window)


async def open_computer(
    spec: str, own: OwnWindows, display_name: str | None = None, plan: DesktopPlan = PLAIN_DESKTOP
) -> DesktopComputer:
    """Connect to the desktop that a specification names; `close` ends it.

    One whose kind needs that is started first, as planned.

    Raises OperatorError and ComputerUnavailable as `resolve` and the start of the target do.
    """
    parsed = parse_target(spec)
    ref = await asyncio.to_thread(resolve, spec, own, display_name)
    if parsed.target.start is None:
        return await connect(ref, own)
    assert isinstance(ref, VirtualTarget), "no other kind is started"
    machine = await parsed.target.start(parsed.argument, plan)
    try:
        there = replace(
            ref, display=machine.display, shared=str(plan.shared or ""), sandboxed=machine.sandboxed,
            address=machine.accessibility,
        )  # fmt: skip
        return await connect(there, own, end=machine.close, started=machine)
    except BaseException:
        await asyncio.shield(machine.close())
        raise


async def connect(
    ref: TargetRef,
    own: OwnWindows,
    *,
    end: Callable[[], Awaitable[None]] | None = None,
    started: StartedDesktop | None = None,
    guest: Guest = UNKNOWN_GUEST,
) -> DesktopComputer:
    """Connect to an existing target. Raises ComputerUnavailable.

    Args:
        ref: the target.
        own: the console's windows.
        end: awaited by `close`; not if connecting fails.
        started: the desktop that it is on, which the console has started; None: it is on the person's.
        guest: the virtual machine that it shows.
    """
    from operator_console.computers.desktop_computer import DesktopComputer  # loads numpy, which listing does without
    from operator_console.computers.far_input import DesktopSender

    return await DesktopComputer.open(
        ref, lambda: open_capture(ref, own), end=end, programs=started.programs if started is not None else None,
        sender=DesktopSender(started.open_input) if started is not None else None, guest=guest,
    )  # fmt: skip
