"""Targets, captures of them, and the pictures made of captures for the model.

A `Frame` holds native pixels and everything the computer knew at that moment. A `Picture` is the encoded form that is
sent to the model and kept in the record.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.hidden_areas import HiddenArea
from operator_console.domain.pages import Page
from operator_console.domain.viewer_names import Viewer


class TargetKind(StrEnum):
    """The kind of target."""

    MONITOR = "monitor"
    WINDOW = "window"
    VM = "vm"
    VIRTUAL = "virtual"
    VNC = "vnc"
    BROWSER = "browser"

    @property
    def starts_with_session(self) -> bool:
        """Whether a target of this kind is not started, or not connected to, before its session."""
        return self in (TargetKind.VIRTUAL, TargetKind.BROWSER, TargetKind.VNC)

    @property
    def is_one_window(self) -> bool:
        """Whether a target of this kind is one window of the person's desktop."""
        return self in (TargetKind.WINDOW, TargetKind.VM)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorTarget:
    """A monitor of a desktop.

    Attributes:
        spec: as the command line writes it: "monitor:1".
        title: for display: "Monitor 1 · 1440 × 900".
        display: the desktop's name (":99"); "" where the platform has only one.
        window_id, app: always None and "", which records of a monitor and a virtual desktop say as well.
    """

    kind: Literal[TargetKind.MONITOR] = TargetKind.MONITOR
    spec: str
    title: str
    display: str = ""
    window_id: None = None
    app: Literal[""] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowTarget:
    """One window of a desktop, with its dialogs and menus.

    Attributes:
        spec: "window:0x1e00007".
        title: "Expense report — Chromium".
        display: as of a monitor.
        window_id: the client window's id.
        app: the application's name or class, "" where unknown.
        joined: the ids of further windows that its program opened for the agent, which are a part of it in this run.
    """

    kind: Literal[TargetKind.WINDOW] = TargetKind.WINDOW
    spec: str
    title: str
    display: str = ""
    window_id: int
    app: str = ""
    joined: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VmTarget:
    """A machine's screen in a viewer's window: the part of the window that shows it, and no menu, border or dialog.

    Attributes:
        spec: "vm:0x1e00007".
        title: "Virtual machine · debian".
        display, window_id, app: as of a window.
        viewer: the program that shows it.
        name: the machine's name, as the window's title gives it.
        layout: the machine's keyboard layout by its name in XKB: "de", "de(nodeadkeys)"; "" for that of this desktop.
        window_rect: the window's client area when a picture was taken, in input units; None where none was taken.
    """

    kind: Literal[TargetKind.VM] = TargetKind.VM
    spec: str
    title: str
    display: str = ""
    window_id: int
    app: str = ""
    viewer: Viewer
    name: str
    layout: str = ""
    window_rect: Rect | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualTarget:
    """An isolated desktop that is started for a session.

    Attributes:
        spec: "virtual:1440x900".
        title: "Virtual desktop · 1440 × 900".
        display: its name; "" before it is started.
        shared: the folder of this computer by which files go in and out; "" for none.
        sandboxed: whether its programs run in a sandbox.
        address: its own accessibility bus; "" for that of the person's session, and in records.
        window_id, app: as of a monitor.
    """

    kind: Literal[TargetKind.VIRTUAL] = TargetKind.VIRTUAL
    spec: str
    title: str
    display: str = ""
    shared: str = ""
    sandboxed: bool = False
    address: str = ""
    window_id: None = None
    app: Literal[""] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VncTarget:
    """A machine elsewhere, which has no display here.

    Attributes:
        spec: "vnc:HOST:PORT", an IPv6 address in brackets.
        title: "VNC · HOST:PORT".
        layout: the machine's keyboard layout, by its name in XKB.
    """

    kind: Literal[TargetKind.VNC] = TargetKind.VNC
    spec: str
    title: str
    layout: str = "us"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserTarget:
    """A browser that the console starts for a session, or an open one that it joins.

    Attributes:
        spec: "browser:https://example.org".
        title: "Browser · example.org".
        url: the address that it begins with; "" for an empty page.
        joins: the debugging address of the open browser; "" for a browser that is started.
        display: the desktop that its window is on; "" where it has no window.
        address: where what acts on it connects; "" before it is started, and in records.
    """

    kind: Literal[TargetKind.BROWSER] = TargetKind.BROWSER
    spec: str
    title: str
    url: str = ""
    joins: str = ""
    display: str = ""
    address: str = ""


OneWindow = WindowTarget | VmTarget
"""What is one window of a desktop."""

DesktopTarget = MonitorTarget | OneWindow | VirtualTarget
"""What is on a desktop of this machine."""

TargetRef = DesktopTarget | VncTarget | BrowserTarget
"""Identifies one target. Each kind has the fields that identify it, besides `kind`, `spec` and `title`."""


def target_display(target: TargetRef) -> str:
    """The name of the desktop that a target is on; "" where that is the only one, or where it is on none."""
    return "" if isinstance(target, VncTarget) else target.display


def target_address(target: TargetRef) -> str:
    """Where what acts on a target connects besides its desktop: a browser, a machine, a desktop's own elements."""
    if isinstance(target, VncTarget):
        return target.spec.partition(":")[2]
    return target.address if isinstance(target, BrowserTarget | VirtualTarget) else ""


def machine_name(target: TargetRef) -> str:
    """The name that the settings know a machine by, "vnc:HOST:PORT" or "vm:NAME"; "" for any other target."""
    if isinstance(target, VmTarget):
        return f"vm:{target.name}"
    return target.spec if isinstance(target, VncTarget) and target_address(target) else ""


def as_recorded(target: TargetRef) -> TargetRef:
    """The target without what is true of this run only."""
    if isinstance(target, VmTarget):
        return replace(target, window_rect=None)
    if isinstance(target, WindowTarget):
        return replace(target, joined=())
    return replace(target, address="") if isinstance(target, BrowserTarget | VirtualTarget) else target


def target_window_id(target: TargetRef) -> int | None:
    """The id of a target that is one window; None for any other."""
    return target.window_id if isinstance(target, OneWindow) else None


def target_app(target: TargetRef) -> str:
    """The application of a target that is one window; "" where it is unknown, and for any other target."""
    return target.app if isinstance(target, OneWindow) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowInfo:
    """One top-level window; `rect` is the client area in input units (frame decorations excluded)."""

    window_id: int
    title: str
    app: str
    pid: int | None
    rect: Rect
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StackedWindow:
    """A top-level window in the stacking order of a desktop.

    Attributes:
        info: the window.
        parts: the areas that take pointer input, in input units; () where all of it passes through.
        takes_focus: whether a click in it is expected to give it the keyboard focus (menus, tooltips, docks: no).
    """

    info: WindowInfo
    parts: tuple[Rect, ...]
    takes_focus: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBox:
    """A piece of text found on a frame, in native pixels. `confidence` 0..1; `source` says where it comes from.

    `parts` are its words with boxes of their own, where they are known; empty for one word.
    """

    text: str
    box: Rect
    confidence: float = 1.0
    source: str = "ocr"
    parts: tuple[TextBox, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageNeeds:
    """What a provider's model requires of a picture; limits are upper bounds, None means none.

    Attributes:
        long_edge: longest side in pixels.
        pixels: number of pixels.
        patch_edge, patches: number of squares of `patch_edge` pixels that cover the picture.
        multiple_of: sides are multiples of this (1: any).
        max_bytes: size of the encoded picture that should not be exceeded.
        mime_type: "image/png" or "image/jpeg".
    """

    long_edge: int | None = None
    pixels: int | None = None
    patch_edge: int = 1
    patches: int | None = None
    multiple_of: int = 1
    max_bytes: int | None = 500_000
    mime_type: str = "image/png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An encoded picture.

    Attributes:
        size: what points on it refer to; smaller than the frame's `geometry.sent` where it had too many bytes.
        digest: the SHA-256 of `data` in hex.
        note: how it was reduced (palette, scaled).
        reduced: whether it was reduced to stay within `max_bytes`.
    """

    data: bytes = field(repr=False)
    mime_type: str
    size: Size
    digest: str
    note: str = ""
    reduced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The only part in which a frame may differ from an earlier one: `box` (native pixels; empty: no difference)."""

    since: str
    box: Rect

    def after(self, earlier: Change) -> Change:
        """This change and `earlier`, the one right before it, combined."""
        return Change(since=earlier.since, box=earlier.box.union(self.box))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One capture.

    Attributes:
        frame_id: hex digest of the pixels (fast, not cryptographic); equal pixels give equal ids.
        pixels: rows of 4 bytes per pixel B, G, R, X, top to bottom, no padding; read-only.
        geometry: how the coordinate spaces of this capture relate.
        target: what was captured.
        taken_s: time.monotonic() of the grab.
        stack: the windows that pointer input could reach right before the grab, bottom first: on a monitor all except
            the console's, for a window target those that belong to it; None where they are not known.
        focus: the window that had the keyboard focus right before the grab, None where none or unknown.
        focus_in_target: whether that focus belongs to the target.
        pointer: the pointer in native pixels, None where it is not on the target.
        pointer_screen: the pointer in input units.
        page: what a managed browser tells about the page; None elsewhere.
        title: the target window's title now.
        covered: what could not be captured, in words ("" normally).
        hidden: the areas that are black in `pixels`: shutters, and fields for passwords.
        texts: accessible or otherwise known texts; OCR is perception's and not here.
        covering: in a live stream of a window, other programs' windows that lie over it, bottom first: the hidden
            areas in input units.
        apart: windows that the target window's program opened since the first picture, and that are not in this one.
        change: in a live stream, where it differs from the frame before; None: anywhere.
    """

    frame_id: str
    pixels: memoryview = field(repr=False)
    geometry: FrameGeometry
    target: TargetRef
    taken_s: float
    stack: tuple[StackedWindow, ...] | None = None
    focus: WindowInfo | None = None
    focus_in_target: bool = True
    pointer: NativePoint | None = None
    pointer_screen: ScreenPoint | None = None
    page: Page | None = None
    title: str = ""
    covered: str = ""
    hidden: tuple[HiddenArea, ...] = ()
    texts: tuple[TextBox, ...] = ()
    covering: tuple[StackedWindow, ...] = ()
    apart: tuple[WindowInfo, ...] = ()
    change: Change | None = None

    def owner(self, at: NativePoint) -> StackedWindow | None:
        """The window that owned a pixel of this frame; None: the bare desktop, or not known (`stack` is None)."""
        place = self.geometry.to_screen(at)
        for window in reversed(self.stack or ()):
            if any(part.contains(place.x, place.y) for part in window.parts):
                return window
        return None

    @property
    def front(self) -> WindowInfo | None:
        """The window of the target that has the focus, else its top-most one that can have it; None: not known."""
        if self.focus is not None and self.focus_in_target and not self.focus.own:
            return self.focus
        return next((each.info for each in reversed(self.stack or ()) if each.takes_focus), None)

    @property
    def url(self) -> str:
        """The address of the page; "" where it is not known."""
        return "" if self.page is None else self.page.url

    def crop(self, region: Rect) -> bytes:
        """BGRX rows of `region` (native pixels, must lie inside the frame), without padding."""
        stride = self.geometry.native.width * 4
        start = region.x * 4
        return b"".join(
            bytes(self.pixels[row * stride + start : row * stride + start + region.width * 4])
            for row in range(region.y, region.bottom)
        )


class KeyboardFocus(StrEnum):
    """Where the keyboard focus is."""

    TARGET = "target"
    NOBODY = "nobody"
    """One of the console's windows has it, or none."""
    ELSEWHERE = "elsewhere"
    """Another application's window has it, in which a person may be working."""


class SettleReason(StrEnum):
    """Why the wait for a settled picture ended."""

    QUIET = "quiet"
    BOUNDED = "bounded"
    STILL_MOVING = "still_moving"
    NOT_ANSWERING = "not_answering"
    """The window's application has not handled the input: it hangs, or its process is stopped."""
    INTERRUPTED = "interrupted"
