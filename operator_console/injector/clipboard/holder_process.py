"""`python -m operator_console.injector.clipboard.holder_process`: owns the clipboard during a paste.

A process of its own in a session of its own, because what was on the clipboard before must outlive the injector, which
a stop kills, and the session: it keeps a copy of that and offers it to everybody, all the time, until somebody copies
something else. Only the program that the text is for gets the text, and that until its paste has certainly ended:
programs fetch what they paste more than once (Chromium for the page's `beforeinput` first, and then to insert it), and
nobody says that it was the last time. It has ended when the program with all its processes has come to rest, or has
asked for nothing for long. Sends no input, reads no key. Started by pasting.py; `HOW_IT_TALKS` is the whole protocol.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import sys
import time
from enum import Enum, auto
from typing import Any

from operator_console.desktop.x11 import windows
from operator_console.desktop.x11.clipboard import CannotKeep, Content, Kept, Owning, keep, owner_of
from operator_console.desktop.x11.display import Display, losing
from operator_console.domain.errors import ComputerUnavailable
from operator_console.injector.keyboard.delivery import Sleep, family_of, sleep_of

HOW_IT_TALKS = """
in, a JSON object a line:  {"text": ...} offer this   {"pressed": true} it is pasted from here on
                           {} this was the last   {"now": true} the program is going to be used again
out, a line each:          kept | cannot: why   owned   early (fetched before it was pasted)   ready (for pressing)
                           listed (its program asked in which forms)   asked   taken (fetched to its end)
                           shown (it fetched an empty text, to look at)
                           late (it may have ceased to wait for an answer)   ended (the paste has)   lost
                           given back (to {})   now (to {"now": true})
"""

_KEEP_WITHIN_S, _KEEP_MOST_BYTES = 3.0, 32 << 20
_FINISH_S = 5.0
# Of a program that does not come to rest (a film plays) its paste has ended when it has asked for nothing for so long.
_QUIET_S = 1.0
# Chromium fetches twice within a few milliseconds; until then it is not looked at.
_PAUSE_S = 0.06
# One that has not come for its text, and may be stuck, gets neither text nor former contents for at least and at most:
_REFUSE_S, _REFUSE_AT_MOST_S = 5.0, 60.0
_SEEN_S = 2.0
# Firefox waits half a second for an answer, Chromium one, Qt five; what comes later they throw away unseen.
_IN_TIME_S = 0.4
_TICK_S, _SLOW_TICK_S, _IDLE_S = 0.02, 0.25, 3600.0
_ANSWERS = 3
# The window that Chromium, and what is made of it, asks with.
_CHROMIUM = b"Chromium clipboard"


class _Phase(Enum):
    """What the program that the text is for gets: the text but in FORMER (as all others) and REFUSED (nothing)."""

    FORMER = auto()
    OFFERED = auto()
    PRESSED = auto()
    ENDING = auto()
    REFUSED = auto()


class Holder:
    """The clipboard of one display, for the paste into one window."""

    def __init__(self, display: Display, window: int, orders: int, answers: int) -> None:
        self._display = display
        self._window = window
        self._orders, self._answers = orders, answers
        self._unread = b""
        self._pid = windows.pid_of(display, window)
        self._client = ~int(display.connection.setup.resource_id_mask)
        self._text: dict[int, Content] = {}
        self._nothing: dict[int, Content] = {}
        self._pages: dict[int, bool] = {}
        self._phase = _Phase.FORMER
        self._said: set[str] = set()
        self._requests = 0
        self._owned = False
        self._family: list[int] = []
        self._changed_s = self._nothing_came_s = self._answered_s = self._came_after_s = 0.0
        self._kept = Kept(owner=0, contents={})
        self._owning = Owning(display, self._offer, self._asked, self._fetched)

    def run(self) -> None:
        """Until nobody needs it any more. Raises ComputerUnavailable where the display goes away."""
        try:
            self._kept = keep(self._display, within_s=_KEEP_WITHIN_S, most_bytes=_KEEP_MOST_BYTES)
        except CannotKeep as why:
            self._say(f"cannot: {why}")
            return
        self._say("kept")
        while self._orders >= 0 or (self._owned and not self._owning.lost):
            if not self._display.wait(self._tick_s, also=self._orders if self._orders >= 0 else None):
                self._nothing_came_s = time.monotonic()
            if self._owned and self._owning.lost:
                self._say("lost")
            for order in self._read():
                self._obey(order)
            self._go_on()
        self._display.wait_until(lambda: not self._owning.busy, _FINISH_S)

    @property
    def _tick_s(self) -> float:
        match self._phase:
            case _Phase.PRESSED:
                return _TICK_S
            case _Phase.ENDING | _Phase.REFUSED:
                return _SLOW_TICK_S
            case _:
                return _IDLE_S

    def _read(self) -> list[dict[str, Any]]:
        """What was ordered meanwhile; the end of the pipe is the last order."""
        if self._orders < 0 or not select.select([self._orders], [], [], 0)[0]:
            return []
        piece = os.read(self._orders, 1 << 16)
        if not piece:
            self._orders = -1
            return [{}]
        *lines, self._unread = (self._unread + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def _obey(self, order: dict[str, Any]) -> None:
        if "text" in order:
            self._offer_text(str(order["text"]))
        elif "pressed" in order:
            self._enter(_Phase.PRESSED)
            self._said.clear()
            self._say("ready")
        elif "now" in order:
            if self._phase is _Phase.ENDING or (self._phase is _Phase.REFUSED and self._comes_no_more()):
                self._give_former()
            self._say("now")
        else:
            self._give_back()

    def _offer_text(self, text: str) -> None:
        if self._owning.lost or (self._phase is _Phase.FORMER and owner_of(self._display) != self._kept.owner):
            self._say("lost")  # somebody has copied something since
            return
        self._text, self._nothing = self._forms(text), self._forms("")
        self._enter(_Phase.OFFERED)
        self._said.clear()
        took = self._owning.own()
        self._owned = self._owned or took
        self._say("owned" if took else "lost")

    def _forms(self, text: str) -> dict[int, Content]:
        utf8, latin1 = self._display.atom("UTF8_STRING"), self._display.atom("STRING")
        plain = self._display.atom("text/plain;charset=utf-8")
        data = text.encode("utf-8")
        forms = {kind: Content(kind=kind, bits=8, data=data) for kind in (utf8, plain)}
        with contextlib.suppress(UnicodeEncodeError):
            forms[latin1] = Content(kind=latin1, bits=8, data=text.encode("latin-1"))
        return forms

    def _give_back(self) -> None:
        """All but the program have the former contents anyway. It gets them once its paste has ended."""
        if self._phase is _Phase.PRESSED:
            self._enter(_Phase.ENDING if "asked" in self._said else _Phase.REFUSED)
        elif self._phase is _Phase.OFFERED:
            self._give_former()
        self._say("given back")

    def _give_former(self) -> None:
        """By a new owner: whoever watches owners, and has looked meanwhile what there is, looks again."""
        self._enter(_Phase.FORMER)
        self._text = {}
        if self._owning.lost:
            return
        if self._kept.contents:
            self._owning.own()
        else:
            self._owning.disown()

    def _enter(self, phase: _Phase) -> None:
        self._phase, self._changed_s = phase, time.monotonic()
        self._family = []

    def _go_on(self) -> None:
        """What comes with time alone."""
        passed_s = time.monotonic() - self._changed_s
        match self._phase:
            case _Phase.PRESSED if not self._said.isdisjoint({"shown", "taken"}) and "ended" not in self._said:
                if (passed_s >= _QUIET_S and not self._owning.busy) or (passed_s >= _PAUSE_S and self._rests()):
                    self._say("ended")
            case _Phase.ENDING if passed_s >= _QUIET_S:
                self._give_former()
            case _Phase.REFUSED if passed_s >= _QUIET_S and "ended" in self._said:
                self._give_former()
            case _Phase.REFUSED if passed_s >= _REFUSE_AT_MOST_S or (passed_s >= _REFUSE_S and self._rests()):
                self._give_former()
            case _:
                pass

    def _comes_no_more(self) -> bool:
        """Whether it is certain that the program will not fetch for the paste; waits a little to see it."""
        return "ended" in self._said or self._display.wait_until(self._rests, _SEEN_S)

    def _rests(self) -> bool:
        """Whether all of the program's processes sleep on, while nothing of what they asked is unanswered."""
        requests, before = self._requests, self._sleep()
        if before is None or self._owning.busy:
            return False
        for _ in range(_ANSWERS):
            self._display.sync()
        after = self._sleep()
        self._display.pump()
        return before == after and self._requests == requests

    def _sleep(self) -> list[Sleep] | None:
        """How they sleep. To read it takes long of a browser: who asks for something is answered meanwhile."""
        if not self._family and self._pid is not None:
            self._family = family_of(self._pid)
        found: list[Sleep] = []
        for pid in self._family:
            sleep = sleep_of(pid)
            if sleep is None or self._display.pump():
                return None
            found.append(sleep)
        return found or None

    def _offer(self, requestor: int) -> dict[int, Content] | None:
        if self._phase is _Phase.FORMER or not self._is_meant(requestor):
            return dict(self._kept.contents) or None
        self._requests += 1
        # It has waited since a moment when nothing had come, or since the answer to what it asked before, at most.
        self._came_after_s = max(self._nothing_came_s, self._answered_s)
        self._changed_s = self._answered_s = time.monotonic()
        if self._phase is _Phase.PRESSED:
            self._say("listed")
            if self._is_shown_only(requestor):
                return self._nothing
        return None if self._phase is _Phase.REFUSED else self._text

    def _is_meant(self, requestor: int) -> bool:
        """Whether it is the window's own program that asks."""
        if requestor & self._client == self._window & self._client:
            return True
        return self._pid is not None and windows.pid_of(self._display, requestor) == self._pid

    def _is_shown_only(self, requestor: int) -> bool:
        """Chromium fetches a text first to show it to the page, whatever has the focus there, a canvas too; and once
        more where that takes it. The first time it gets an empty one, so that a page that takes none is known."""
        if requestor not in self._pages:
            name = self._display.ask(requestor, "WM_NAME")
            self._pages[requestor] = self._display.text(name) == _CHROMIUM
        return self._pages[requestor] and "shown" not in self._said

    def _asked(self, requestor: int, target: int) -> None:
        if target not in self._text or not self._is_meant(requestor):
            return
        if self._phase is _Phase.OFFERED:
            self._say("early")
        elif self._phase is _Phase.PRESSED and not self._is_shown_only(requestor):
            self._say("asked")

    def _fetched(self, requestor: int, target: int) -> None:
        if self._phase is not _Phase.PRESSED or not self._is_meant(requestor):
            return
        self._changed_s = time.monotonic()
        if self._changed_s - self._came_after_s > _IN_TIME_S:
            self._say("late")
        if target in self._text and "asked" in self._said:
            self._say("taken")
        elif target in self._text:
            self._say("shown")

    def _say(self, words: str) -> None:
        """Once of each text."""
        if words in self._said:
            return
        self._said.add(words)
        with contextlib.suppress(OSError):  # nobody listens any more: the injector was killed
            os.write(self._answers, f"{words}\n".encode())


def main() -> int:
    """Serve until somebody else owns the clipboard."""
    parser = argparse.ArgumentParser(prog="operator-console-clipboard")
    parser.add_argument("--window", type=int, required=True)
    window = parser.parse_args().window
    os.chdir("/")
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with contextlib.suppress(ComputerUnavailable):  # with the display its clipboard is gone
        display = Display()
        with losing(display):
            Holder(display, window, sys.stdin.fileno(), sys.stdout.fileno()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
