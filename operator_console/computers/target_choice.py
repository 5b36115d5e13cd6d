"""Choosing a target: the list of targets, kept current, pictures to choose by, and pointing at a window.

Targets are listed again whenever the desktop reports a change of its windows or monitors. All pictures are taken over
one connection: to open one for each takes most of a second among 300 windows.
"""

from __future__ import annotations

import asyncio
import logging
import select
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress

from operator_console.computers.target_spec import TargetListing
from operator_console.computers.targets import listed_anywhere, listed_on, snapshot
from operator_console.computers.vm.viewer_windows import shown_machine
from operator_console.computers.window_wording import quoted, require_shown
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import open_display, open_window_picker
from operator_console.desktop.protocols import Desktop, ScreenCapture, WindowChanges
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.values import Grab
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, OperatorError, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, TargetKind, TargetRef, WindowTarget
from operator_console.domain.geometry import ScreenPoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

LEAST_GAP_S = 0.25
"""Least time between two lists, in seconds: a terminal may rename its window many times a second."""

POLL_S = 2.0
"""How often targets are listed where the platform reports no changes, in seconds."""

OnList = Callable[[Sequence[TargetListing]], None]

_log = logging.getLogger(__name__)


class TargetList:
    """Delivers the list of targets, at once and after each change, from a thread of its own.

    Ends by itself when the display is lost; that is told by whoever shows the target. On NO_DISPLAY, where nothing
    changes, it ends once it has listed what a session would start.
    """

    def __init__(
        self, own: OwnWindows, display_name: str, open_desktop: Callable[[str], Desktop] = open_display
    ) -> None:
        self._own, self._display_name, self._open_desktop = own, display_name, open_desktop
        self._thread = StoppableThread("target list", self._run)
        self._on_list: OnList = _ignore
        self.stop, self.join = self._thread.stop, self._thread.join

    def start(self, on_list: OnList) -> None:
        """Start. The callback must be quick and must not raise."""
        self._on_list = on_list
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether its thread is running."""
        return self._thread.running

    def _run(self, thread: StoppableThread) -> None:
        if self._display_name == NO_DISPLAY:
            thread.notify(self._on_list, listed_anywhere())
            return
        try:
            desktop = self._open_desktop(self._display_name)
        except ConsoleError as error:
            _log.warning("the list of targets is not kept current: %s", error)
            return
        try:
            with desktop.losing():
                self._follow(desktop, thread)
        except ConsoleError as error:
            _log.warning("the list of targets is no longer current: %s", error)
        except Exception:  # noqa: BLE001  the list may fail; the session must not
            _log.exception("the list of targets is no longer current")
        finally:
            desktop.close()

    def _follow(self, desktop: Desktop, thread: StoppableThread) -> None:
        layers, changes = desktop.window_layers(self._own), desktop.window_changes()
        last: list[TargetListing] | None = None
        while not thread.stopping:
            began = time.monotonic()
            found = listed_on(desktop, layers)
            if found != last:
                last = found
                thread.notify(self._on_list, found)
            _wait(changes, thread)
            left = LEAST_GAP_S - (time.monotonic() - began)
            if left > 0 and not thread.stopping:
                select.select([thread.wake_fd], [], [], left)


def _wait(changes: WindowChanges | None, thread: StoppableThread) -> None:
    """Wait until the list may have changed, or the thread was stopped."""
    if changes is None:
        select.select([thread.wake_fd], [], [], POLL_S)
        return
    while not thread.stopping and not changes.wait(POLL_S, also=thread.wake_fd):
        pass


def _ignore(_: object) -> None:
    return


class TargetPictures:
    """Takes pictures; connects at the first one."""

    def __init__(self, own: OwnWindows, display_name: str) -> None:
        self._own, self._display_name = own, display_name
        self._open: tuple[Desktop, ScreenCapture] | None = None

    def take(self, ref: TargetRef) -> Frame:
        """One picture. Blocking. Raises ComputerUnavailable with the reason."""
        from operator_console.computers.frame_building import make_frame  # with numpy, which listing does without

        if not isinstance(ref, WindowTarget) or ref.display != self._display_name:
            return snapshot(ref, self._own)
        try:
            grab = self._window(ref)
        except ComputerUnavailable as error:
            if error.reason is UnavailableReason.NO_DISPLAY:
                self.close()
            raise
        return make_frame(
            pixels=grab.pixels, native=grab.rect.size, origin=ScreenPoint(grab.rect.x, grab.rect.y), target=ref,
            needs=ImageNeeds(), title=ref.title, covered=grab.covered,
        )  # fmt: skip

    def close(self) -> None:
        """Disconnect."""
        if self._open is not None:
            desktop, capture = self._open
            self._open = None
            capture.close()
            desktop.close()

    def _window(self, ref: WindowTarget) -> Grab:
        if self._open is None:
            desktop = open_display(self._display_name)
            self._open = (desktop, desktop.capture(self._own))
        desktop, capture = self._open
        with desktop.losing():
            window = require_shown(desktop.describe(ref.window_id), ref.title)
            grab = capture.windows(window.rect, [window.frame_id])
        if grab is None:
            raise ComputerUnavailable(
                notice(NoticeCode.WINDOW_NOT_CAPTURED, window=quoted(ref.title)), reason=UnavailableReason.HIDDEN
            )
        return grab


async def point_at_window(own: OwnWindows, display_name: str) -> str:
    """Let the person click a window; its specification, "" if that was cancelled. No application gets the click.

    Cancelling releases the pointer. Raises ComputerUnavailable if the pointer cannot be had, or there is no display.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[str] = loop.create_future()

    def settle(settled: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lambda: None if done.done() else settled())

    def work(thread: StoppableThread) -> None:
        try:
            with closing(open_window_picker(own, display_name)) as picker:
                window = picker.pick(thread)
            found = "" if window is None else _spec_of(window, display_name)
        except ConsoleError as error:
            failed = error
        except Exception:  # noqa: BLE001  reported like any other failure
            _log.exception("pointing at a window failed")
            failed = OperatorError(notice(NoticeCode.POINTING_FAILED))
        else:
            settle(lambda: done.set_result(found))
            return
        settle(lambda: done.set_exception(failed))

    thread = StoppableThread("pointing", work)
    thread.start()
    try:
        return await done
    finally:
        thread.stop()


def _spec_of(window_id: int, display_name: str) -> str:
    """As the list of targets names it. Raises ComputerUnavailable: there is no display."""
    with closing(open_display(display_name)) as display:
        window = display.describe(window_id)
    kind = TargetKind.VM if window is not None and shown_machine(window) is not None else TargetKind.WINDOW
    return f"{kind.value}:{window_id:#x}"
