"""Accessible elements of real toolkits against what the applications say themselves, and the time of a query.

The truth is each application's own geometry: Qt's `mapTo`, GTK's `compute_bounds` or allocations, a page's
`getBoundingClientRect` and `elementFromPoint`. LibreOffice tells none, so there it is what another AT-SPI client reads,
moved by the menu bar that LibreOffice leaves out. Times are ratios to one D-Bus round trip to the same application.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from operator_console.computers.desktop_computer import DesktopComputer
from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.elements import Element, Exposure, Role
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.perception.accessibility.atspi.connection import BusConnection, Call
from operator_console.perception.accessibility.atspi.session_service import accessibility_bus
from operator_console.perception.accessibility.atspi.vocabulary import ACCESSIBLE
from operator_console.perception.accessibility.control_rule import ACTIONABLE
from tests.benchmarks.figures import Options, Row, Samples
from tests.display.perception.controls import BUTTONS, SYSTEM_PYTHON, ShownControls, Told, show_gtk, show_page, show_qt
from tests.display.rig import AccessibleDesktop, AccessibleSession, Application, desktop_of_its_own, launch, wait_until

NEAR_PX = 2
POINTS, QUICK_POINTS = 200, 30
SIZE = (1280, 800)
_TOOLKITS = ("GTK 3", "GTK 4", "Qt 6", "Qt 5", "Chromium", "Firefox", "LibreOffice")
_STEADY_S = 5.0
_QT_5 = [SYSTEM_PYTHON, "-c", "import PyQt5.QtWidgets"]
_ROLES = {
    "push button": Role.BUTTON, "toggle button": Role.TOGGLE_BUTTON, "menu": Role.MENU, "text": Role.TEXT_FIELD,
    "scroll bar": Role.SCROLL_BAR,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How many answers agree of how many, and the time of each query and of one round trip in ms."""

    points: int
    on_controls: int
    roles: int
    names: int
    extents: int
    gaps: int
    times_ms: Samples
    trips_ms: Samples
    memory_mb: float
    misses: tuple[str, ...]


def measure(options: Options) -> list[Row]:
    """Every toolkit, a page of 100 buttons, and a frozen application."""
    count = options.times(POINTS, QUICK_POINTS)
    rows: list[Row] = []
    for name in _TOOLKITS:
        if not _installed(name):
            rows.append(Row(what=f"{name}: the element at a point as the application says", n=0, seen="not installed"))
            continue
        with _desktop() as desktop, ExitStack() as stack:
            try:
                compared = asyncio.run(_compare(desktop, _show(name, desktop, stack), count))
            except TimeoutError:
                rows.append(
                    Row(what=f"{name}: the element at a point as the application says", n=0, seen="tells nothing")
                )
                continue
            rows += _agreement_rows(name, compared)
    with _desktop() as desktop, show_page(desktop, page=BUTTONS) as shown:
        rows.append(_buttons_row(asyncio.run(_compare(desktop, shown, count))))
    with _desktop() as desktop:
        rows.append(asyncio.run(_frozen(desktop, count)))
    return rows


def _installed(name: str) -> bool:
    if name == "Qt 5":
        return subprocess.run(_QT_5, check=False, capture_output=True).returncode == 0
    program = {"Chromium": "chromium", "Firefox": "firefox-esr", "LibreOffice": "libreoffice"}.get(name)
    return program is None or shutil.which(program) is not None


@contextmanager
def _desktop() -> Iterator[AccessibleDesktop]:
    with TemporaryDirectory(prefix="elements-") as folder, desktop_of_its_own(Path(folder), SIZE) as desktop:
        session = AccessibleSession(desktop)
        before = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = session.env["DBUS_SESSION_BUS_ADDRESS"]
        try:
            yield AccessibleDesktop(desktop=desktop, tree=session)
        finally:
            os.environ.pop("DBUS_SESSION_BUS_ADDRESS")
            if before is not None:
                os.environ["DBUS_SESSION_BUS_ADDRESS"] = before
            desktop.reset()
            session.close()


def _show(name: str, desktop: AccessibleDesktop, stack: ExitStack) -> ShownControls:
    match name:
        case "GTK 3" | "GTK 4":
            return show_gtk(desktop, f"{name[-1]}.0")
        case "Qt 6":
            return show_qt(desktop)
        case "Qt 5":
            return show_qt(desktop, "PyQt5")
        case "LibreOffice":
            return _show_office(desktop)
        case _:
            return stack.enter_context(show_page(desktop, name.lower()))


def _show_office(desktop: AccessibleDesktop) -> ShownControls:
    profile = f"-env:UserInstallation=file://{desktop.desktop.folder}/office"
    command = ["libreoffice", "--writer", "--norestore", "--nologo", profile]
    env = {**desktop.env, "SAL_USE_VCLPLUGIN": "gtk3"}
    app = launch(desktop.desktop, command, title="Untitled", wm_class="libreoffice", by_pid=False, env=env)
    pid = app.window.pid
    wait_until(lambda: desktop.tree.find_all("Paste", pid=pid), "the tool bars of LibreOffice", interval_s=0.2)
    window = app.now()
    content = Rect(window.x, window.y, window.width, window.height)
    return ShownControls(app=app, controls=_told_by_witness(desktop, app, content), content=content, on_top={})


def _told_by_witness(desktop: AccessibleDesktop, app: Application, content: Rect) -> tuple[Told, ...]:
    """Buttons and menus as the rig's own AT-SPI client reads them; those that tell a value LibreOffice draws itself."""
    found = [node for node in desktop.tree.find_all(pid=app.window.pid) if node.role in _ROLES and node.extents]
    menu_bar = next(node.extents[3] for node in found if node.name == "File" and node.value is None and node.extents)
    told: list[Told] = []
    for node in found:
        drawn = node.value is not None
        if node.extents is None or (drawn and node.role == "menu"):  # its own menu bar is hidden behind GTK's
            continue
        box = Rect(*node.extents).moved(0, menu_bar if drawn else 0)
        if box.width > 1 and box.intersect(content) == box:
            told.append(Told(role=_ROLES[node.role], name=node.name, box=box))
    return tuple(told)


async def _compare(desktop: AccessibleDesktop, shown: ShownControls, count: int) -> Compared:
    async with _asking(desktop) as (elements, computer):
        frame = await _ready(elements, computer)
        chosen = _points(shown, count)
        trips = await _round_trips(elements, frame, chosen[0])
        found: list[tuple[Told | None, Element | None]] = []
        times: list[float] = []
        for x, y in chosen:
            began_s = time.perf_counter()
            (element,) = await elements.at(frame, [NativePoint(x, y)])
            times.append((time.perf_counter() - began_s) * 1000)
            found.append((shown.at(x, y), element))
        memory_mb = _resident_mb(elements)
    hits = [(told, element) for told, element in found if told is not None]
    gaps = [element for told, element in found if told is None]
    return Compared(
        points=len(found),
        on_controls=len(hits),
        roles=sum(e is not None and e.role is told.role for told, e in hits),
        names=sum(e is not None and (told.name in (e.name, "")) for told, e in hits),
        extents=sum(e is not None and _near(told.box, e.box) for told, e in hits),
        gaps=sum(e is None or e.role not in ACTIONABLE for e in gaps),
        times_ms=Samples.of(times),
        trips_ms=trips,
        memory_mb=memory_mb,
        misses=tuple(_miss(point, told, element) for point, (told, element) in zip(chosen, found, strict=True)
                     if not _right(told, element)),
    )  # fmt: skip


def _right(told: Told | None, element: Element | None) -> bool:
    if told is None:
        return element is None or element.role not in ACTIONABLE
    alike = element is not None and element.role is told.role and told.name in (element.name, "")
    return alike and element is not None and _near(told.box, element.box)


def _miss(point: tuple[int, int], told: Told | None, element: Element | None) -> str:
    expected = "no control" if told is None else f"{told.role} {told.name!r} {_box(told.box)}"
    answered = "nothing" if element is None else f"{element.role} {element.name!r} {_box(element.box)}"
    return f"at {point}: {expected}, answered {answered}"


def _box(box: Rect) -> str:
    return f"{box.width}x{box.height}+{box.x}+{box.y}"


class _asking:  # noqa: N801 - used as a context only
    """The product's classes on a desktop of the rig."""

    def __init__(self, desktop: AccessibleDesktop) -> None:
        self._desktop = desktop
        self._folder = TemporaryDirectory(prefix="elements-run-")

    async def __aenter__(self) -> tuple[AccessibleElements, DesktopComputer]:
        self._elements = AccessibleElements(AccessibilityOptions(run_folder=Path(self._folder.name)))
        await self._elements.start()
        self._computer = await open_computer("monitor:1", OwnWindows(), self._desktop.desktop.name)
        return self._elements, self._computer

    async def __aexit__(self, *_: object) -> None:
        await self._elements.close()
        await self._computer.close()
        self._folder.cleanup()


async def _ready(elements: AccessibleElements, computer: DesktopComputer) -> Frame:
    """Wait until the application tells its controls, and has told as many for a while: Firefox tells a part first."""
    told, since_s = 0, time.monotonic()
    async with asyncio.timeout(60):
        while True:
            frame = await computer.observe(ImageNeeds())
            count = len(await elements.actionable(frame)) if await elements.exposure(frame) is Exposure.FULL else 0
            if count != told:
                told, since_s = count, time.monotonic()
            if told >= 5 and time.monotonic() - since_s > _STEADY_S:
                return frame


def _points(shown: ShownControls, count: int) -> list[tuple[int, int]]:
    """Half of them on controls, so that these are not rare; the others anywhere in the window.

    None is as near to an edge as extents may be off: there either answer is right.
    """
    chance = random.Random(9)
    visible = shown.content.intersect(Rect(0, 0, *SIZE))
    if shown.on_top:
        inside = [point for point in shown.on_top if visible.contains(*point) and not _at_edge(shown, point)]
        named = [point for point in inside if shown.on_top[point]]
        chosen = dict.fromkeys(chance.sample(named, count // 2))
        while len(chosen) < count:
            chosen[chance.choice(inside)] = None
        return list(chosen)
    points: dict[tuple[int, int], None] = {}
    while len(points) < count:
        box = chance.choice(shown.controls).box if len(points) % 2 == 0 else visible
        point = (chance.randrange(box.x, box.right), chance.randrange(box.y, box.bottom))
        if not _at_edge(shown, point):
            points[point] = None
    return list(points)


def _at_edge(shown: ShownControls, point: tuple[int, int]) -> bool:
    x, y = point
    corners = [(x + dx, y + dy) for dx in (-NEAR_PX, NEAR_PX) for dy in (-NEAR_PX, NEAR_PX)]
    return any(1 <= sum(each.box.contains(*corner) for corner in corners) <= 3 for each in shown.controls)


async def _round_trips(elements: AccessibleElements, frame: Frame, at: tuple[int, int]) -> Samples:
    """One call to the application that is asked, one at a time."""
    found: Element | None = None
    async with asyncio.timeout(20):
        while found is None:
            (found,) = await elements.at(frame, [NativePoint(*at)])
    owner, slash, path = found.element_id.partition("/")
    bus = await BusConnection.connect(await accessibility_bus(os.environ))
    times = []
    for _ in range(100):
        began_s = time.perf_counter()
        await bus.ask([Call(owner, slash + path, ACCESSIBLE, "GetRole")], time.monotonic() + 1)
        times.append((time.perf_counter() - began_s) * 1000)
    bus.close()
    return Samples.of(times)


def _near(one: Rect, other: Rect) -> bool:
    pairs = ((one.x, other.x), (one.y, other.y), (one.right, other.right), (one.bottom, other.bottom))
    return all(abs(a - b) <= NEAR_PX for a, b in pairs)


def _resident_mb(elements: AccessibleElements) -> float:
    lines = Path(f"/proc/{elements.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


def _agreement_rows(name: str, seen: Compared) -> list[Row]:
    hits = seen.on_controls
    agreed = seen.roles == seen.names == seen.extents == hits and seen.gaps == seen.points - hits
    parts = f"role {seen.roles}, name {seen.names}, extent {seen.extents} of {hits}; "
    parts += f"gaps {seen.gaps} of {seen.points - hits}"
    note = f"The process that asks has {seen.memory_mb:.0f} MB resident."
    if seen.misses:
        note += f" Not as told: {'; '.join(seen.misses[:5])}."
    return [
        Row(what=f"{name}: the element at a point as the application says", n=seen.points, seen=parts, bar="all",
            met=agreed, note=note),
        Row(what=f"{name}: time of a query", n=seen.times_ms.n, seen=seen.times_ms.said(),
            beside=f"one round trip {seen.trips_ms.median:.2f} ms",
            ratio=f"p50 {seen.times_ms.median / seen.trips_ms.median:.0f}x, "
                  f"p95 {seen.times_ms.at(0.95) / seen.trips_ms.median:.0f}x"),
    ]  # fmt: skip


def _buttons_row(seen: Compared) -> Row:
    gaps = seen.points - seen.on_controls
    return Row(
        what="100 wide buttons: clicks inside name the right one, in the gaps none",
        n=seen.points,
        seen=f"{seen.names} of {seen.on_controls} named; {seen.gaps} of {gaps} gaps name none",
        bar="all",
        met=seen.names == seen.on_controls and seen.gaps == gaps,
    )


async def _frozen(desktop: AccessibleDesktop, count: int) -> Row:
    stuck, other = show_qt(desktop), show_gtk(desktop, "3.0")
    async with _asking(desktop) as (elements, computer):
        frame = await _ready(elements, computer)
        points = [NativePoint(*point) for point in _points(other, 2 * count)]
        without = await _times(elements, frame, points[:count])
        with desktop.desktop.frozen(stuck.app.pid):
            began_s = time.perf_counter()
            await elements.at(frame, [NativePoint(stuck.content.x + 30, stuck.content.y + 30)])
            first_ms = (time.perf_counter() - began_s) * 1000
            beside = await _times(elements, frame, points[count:])
    ratio = beside.median / without.median
    return Row(
        what="a frozen application beside the one that is asked: time of a query",
        n=beside.n, seen=beside.said(), beside=f"without: {without.said()}", ratio=f"{ratio:.2f}x", bar="<= 1.5x",
        met=ratio <= 1.5, note=f"The first query to the frozen application itself took {first_ms:.0f} ms.",
    )  # fmt: skip


async def _times(elements: AccessibleElements, frame: Frame, points: Sequence[NativePoint]) -> Samples:
    times: list[float] = []
    for point in points:
        began_s = time.perf_counter()
        await elements.at(frame, [point])
        times.append((time.perf_counter() - began_s) * 1000)
    return Samples.of(times)
