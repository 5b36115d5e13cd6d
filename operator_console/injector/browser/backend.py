"""Carries out grants in a browser: pointer, keys and text on the page, its dialogs, and going from page to page."""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from operator_console.browser.devtools import ProtocolError
from operator_console.browser.dialog_layout import lay_out
from operator_console.browser.host.roles import ADDRESS_NOT_OPENED
from operator_console.browser.key_table import SHIFT, KeyStroke, character_stroke
from operator_console.browser.start import connect
from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import (
    Back,
    BrowserAction,
    Button,
    Chord,
    Click,
    CloseTab,
    Drag,
    Forward,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    Release,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    UseElement,
)
from operator_console.domain.element_uses import ElementUse
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import target_display
from operator_console.domain.geometry import NativePoint, along
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import DialogKind
from operator_console.injector.action_errors import ActionError, Refused
from operator_console.injector.action_limits import BETWEEN_CLICKS_S, check_limits
from operator_console.injector.browser.dialog_input import DialogInput
from operator_console.injector.browser.element_input import ElementInput, ListInput
from operator_console.injector.browser.page_check import PageCheck
from operator_console.injector.browser.page_input import PageInput, strokes_of
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Method, Progress

SEARCH_PAGE = "https://www.google.com/search?q="
"""Where a search is made, as in the vendors' reference implementations."""

_steps = partial(along, longest=24, least=4)
_NOTCH_PX = 120
"""What Chromium makes of a notch of a wheel on X11."""
_REPEAT_AFTER_S, _REPEAT_EVERY_S = 0.66, 0.04
"""As X servers repeat keys, XKB."""
_GRID = 64
"""Parts of a CSS pixel that Chromium's single precision keeps on any page."""
_PHRASE = re.compile(r"(?s).(?:.{0,39}(?:[\u200d\ufe0f]+.)*[\ufe0f\u20e3]*)")
"""How much of what an input method writes is sent at once: all of it arrives, or nothing."""

Point = tuple[float, float]


class BrowserBackend:
    """Acts in the browser whose host listens at `address`.

    Args:
        ledger: shared with the guard.
        gate: asked before each event.
        address: the socket of the browser host for what acts.
    """

    def __init__(self, ledger: Ledger, gate: InputGate, address: str) -> None:
        self._gate = gate
        self._page = PageInput(lambda: connect(address), ledger, gate)
        self._check = PageCheck(self._page)
        self._dialogs = DialogInput(self._page, gate)
        self._elements = ElementInput(self._page, gate, self._check.state)
        self._lists = ListInput(self._elements, self._dialogs.do)
        self._scale = 1.0

    def perform(self, grant: Grant, progress: Progress) -> None:
        """Carry out an admitted grant. Raises ActionError."""
        self._gate.begin(grant.epoch)
        self._gate.check()
        action = grant.action
        check_limits(action)
        match action:
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                self._input(grant, action, progress)
            case TypeText() | Chord() | KeyDown() | KeyUp() | HoldKeys():
                self._input(grant, action, progress)
            case UseElement():
                self._use(grant, action, progress)
            case _ if isinstance(action, BrowserAction):
                self._go(grant, action, progress)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ACTION_UNSUPPORTED, kind=action.kind))

    def pointer(self) -> tuple[int, int]:
        """The pointer's position, input units."""
        x, y = self._page.pointer or (0.0, 0.0)
        return int(x * self._scale), int(y * self._scale)

    def look_at_held(self) -> None:
        """Does nothing: the keys go to the one page that is shown, and repeat only where they are sent again."""

    def release_all(self) -> int:
        """Release every key and button that is held. Returns their number."""
        return self._page.release_all()

    def close(self) -> None:
        """Disconnect: the host releases what is held."""
        self._page.close()

    def _input(self, grant: Grant, action: Any, progress: Progress) -> None:
        state = self._check.check(grant, _points(action))
        self._scale = state.scale
        self._page.has_clipboard = not target_display(grant.target)
        dialog = state.page.dialog
        by_keys = isinstance(action, TypeText | Chord | KeyDown | HoldKeys) and not _points(action)
        in_list = dialog is not None and dialog.kind is DialogKind.LIST
        # The browser's own list takes keys, and no pointer.
        if dialog is not None and not isinstance(action, Release | KeyUp) and not (in_list and by_keys):
            layout = lay_out(dialog, grant.geometry.native, state.scale)
            (self._lists if in_list else self._dialogs).perform(action, dialog, layout, progress)
            return
        match action:
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                self._point(grant, action, progress)
                if isinstance(action, Click | Release):
                    self._close_picker()
            case _:
                self._type(grant, action, progress)

    def _use(self, grant: Grant, action: UseElement, progress: Progress) -> None:
        state = self._check.check(grant, _points(action))
        self._scale = state.scale
        dialog = state.page.dialog
        if dialog is None:
            self._elements.perform(action, progress)
            self._close_picker()
        elif action.use is ElementUse.PRESS and action.element.element_id.startswith(f"dialog-{dialog.dialog_id}/"):
            layout = lay_out(dialog, grant.geometry.native, state.scale)
            click = Click(at=action.at)
            (self._lists if dialog.kind is DialogKind.LIST else self._dialogs).perform(click, dialog, layout, progress)
            progress.way = progress.way or "click on the element"
        else:
            code = NoticeCode.LIST_IS_OPEN if dialog.kind is DialogKind.LIST else NoticeCode.DIALOG_TAKES_INPUT
            raise Refused(RejectedReason.COVERED, notice(code))

    def _close_picker(self) -> None:
        """Close a picker that the browser shows over the page: the protocol's pointer would go to the page beneath.
        Raises Refused if there was one."""
        picker = self._check.state().picker
        if picker:
            self._elements.close_list()
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.PICKER_CLOSED, kind=picker))

    # Pointer

    def _point(self, grant: Grant, action: Move | Click | Press | Release | Drag | Scroll, progress: Progress) -> None:
        points = _points(action)
        path = [self._css(point) for point in points]
        start = path[0] if path else self._page.pointer or (0.0, 0.0)
        modifiers = () if isinstance(action, Move | Press | Release) else action.modifiers
        with self._page.holding(strokes_of(modifiers)):
            if path:
                self._move(start)
            match action:
                case Move():
                    progress.count(1, 1)
                case Click(button=button, count=count):
                    self._click(button, start, count, progress, grant.press_time_s)
                case Press(button=button):
                    self._page.press(button, *start)
                    progress.count(1, 1)
                case Release(button=button):
                    self._page.release(button, *start)
                    progress.count(1, 1)
                case Drag(button=button):
                    self._drag(button, [self._css(point) for point in _steps(points)], path[0], progress)
                case Scroll(dx=dx, dy=dy):
                    self._scroll(start, dx, dy, progress)

    def _move(self, to: Point) -> None:
        """Move there; with a button held, in steps, as a drag needs them."""
        if not self._page.held_buttons or self._page.pointer is None:
            self._page.move(*to)
            return
        for step in _steps((self._native(self._page.pointer), self._native(to))):
            at = self._css(step)
            self._page.move(*at)
            self._page.begin_drag(*at)

    def _click(self, button: Button, at: Point, count: int, progress: Progress, held_s: float) -> None:
        progress.total = count
        for number in range(1, count + 1):
            if number > 1:
                self._gate.wait(BETWEEN_CLICKS_S)
            self._page.press(button, *at, number)
            try:
                self._gate.wait(held_s)
            finally:
                self._page.release(button, *at, number)
            progress.count(number, count)

    def _drag(self, button: Button, steps: Sequence[Point], start: Point, progress: Progress) -> None:
        progress.total = len(steps)
        self._page.press(button, *start)
        try:
            for done, at in enumerate(steps, start=1):
                self._page.move(*at)
                self._page.begin_drag(*at)
                progress.count(done, len(steps))
            if self._page.dragging:  # what it is dropped on has to accept it first
                self._page.move(*steps[-1])
        except ActionError:
            self._page.release_all()  # nothing is dropped half-way
            raise
        self._page.release(button, *steps[-1])

    def _scroll(self, at: Point, dx: int, dy: int, progress: Progress) -> None:
        notches = [(0, 1 if dy > 0 else -1)] * abs(dy) + [(1 if dx > 0 else -1, 0)] * abs(dx)
        progress.total = len(notches)
        for done, (across, down) in enumerate(notches, start=1):
            # Models mean a distance on the picture, which has more pixels at a higher scale.
            self._page.wheel(*at, across * _NOTCH_PX / self._scale, down * _NOTCH_PX / self._scale)
            progress.count(done, len(notches))

    # Keys

    def _type(self, grant: Grant, action: TypeText | Chord | KeyDown | KeyUp | HoldKeys, progress: Progress) -> None:
        match action:
            case TypeText():
                self._text(grant, action, progress)
            case Chord(keys=keys, repeat=repeat):
                progress.total = repeat
                for done in range(1, repeat + 1):
                    self._chord(keys, grant.press_time_s)
                    progress.count(done, repeat)
            case KeyDown(key=key):
                self._page.press_key(strokes_of((key,))[0])
                progress.count(1, 1)
            case KeyUp(key=key):
                self._page.release_key(strokes_of((key,))[0])
                progress.count(1, 1)
            case HoldKeys(keys=keys, duration_s=duration_s):
                strokes = strokes_of(keys)
                with self._page.holding(strokes):
                    self._repeat(strokes[-1], duration_s)
                progress.count(1, 1)

    def _repeat(self, last: KeyStroke, duration_s: float) -> None:
        """Wait; the key that was pressed last repeats, as keyboards let it."""
        deadline = time.monotonic() + duration_s
        pause_s = _REPEAT_AFTER_S
        while not last.modifier and time.monotonic() + pause_s < deadline:
            self._gate.wait(pause_s)
            self._page.press_key(last, again=True)
            pause_s = _REPEAT_EVERY_S
        self._gate.wait(deadline - time.monotonic())

    def _chord(self, keys: Sequence[Any], held_s: float = 0.0) -> None:
        strokes = strokes_of(keys)
        needs_shift = any(each.shifted for each in strokes) and not self._page.modifiers & SHIFT
        if needs_shift and len(strokes) == 1:
            strokes = [*strokes_of(("shift",)), *strokes]
        with self._page.holding(strokes):
            self._gate.wait(held_s)

    def _text(self, grant: Grant, action: TypeText, progress: Progress) -> None:
        if action.at is not None:
            place = self._css(action.at)
            self._page.move(*place)
            self._page.press(Button.LEFT, *place)
            self._page.release(Button.LEFT, *place)
        progress.count(0, len(action.text))
        if action.clear:
            self._chord(("ctrl", "a"))
            self._chord(("delete",))
        shift = strokes_of(("shift",))[0]
        held = bool(self._page.modifiers & SHIFT)  # by an earlier call: it stays so
        shifted = False
        try:
            for characters in _pieces(action.text):
                stroke = character_stroke(characters)
                wants_shift = stroke is not None and stroke.shifted
                if wants_shift != shifted and not held:
                    self._page.press_key(shift) if wants_shift else self._page.release_key(shift)
                    shifted = wants_shift
                if stroke is None:
                    self._page.insert(characters)
                    progress.typed(Method.COMMITTED, len(characters))
                else:
                    self._page.stroke(stroke)
                    progress.typed(Method.MAPPED)
                if grant.typing_delay_s:
                    self._gate.wait(grant.typing_delay_s)
        finally:
            if shifted:
                self._page.release_key(shift)
        if action.submit:
            self._chord(("enter",))

    # From page to page

    def _go(self, grant: Grant, action: BrowserAction, progress: Progress) -> None:
        if isinstance(action, Navigate | Search | Back | Forward | CloseTab):
            self._check.same_tab(grant)  # a tab may close itself meanwhile, and another one be shown
        with self._gate.primitive():
            self._gate.stamp()
            try:
                self._gone(action)
            except ProtocolError as error:
                if error.code == ADDRESS_NOT_OPENED:
                    why = notice(NoticeCode.ADDRESS_NOT_OPENED)
                else:
                    why = notice(NoticeCode.NOT_DONE_IN_BROWSER, error=str(error))
                raise Refused(RejectedReason.UNSUPPORTED, why) from error
        progress.count(1, 1)

    def _gone(self, action: BrowserAction) -> None:
        ask = self._page.ask
        match action:
            case OpenBrowser():
                return  # it is open
            case Navigate(url=url, new_tab=True):
                ask("Operator.openTab", {"url": _address(url)})
            case Navigate(url=url):
                self._navigated(ask("Operator.navigate", {"url": _address(url)}))
            case Search(query=query):
                from urllib.parse import quote_plus

                address = SEARCH_PAGE + quote_plus(query) if query.strip() else SEARCH_PAGE.partition("/search")[0]
                self._navigated(ask("Operator.navigate", {"url": address}))
            case Back() | Forward():
                if not ask("Operator.history", {"by": -1 if isinstance(action, Back) else 1})["moved"]:
                    raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.NO_PAGE_IN_HISTORY))
            case SwitchTab(number=number):
                tabs = self._check.state().page.tabs
                if not 1 <= number <= len(tabs):
                    raise Refused(RejectedReason.OUT_OF_RANGE, notice(NoticeCode.NO_SUCH_TAB, number=number))
                ask("Operator.showTab", {"number": number})
            case CloseTab():
                ask("Operator.closeTab")

    def _navigated(self, answer: dict[str, Any]) -> None:
        error = str(answer.get("errorText", ""))
        # A download ends the navigation, and so does another navigation.
        if error and error != "net::ERR_ABORTED":
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.PAGE_NOT_REACHED, error=error))

    def _css(self, point: NativePoint) -> Point:
        """The corner of a pixel, where a mouse's events are, in CSS pixels."""
        return math.ceil(point.x / self._scale * _GRID) / _GRID, math.ceil(point.y / self._scale * _GRID) / _GRID

    def _native(self, at: Point) -> NativePoint:
        return NativePoint(int(at[0] * self._scale), int(at[1] * self._scale))


def _points(action: Any) -> tuple[NativePoint, ...]:
    match action:
        case Drag(path=path):
            return tuple(path)
        case Move(at=at) | Click(at=at) | Press(at=at) | Release(at=at) | Scroll(at=at) | TypeText(at=at):
            return () if at is None else (at,)
        case UseElement(at=at):
            return (at,)
        case _:
            return ()


def _pieces(text: str) -> Iterator[str]:
    """Characters that have keys one by one; what an input method writes in short runs."""
    for has_key, run in itertools.groupby(
        text.replace("\r\n", "\n").replace("\r", "\n"), lambda each: character_stroke(each) is not None
    ):
        if has_key:
            yield from run
        else:
            yield from _PHRASE.findall("".join(run))


def _address(url: str) -> str:
    """The address on one line, with a scheme."""
    text = " ".join(url.split())
    return text if "://" in text or text.startswith(("about:", "data:")) else f"https://{text}"
