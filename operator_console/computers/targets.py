"""Targets by name: what can be driven here, what a spec of the command line means, and opening it.

Specs (`--target`): `monitor:1` `window:REGEX` `window:0xID` `virtual[:WxH]` `vnc:HOST:PORT` `browser[:URL]`. Called by
cli (`targets`, `run`) and by the window's picker through app.py. Blocking functions say so; none keeps a connection.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from operator_console.computers.desktop import DesktopComputer
from operator_console.computers.eyes import Eye, MonitorEye, WindowEye
from operator_console.computers.words import quoted
from operator_console.desktop.own import OwnWindows
from operator_console.desktop.platform import open_display, start_virtual_desktop
from operator_console.desktop.values import Window
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import Frame, ImageNeeds, TargetKind, TargetRef
from operator_console.domain.geometry import Rect, Size

DEFAULT_VIRTUAL = Size(1440, 900)
_SPECS = "monitor:N, window:REGEX, window:0xID, virtual[:WxH], vnc:HOST:PORT or browser[:URL]"
_LEAST, _MOST = 320, 7680


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """A parsed spec. `number` for a monitor, `pattern` for a window, `size` for a virtual desktop, `rest` otherwise."""

    kind: TargetKind
    number: int = 1
    pattern: str = ""
    size: Size = DEFAULT_VIRTUAL
    rest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetListing:
    """One line of `targets`: the target, where it is (input units), "shown", "minimised" ..., its process."""

    ref: TargetRef
    rect: Rect
    state: str = "shown"
    pid: int | None = None
    primary: bool = False


def parse_target(spec: str) -> TargetSpec:
    """Raises OperatorError (usage) for a spec that is none."""
    kind, _, rest = spec.strip().partition(":")
    match kind:
        case "monitor" if re.fullmatch(r"[1-9][0-9]{0,2}", rest or "1"):
            return TargetSpec(kind=TargetKind.MONITOR, number=int(rest or "1"))
        case "window" if rest:
            _require_pattern(rest)
            return TargetSpec(kind=TargetKind.WINDOW, pattern=rest)
        case "virtual":
            return TargetSpec(kind=TargetKind.VIRTUAL, size=_virtual_size(rest))
        case "vnc" if re.fullmatch(r".+:[0-9]{1,5}", rest):
            return TargetSpec(kind=TargetKind.VNC, rest=rest)
        case "browser":
            return TargetSpec(kind=TargetKind.BROWSER, rest=rest)
        case _:
            raise OperatorError(
                f"“{spec}” is not a target.",
                remedy=f"Write {_SPECS}; `operator-console targets` lists what is here.",
                exit_code=ExitCode.USAGE,
            )


def _require_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise OperatorError(
            f"“{pattern}” is not a regular expression.",
            detail=f"{error.msg} at position {error.pos}." if error.pos is not None else error.msg,
            remedy="Write a backslash before brackets and other special characters of a title.",
            exit_code=ExitCode.USAGE,
        ) from error


def _virtual_size(text: str) -> Size:
    if not text:
        return DEFAULT_VIRTUAL
    found = re.fullmatch(r"([0-9]{3,4})x([0-9]{3,4})", text)
    if found and all(_LEAST <= int(side) <= _MOST for side in found.groups()):
        return Size(int(found[1]), int(found[2]))
    raise OperatorError(
        f"“{text}” is not the size of a virtual desktop.",
        remedy=f"Write width x height in pixels, for instance virtual:1440x900 ({_LEAST} to {_MOST}).",
        exit_code=ExitCode.USAGE,
    )


def list_targets(own: OwnWindows, display_name: str | None = None) -> list[TargetListing]:
    """Monitors, then windows from the top-most down, ours left out. Blocking, some milliseconds.

    Raises OperatorError (Wayland, another system), ComputerUnavailable (no display).
    """
    display = open_display(display_name)
    try:
        layers = display.window_layers(own)
        found = [
            TargetListing(
                ref=TargetRef(
                    kind=TargetKind.MONITOR,
                    spec=f"monitor:{each.number}",
                    title=f"Monitor {each.number} · {each.rect.width} × {each.rect.height}",
                    display=display.name,
                ),
                rect=each.rect,
                primary=each.primary,
            )
            for each in display.monitors()
        ]
        shown = [each for each in display.all_windows() if not layers.is_own(each)]
        return found + [_listing(each, display.name) for each in shown]
    finally:
        display.close()


def _listing(window: Window, display_name: str) -> TargetListing:
    ref = TargetRef(
        kind=TargetKind.WINDOW,
        spec=f"window:{window.window_id:#x}",
        title=window.title or window.app or f"{window.window_id:#x}",
        display=display_name,
        window_id=window.window_id,
        app=window.app,
    )
    return TargetListing(ref=ref, rect=window.rect, state=window.state.value, pid=window.pid)


def resolve(spec: str, own: OwnWindows, display_name: str | None = None) -> TargetRef:
    """The one target of this desktop that a monitor or window spec means. Blocking.

    Raises:
        OperatorError: no such target, several, or a kind that this version does not drive.
        ComputerUnavailable: no display.
    """
    parsed = parse_target(spec)
    match parsed.kind:
        case TargetKind.MONITOR:
            return _monitor(parsed, list_targets(own, display_name))
        case TargetKind.WINDOW:
            return _window(parsed, list_targets(own, display_name))
        case TargetKind.VIRTUAL:
            title = f"Virtual desktop · {parsed.size.width} × {parsed.size.height}"
            return TargetRef(kind=TargetKind.VIRTUAL, spec=spec, title=title)
        case TargetKind.VNC | TargetKind.BROWSER:
            name = "VNC machines" if parsed.kind is TargetKind.VNC else "A managed browser"
            raise OperatorError(
                f"{name} cannot be driven in this version.",
                detail="Monitors, windows and an isolated virtual desktop can.",
                remedy="Open it in a window of this desktop and choose that: --target window:TITLE.",
            )


def _monitor(parsed: TargetSpec, found: Sequence[TargetListing]) -> TargetRef:
    here = [each.ref for each in found if each.ref.kind is TargetKind.MONITOR]
    if parsed.number > len(here):
        raise OperatorError(
            f"There is no monitor {parsed.number}.",
            detail=f"This desktop has {len(here)}.",
            remedy="`operator-console targets` lists them.",
        )
    return here[parsed.number - 1]


def _window(parsed: TargetSpec, found: Sequence[TargetListing]) -> TargetRef:
    here = [each for each in found if each.ref.kind is TargetKind.WINDOW]
    if re.fullmatch(r"0x[0-9a-fA-F]+", parsed.pattern):
        fitting = [each for each in here if each.ref.window_id == int(parsed.pattern, 16)]
    else:
        expression = re.compile(parsed.pattern, re.IGNORECASE)
        fitting = [each for each in here if expression.search(each.ref.title)]
    if len(fitting) == 1:
        return fitting[0].ref
    listed = "; ".join(f"{each.ref.spec} {quoted(each.ref.title)}" for each in (fitting or here))
    if fitting:
        raise OperatorError(
            f"{len(fitting)} windows fit “{parsed.pattern}”.",
            detail=listed + ".",
            remedy="Name one by its id: --target window:0xID.",
        )
    raise OperatorError(
        f"No window fits “{parsed.pattern}”.",
        detail=f"Open are: {listed}." if listed else "No window is open.",
        remedy="Open it first, or choose another target; `operator-console targets` lists them.",
    )


def make_eye(ref: TargetRef, own: OwnWindows) -> MonitorEye | WindowEye:
    """An eye on a monitor, a virtual desktop that runs, or a window; for the thread that calls this. Blocking."""
    if ref.kind is TargetKind.WINDOW:
        return WindowEye(ref, own)
    number = parse_target(ref.spec).number if ref.kind is TargetKind.MONITOR else 1
    return MonitorEye(ref, number, own)


def snapshot(ref: TargetRef, own: OwnWindows, needs: ImageNeeds | None = None) -> Frame:
    """One capture, for the picker's pictures. Blocking; raises ComputerUnavailable with the reason."""
    eye: Eye = make_eye(ref, own)
    try:
        return eye.preview(needs or ImageNeeds())
    finally:
        eye.close()


async def open_computer(spec: str, own: OwnWindows, display_name: str | None = None) -> DesktopComputer:
    """The computer a spec means, connected; a virtual desktop is started and ends with `close`.

    Raises OperatorError and ComputerUnavailable as `resolve`, and OperatorError where Xvfb is not installed.
    """
    parsed = parse_target(spec)
    ref = await asyncio.to_thread(resolve, spec, own, display_name)
    if parsed.kind is not TargetKind.VIRTUAL:
        return await DesktopComputer.open(ref, lambda: make_eye(ref, own))
    machine = await start_virtual_desktop(parsed.size)
    try:
        there = replace(ref, display=machine.display)
        return await DesktopComputer.open(there, lambda: make_eye(there, own), end=machine.close)
    except BaseException:
        await asyncio.shield(machine.close())
        raise
