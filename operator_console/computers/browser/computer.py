"""`BrowserComputer`: a browser that the console started, as the engine's `Computer`.

It only looks: what changes the page goes through the injector, which has a connection of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError
from operator_console.browser.dialog_layout import lay_out
from operator_console.browser.host.roles import Role
from operator_console.browser.page_state import PageState, shown_windows
from operator_console.browser.screenshots import decoded
from operator_console.browser.start import RunningBrowser, connect
from operator_console.computers.browser.dialog_drawing import draw_dialog
from operator_console.computers.browser.operator_input import BrowserHand
from operator_console.computers.browser.page_elements import PageElements
from operator_console.computers.far_computer import FarComputer
from operator_console.computers.frame_building import make_frame, places_that_differ
from operator_console.computers.picture_settling import Settling, Shot
from operator_console.desktop.platform import open_display
from operator_console.domain.errors import ComputerTimedOut, ComputerUnavailable, UnavailableReason
from operator_console.domain.events import Blocked, BlockedBy, Downloaded
from operator_console.domain.frames import (
    BrowserTarget,
    Frame,
    ImageNeeds,
    SettleReason,
    StackedWindow,
    WindowInfo,
)
from operator_console.domain.geometry import NativePoint, ScreenPoint, Size
from operator_console.domain.hand_input import HandMay
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

SHOT_WITHIN_S = 8.0
"""How long a page may keep its picture back, in seconds."""

_SHOT_ATTEMPTS = 20
_AGAIN_S = 0.1
LONGEST_PAGE_TEXT = 100_000
"""Characters of a page's text that are read."""
STILL_BUSY_S = 0.5
"""How long a page that has kept one picture back is waited for again, in seconds."""
_ATTEMPTS = 3
_LOOK_S = 0.25
_KNOWN_FOR_S = 5.0  # the browser tells of what is painted; should that ever fail, a picture does not last for long


async def take_shot(look: Connection) -> Shot:
    """A picture of the tab that is shown; a page that is busy keeps it back.

    Raises:
        ComputerUnavailable: the browser is gone, or has no picture.
    """
    taken_s = time.monotonic()
    for attempt in range(_SHOT_ATTEMPTS):
        try:
            told = await look.send_raw("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        except ConnectionLost as error:
            raise browser_gone() from error
        except ProtocolError as error:
            # A tab that was opened a moment ago has nothing to show yet.
            if attempt == _SHOT_ATTEMPTS - 1:
                raise ComputerUnavailable(
                    notice(NoticeCode.PAGE_HAS_NO_PICTURE), detail=str(error), reason=UnavailableReason.BLANK,
                    remedy=notice(NoticeCode.WAIT_OR_RELOAD_PAGE),
                ) from error  # fmt: skip
            await asyncio.sleep(_AGAIN_S)
        else:
            pixels, size = await asyncio.to_thread(decoded, told["data"])
            return Shot(
                pixels=pixels, size=size, taken_s=taken_s, still=bool(told.get("still")),
                painted_s=float(told.get("painted", 0.0)),
            )  # fmt: skip
    raise AssertionError("unreachable")


def browser_gone() -> ComputerUnavailable:
    """The browser has ended."""
    return ComputerUnavailable(
        notice(NoticeCode.BROWSER_HAS_ENDED), reason=UnavailableReason.GONE,
        remedy=notice(NoticeCode.START_NEW_SESSION_FOR_BROWSER),
    )  # fmt: skip


def bring_forward(display: str, pid: int) -> bool:
    """Restore and raise the window of a browser's process and give it the focus; whether it has it.

    Blocking, for up to 2 s. Raises ComputerUnavailable: no display.
    """
    with contextlib.closing(open_display(display or None)) as desktop:
        window = next((each for each in desktop.all_windows() if each.pid == pid), None)
        return window is not None and desktop.activate(window)


class BrowserComputer(FarComputer):
    """A browser. Create it with `open`.

    Attributes:
        hand: the operator's own input.
        own_elements: what tells the elements of its pages.
    """

    def __init__(self, browser: RunningBrowser, target: BrowserTarget) -> None:
        super().__init__(target)
        self._browser = browser
        self._target = target
        self._state = PageState()
        self._settling = Settling(self._shoot, lambda: self._state, self._changed, self._prepare, self._last_paint)
        self._shot: Shot | None = None
        self._shot_of = self._taking_of = ""
        self._taking: asyncio.Task[Shot] | None = None
        self._paints = self._paints_before = 0
        self._asked_s = self._known_until_s = 0.0
        self._news: list[Downloaded | Blocked] = []
        hand_socket = browser.options.socket(Role.HAND)
        self.hand = BrowserHand(lambda: connect(hand_socket), lambda: self._state, lambda: self._size)
        self._crash_told = False
        self.own_elements = PageElements(browser, lambda: self._state, self.app)

    @classmethod
    async def open(cls, browser: RunningBrowser, target: BrowserTarget) -> BrowserComputer:
        """Look at a running browser, which `close` ends. Raises ComputerUnavailable; the browser is ended then."""
        computer = cls(browser, target)
        browser.look.listen(computer._event, computer._changed.set)
        try:
            computer._state = PageState.of(await browser.look.send_raw("Operator.state"))
        except BaseException as error:
            await computer.close()
            if isinstance(error, ConnectionLost | ProtocolError):
                raise browser_gone() from error
            raise
        return computer

    @property
    def target(self) -> BrowserTarget:
        """The target."""
        return self._target

    @property
    def version(self) -> str:
        """Of the browser ("Chrome/156.0.1")."""
        return self._browser.version

    @property
    def pid(self) -> int:
        """The browser's host."""
        return self._browser.pid

    @property
    def scale(self) -> float:
        """Pixels of the picture for each CSS pixel."""
        return self._state.scale

    @property
    def state(self) -> PageState:
        """As last told by the browser."""
        return self._state

    def _event(self, method: str, params: dict[str, Any], _: str) -> None:
        match method:
            case "Operator.changed":
                self._state = PageState.of(params)
                self._settling.told(self._state)
                self._repainted()
            case "Operator.painted":
                self._paints += 1
                self._known_until_s = 0.0
                self._repainted()
            case "Operator.downloaded":
                self._news.append(Downloaded(
                    name=params["name"], folder=params["folder"], url=params["url"], size_bytes=params["bytes"],
                    complete=params["complete"],
                ))  # fmt: skip
            case "Operator.blocked":
                self._news.append(Blocked(site=params["site"], by=BlockedBy(params["by"]), count=params["count"]))

    async def bring_forward(self) -> bool:
        """Raise its window and give it the focus; whether it has it. Raises ComputerUnavailable: no display."""
        return await asyncio.to_thread(bring_forward, self._target.display, self._browser.browser_pid)

    @property
    def lost(self) -> bool:
        """Whether the browser has ended."""
        return self._browser.look.lost

    def _in_use(self) -> bool:
        return self.hand.may is HandMay.EVERYTHING

    async def _now(self, frame_id: str = "") -> Frame:
        shot, state = await self._current(None)
        return self._frame(shot, state, ImageNeeds(), frame_id)

    async def observe(self, needs: ImageNeeds) -> Frame:
        """A new picture. Raises ComputerUnavailable (gone, crashed), ComputerTimedOut.

        A page that has crashed is loaded again if that was told before: the session was continued since.
        """
        if self._crash_told and self._state.crashed:
            with contextlib.suppress(ProtocolError):  # it is told again
                await self._browser.look.send_raw("Operator.revive", {})
        self._crash_told = self._state.crashed
        shot, state = await self._current(self._settling.take_last())
        shot, frame_id = await self._recognised(shot, needs)
        self._before_input = self._frame(shot, state, needs, frame_id)
        return self._before_input

    async def glimpse(self) -> Frame:
        """As for any target; requests that the page has made so far are not waited for."""
        now = await super().glimpse()
        self._settling.requested = self._state.requested
        return now

    async def settle(
        self, before: Frame, *, at: NativePoint | None, lower_s: float, upper_s: float,
        expect: Callable[[Frame], None] | None = None,
    ) -> SettleReason:  # fmt: skip
        """Wait until the page has stopped changing and loading."""
        self._known_until_s = 0.0
        self._pictures.begin_wait()
        return await self._settling.wait(before, at, lower_s, upper_s)

    async def receiver(self, at: NativePoint | None) -> WindowInfo | None:
        """The page, or the dialog over it; None beside a dialog, where the page takes no input."""
        stack = self._stack(self._state, self._size)
        if at is None:
            return stack[-1].info
        hit = (each for each in reversed(stack) if any(part.contains(at.x, at.y) for part in each.parts))
        return next((each.info for each in hit), None)

    async def prepare_input(self, at: NativePoint | None, needs_focus: bool, path: Sequence[NativePoint] = ()) -> None:
        """Nothing: nothing can lie over a page."""

    async def changed(self, before: Frame) -> bool | None:
        """Whether the input had an effect. None: cannot be decided."""
        shot, state = await self._current(self._settling.last)
        if before.page is None or (before.page.document, before.page.url) != (state.page.document, state.page.url):
            return True
        places = places_that_differ(before, self._frame(shot, state, ImageNeeds()))
        return places is None or self._settling.restless.effect(places)

    async def page_text(self) -> str:
        """The address, the tabs and the text of the page. Raises ComputerUnavailable."""
        try:
            found = await self._browser.look.send_raw("Operator.text", {"longest": LONGEST_PAGE_TEXT})
        except ConnectionLost as error:
            raise browser_gone() from error
        except ProtocolError as error:
            raise ComputerUnavailable(
                notice(NoticeCode.PAGE_DOES_NOT_ANSWER), detail=str(error), reason=UnavailableReason.HIDDEN,
                remedy=notice(NoticeCode.WAIT_OR_RELOAD_PAGE),
            ) from error  # fmt: skip
        page = self._state.page
        tabs = [
            f"Tab {number}{' (shown)' if tab.shown else ''}: {tab.title} {tab.url}"
            for number, tab in enumerate(page.tabs, start=1)
        ]  # fmt: skip
        return "\n".join((f"Address: {page.url}", f"Title: {page.title}", *tabs, "", str(found["text"] or "")))

    def take_news(self) -> Sequence[Downloaded | Blocked]:
        """What was downloaded and blocked since the last call."""
        news, self._news = self._news, []
        return news

    async def _disconnect(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            await asyncio.gather(self._taking, return_exceptions=True)
        await self._browser.close()

    async def _current(self, known: Shot | None) -> tuple[Shot, PageState]:
        """A picture and the state of the same page; `known` is one that is new enough, if there is one."""
        for _ in range(_ATTEMPTS):
            state = self._state
            shot = known or await self._shoot()
            if _is_same(state, self._state):
                return shot, self._state  # the browser reads the titles when it takes a picture
            known = None
        return await self._shoot(), self._state

    async def _shoot(self) -> Shot:
        """The page now, with the dialog over it. While there is one, the page gives no picture but its last.

        The last picture counts as the page now while nothing was painted since.
        """
        if self._closed or self._browser.look.lost:
            raise browser_gone()
        if self._state.crashed:
            raise ComputerUnavailable(
                notice(NoticeCode.PAGE_HAS_CRASHED), reason=UnavailableReason.BLANK,
                remedy=notice(NoticeCode.CONTINUE_LOADS_PAGE_AGAIN),
            )  # fmt: skip
        if self._state.page.dialog is None:
            await self._take()
        dialog, page = self._state.page.dialog, self._state.page
        shot = (
            self._shot
            if self._shot is not None and (dialog is None or self._shot_of == page.document)
            else self._blank()
        )
        stack = self._stack(self._state, shot.size)
        if dialog is None:
            return self._without_hidden(shot, stack)
        layout = lay_out(dialog, shot.size, self.scale)
        drawn = await asyncio.to_thread(draw_dialog, shot.pixels, shot.size, dialog, layout)
        return self._without_hidden(replace(shot, pixels=drawn), stack)

    async def _take(self) -> None:
        """Take a picture, unless the last one is known to be what is shown, or a dialog opens first.

        One that a busy page keeps back is waited for once.
        """
        document, taking = self._state.page.document, self._taking
        known = self._shot is not None and self._shot.still and self._shot_of == document
        if self._shot is not None and known and (now_s := time.monotonic()) < self._known_until_s:
            self._shot = replace(self._shot, taken_s=now_s)
            return
        busy = taking is not None and not taking.done() and self._taking_of == document
        if taking is None or not busy:
            if taking is not None:
                taking.cancel()
            taking = self._taking = asyncio.create_task(take_shot(self._browser.look), name="picture")
            self._taking_of = document
            self._paints_before, self._asked_s = self._paints, time.monotonic()
        deadline_s = time.monotonic() + (STILL_BUSY_S if busy else SHOT_WITHIN_S)
        while not taking.done() and self._state.page.dialog is None:
            if self._state.page.document != document:  # of a page that is left, no picture may ever come
                await self._take()
                return
            self._changed.clear()
            waiting = asyncio.ensure_future(self._changed.wait())
            try:
                # Others clear the event, too: look again, whatever was missed.
                left_s = min(_LOOK_S, max(0, deadline_s - time.monotonic()))
                await asyncio.wait({taking, waiting}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
            if time.monotonic() >= deadline_s and not taking.done():
                raise ComputerTimedOut(
                    notice(NoticeCode.PAGE_DOES_NOT_ANSWER), remedy=notice(NoticeCode.WAIT_OR_RELOAD_PAGE)
                )
        # A picture that comes with a dialog may show the browser's own list, at a place that nobody knows.
        if taking.done() and self._state.page.dialog is None:
            self._taking = None
            shot = taking.result()
            self._shot = replace(shot, still=shot.still and self._paints_before == self._paints)
            self._shot_of = document
            self._known_until_s = self._asked_s + _KNOWN_FOR_S

    async def _last_paint(self) -> float:
        """When the page was last painted, `time.monotonic()`; 0: not known."""
        with contextlib.suppress(ConnectionLost, ProtocolError):
            return float((await self._browser.look.send_raw("Operator.lastPaint"))["at"])
        return 0.0

    def _blank(self) -> Shot:
        """Stands for a page that asks before it has shown anything."""
        size = self._size
        return Shot(pixels=b"\xff" * (size.width * size.height * 4), size=size, taken_s=time.monotonic())

    @property
    def _size(self) -> Size:
        if self._shot is not None:
            return self._shot.size
        options = self._browser.options
        return Size(round(options.width * options.scale), round(options.height * options.scale))

    @property
    def app(self) -> str:
        """The browser's name."""
        return "Google Chrome" if "google" in self._browser.options.program else "Chromium"

    def _stack(self, state: PageState, size: Size) -> tuple[StackedWindow, ...]:
        page, over = shown_windows(state, self.app, self._browser.pid, size)
        if over is None:
            return (StackedWindow(info=page, parts=(page.rect,)),)
        return StackedWindow(info=page, parts=()), StackedWindow(info=over, parts=(over.rect,))

    def _frame(self, shot: Shot, state: PageState, needs: ImageNeeds, frame_id: str = "") -> Frame:
        stack = self._stack(state, shot.size)
        pointer = None
        if state.pointer is not None and state.pointer[0] >= 0:
            pointer = ScreenPoint(int(state.pointer[0] * self.scale), int(state.pointer[1] * self.scale))
        frame = make_frame(
            pixels=shot.pixels, native=shot.size, origin=ScreenPoint(0, 0), target=self._target, needs=needs,
            taken_s=shot.taken_s, stack=stack, focus=stack[-1].info, pointer=pointer, title=state.page.title,
            hidden=shot.hidden, frame_id=frame_id or self._id_of(shot),
        )  # fmt: skip
        return replace(frame, page=state.page)


def _is_same(before: PageState, after: PageState) -> bool:
    def key(state: PageState) -> tuple[object, ...]:
        return state.page.document, state.page.url, state.page.dialog

    return key(before) == key(after)
