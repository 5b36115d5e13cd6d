"""`python -m operator_console.injector.clipboard.keep_and_restore_process`: owns the clipboard during a paste.

It runs in a session of its own, because the former contents of the clipboard must outlive the injector, which a stop
kills. It keeps a copy of them and offers it to all programs until a program copies something else. Only the target
program gets the text, and only until its paste has ended. Programs fetch what they paste more than once (Chromium first
for the page's `beforeinput` event and then to insert it) without saying which time is the last; so the paste has ended
when all processes of the program are idle, or it has requested nothing for a while. `PROTOCOL` describes the messages.
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
from operator_console.process_activity import ContextSwitches, context_switches, process_tree

PROTOCOL = """
Requests, one JSON object per line:
    {"text": ...}      offer this text
    {"announce": true} requests of the target program from now on are the effect of the paste shortcut
    {"withdraw": true} stop offering the text; so does the end of the pipe
    {"restore": true}  the target program is about to be used again: give it the former contents
Answers, one per line, each sent once per text:
    kept               the former contents have been copied
    cannot: cause      they cannot be copied
    owned              the text is offered
    noticed            the target program requested something before the shortcut
    early              the target program fetched it before the shortcut
    ready              answer to {"announce": true}
    listed             the target program requested the list of formats
    asked              it requested the text
    taken              it has fetched the text completely
    shown              it has fetched an empty text, which Chromium shows to the page first
    late               it was answered so late that it may have given up waiting
    ended              the paste has ended
    lost               another program owns the clipboard
    withdrawn          answer to {"withdraw": true}
    restored           answer to {"restore": true}
"""

_COPY_TIMEOUT_S, _COPY_LIMIT_BYTES = 3.0, 32 << 20
_FINISH_S = 5.0
# The paste of a program that is never idle (it plays a video) has ended after this time without a request.
_QUIET_S = 1.0
# Chromium fetches twice within a few milliseconds; idleness is checked after that.
_SETTLE_S = 0.06
# A program that has not fetched its text may be stuck, and gets neither text nor former contents for this long.
_MIN_REFUSE_S, _MAX_REFUSE_S = 5.0, 60.0
_IDLE_TIMEOUT_S = 2.0
# Firefox waits 0.5 s for an answer, Chromium 1 s, Qt 5 s; they discard later answers.
_ANSWER_LIMIT_S = 0.4
_TICK_S, _SLOW_TICK_S, _IDLE_S = 0.02, 0.25, 3600.0
_SYNCS = 3
# Name of the window with which Chromium and programs built on it request the clipboard.
_CHROMIUM_REQUESTOR = b"Chromium clipboard"


class _Phase(Enum):
    """What the target program gets: the former contents in FORMER, nothing in REFUSED, else the text."""

    FORMER = auto()
    OFFERED = auto()
    PRESSED = auto()
    ENDING = auto()
    REFUSED = auto()


class Holder:
    """Owns the clipboard of one display for pastes into one window.

    Args:
        display: a connection to the display.
        window: the target window.
        requests: descriptor that requests are read from.
        answers: descriptor that answers are written to.
    """

    def __init__(self, display: Display, window: int, requests: int, answers: int) -> None:
        self._display = display
        self._window = window
        self._input, self._output = requests, answers
        self._unread = b""
        self._pid = windows.pid_of(display, window)
        self._client_mask = ~int(display.connection.setup.resource_id_mask)
        self._text: dict[int, Content] = {}
        self._empty: dict[int, Content] = {}
        self._chromium_requestors: dict[int, bool] = {}
        self._phase = _Phase.FORMER
        self._answered: set[str] = set()
        self._request_count = 0
        self._owned = False
        self._processes: list[int] = []
        self._last_activity_s = self._last_quiet_s = self._last_answer_s = self._requested_after_s = 0.0
        self._kept = Kept(owner=0, contents={})
        self._owning = Owning(display, self._contents_for, self._on_request, self._on_fetched)

    def run(self) -> None:
        """Serve until another program owns the clipboard. Raises ComputerUnavailable if the display goes away."""
        try:
            self._kept = keep(self._display, within_s=_COPY_TIMEOUT_S, most_bytes=_COPY_LIMIT_BYTES)
        except CannotKeep as error:
            self._answer(f"cannot: {error}")
            return
        self._answer("kept")
        while self._input >= 0 or (self._owned and not self._owning.lost):
            if not self._display.wait(self._tick_s, also=self._input if self._input >= 0 else None):
                self._last_quiet_s = time.monotonic()
            if self._owned and self._owning.lost:
                self._answer("lost")
            for request in self._read():
                self._handle(request)
            self._advance()
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
        """The requests that have arrived. The end of the pipe counts as a withdrawal."""
        if self._input < 0 or not select.select([self._input], [], [], 0)[0]:
            return []
        data = os.read(self._input, 1 << 16)
        if not data:
            self._input = -1
            return [{"withdraw": True}]
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def _handle(self, request: dict[str, Any]) -> None:
        if "text" in request:
            self._offer_text(str(request["text"]))
        elif "announce" in request:
            self._enter(_Phase.PRESSED)
            self._answered.clear()
            self._answer("ready")
        elif "restore" in request:
            if self._phase is _Phase.ENDING or (self._phase is _Phase.REFUSED and self._paste_is_over()):
                self._restore()
            self._answer("restored")
        else:
            self._withdraw()

    def _offer_text(self, text: str) -> None:
        if self._owning.lost or (self._phase is _Phase.FORMER and owner_of(self._display) != self._kept.owner):
            self._answer("lost")  # a person has copied something since
            return
        self._text, self._empty = self._formats(text), self._formats("")
        self._enter(_Phase.OFFERED)
        self._answered.clear()
        success = self._owning.own()
        self._owned = self._owned or success
        self._answer("owned" if success else "lost")

    def _formats(self, text: str) -> dict[int, Content]:
        utf8, latin1 = self._display.atom("UTF8_STRING"), self._display.atom("STRING")
        plain = self._display.atom("text/plain;charset=utf-8")
        data = text.encode("utf-8")
        formats = {kind: Content(kind=kind, bits=8, data=data) for kind in (utf8, plain)}
        with contextlib.suppress(UnicodeEncodeError):
            formats[latin1] = Content(kind=latin1, bits=8, data=text.encode("latin-1"))
        return formats

    def _withdraw(self) -> None:
        """Let the target program have the former contents once its paste has ended. All others always have them."""
        if self._phase is _Phase.PRESSED:
            self._enter(_Phase.ENDING if "asked" in self._answered else _Phase.REFUSED)
        elif self._phase is _Phase.OFFERED:
            self._restore()
        self._answer("withdrawn")

    def _restore(self) -> None:
        """Give the target program the former contents. Ownership is taken anew, so that programs that watch the owner
        read them again."""
        self._enter(_Phase.FORMER)
        self._text = {}
        if self._owning.lost:
            return
        if self._kept.contents:
            self._owning.own()
        else:
            self._owning.disown()

    def _enter(self, phase: _Phase) -> None:
        self._phase, self._last_activity_s = phase, time.monotonic()
        self._processes = []

    def _advance(self) -> None:
        """Transitions that only depend on time."""
        elapsed_s = time.monotonic() - self._last_activity_s
        match self._phase:
            case _Phase.PRESSED if not self._answered.isdisjoint({"shown", "taken"}) and "ended" not in self._answered:
                if (elapsed_s >= _QUIET_S and not self._owning.busy) or (elapsed_s >= _SETTLE_S and self._is_idle()):
                    self._answer("ended")
            case _Phase.ENDING if elapsed_s >= _QUIET_S:
                self._restore()
            case _Phase.REFUSED if elapsed_s >= _QUIET_S and "ended" in self._answered:
                self._restore()
            case _Phase.REFUSED if elapsed_s >= _MAX_REFUSE_S or (elapsed_s >= _MIN_REFUSE_S and self._is_idle()):
                self._restore()
            case _:
                pass

    def _paste_is_over(self) -> bool:
        """Whether the program certainly will not fetch the text any more. Waits for it to become idle."""
        return "ended" in self._answered or self._display.wait_until(self._is_idle, _IDLE_TIMEOUT_S)

    def _is_idle(self) -> bool:
        """Whether all processes of the program are idle, and none of its requests is unanswered."""
        requests, before = self._request_count, self._switches()
        if before is None or self._owning.busy:
            return False
        for _ in range(_SYNCS):
            self._display.sync()
        after = self._switches()
        self._display.pump()
        return before == after and self._request_count == requests

    def _switches(self) -> list[ContextSwitches] | None:
        """The context switches of the program's processes; None if one runs or a request arrived meanwhile.

        Reading them takes long for a browser, so requests are answered in between.
        """
        if not self._processes and self._pid is not None:
            self._processes = process_tree(self._pid)
        found: list[ContextSwitches] = []
        for pid in self._processes:
            switches = context_switches(pid)
            if switches is None or self._display.pump():
                return None
            found.append(switches)
        return found or None

    def _contents_for(self, requestor: int) -> dict[int, Content] | None:
        if self._phase is not _Phase.FORMER and self._is_target(requestor):
            self._withdraw_if_injector_ended()
            return self._contents_for_target(requestor)
        return self._former_contents()

    def _former_contents(self) -> dict[int, Content] | None:
        return dict(self._kept.contents) or None

    def _withdraw_if_injector_ended(self) -> None:
        """Withdraw if the pipe is closed. A request that arrived with the end of the pipe is answered before the main
        loop reads the pipe, and a stop must not be followed by a paste."""
        if self._input < 0:
            return
        pipe = select.poll()
        pipe.register(self._input, 0)
        if pipe.poll(0):  # POLLHUP, which is always reported
            self._input = -1
            self._withdraw()

    def _contents_for_target(self, requestor: int) -> dict[int, Content] | None:
        if self._phase is _Phase.FORMER:
            return self._former_contents()
        self._request_count += 1
        # The program has been waiting since one of these moments at the earliest.
        self._requested_after_s = max(self._last_quiet_s, self._last_answer_s)
        self._last_activity_s = self._last_answer_s = time.monotonic()
        if self._phase is _Phase.OFFERED:
            self._answer("noticed")
        if self._phase is _Phase.PRESSED:
            self._answer("listed")
            if self._is_preview(requestor):
                return self._empty
        return None if self._phase is _Phase.REFUSED else self._text

    def _is_target(self, requestor: int) -> bool:
        """Whether the requestor belongs to the target window's program."""
        if requestor & self._client_mask == self._window & self._client_mask:
            return True
        return self._pid is not None and windows.pid_of(self._display, requestor) == self._pid

    def _is_preview(self, requestor: int) -> bool:
        """Whether this is Chromium's first request, which only shows the text to the page.

        Chromium requests the text again only if the focused element takes it. The first request gets an empty text, so
        that a page that does not take text can be told.
        """
        if requestor not in self._chromium_requestors:
            name = self._display.ask(requestor, "WM_NAME")
            self._chromium_requestors[requestor] = self._display.text(name) == _CHROMIUM_REQUESTOR
        return self._chromium_requestors[requestor] and "shown" not in self._answered

    def _on_request(self, requestor: int, target: int) -> None:
        if target not in self._text or not self._is_target(requestor):
            return
        if self._phase is _Phase.OFFERED:
            self._answer("early")
        elif self._phase is _Phase.PRESSED and not self._is_preview(requestor):
            self._answer("asked")

    def _on_fetched(self, requestor: int, target: int) -> None:
        if self._phase is not _Phase.PRESSED or not self._is_target(requestor):
            return
        self._last_activity_s = time.monotonic()
        if self._last_activity_s - self._requested_after_s > _ANSWER_LIMIT_S:
            self._answer("late")
        if target in self._text and "asked" in self._answered:
            self._answer("taken")
        elif target in self._text:
            self._answer("shown")

    def _answer(self, answer: str) -> None:
        """Send an answer, once per text."""
        if answer in self._answered:
            return
        self._answered.add(answer)
        with contextlib.suppress(OSError):  # the injector was killed
            os.write(self._output, f"{answer}\n".encode())


def main() -> int:
    """Serve until another program owns the clipboard."""
    parser = argparse.ArgumentParser(prog="operator-console-clipboard")
    parser.add_argument("--window", type=int, required=True)
    window = parser.parse_args().window
    os.chdir("/")
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with contextlib.suppress(ComputerUnavailable):  # the clipboard is gone with its display
        display = Display()
        with losing(display):
            Holder(display, window, sys.stdin.fileno(), sys.stdout.fileno()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
