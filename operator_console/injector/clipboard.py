"""The clipboard's holder as the injector talks to it. What it said is heard whenever it is asked for.

The words are clipboard_holder.HOW_IT_TALKS. Called by pasting.py only.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time

_ANSWER_S = 5.0


class Clipboard:
    """One text's holder."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders, self._answers = process.stdin, process.stdout
        self._heard: set[str] = set()
        self._unread = b""
        self._gone = self._offered = False

    @property
    def over(self) -> bool:
        """Whether nothing can be pasted by it any more: not kept, taken by somebody else, no process."""
        self._hear()
        return self._gone or not self._heard.isdisjoint({"lost", "cannot"})

    def said(self, word: str) -> bool:
        """Whether it said so of the text that is offered now."""
        self._hear()
        return word in self._heard

    def offer(self, text: str) -> None:
        """Offer this from now on."""
        if self.over or not self.said("kept"):
            self._heard.add("cannot")
            return
        self._heard.intersection_update({"kept"})
        self._offered = True
        self._order({"text": text})

    def pressed(self) -> None:
        """Once it says "ready", who asks was told to."""
        self._order({"pressed": True})

    def give_back(self) -> None:
        """No more is pasted. Returns when it is certain whether this has been. A second time does nothing."""
        if self._offered:
            self._offered = False
            self._order({})
            self._await("given back")

    def let_go(self) -> None:
        """The program gets what all others get."""
        self.give_back()
        self._order({"now": True})
        self._await("now")
        with contextlib.suppress(OSError):
            self._orders.close()
        self._answers.close()
        self._gone = True

    def _await(self, word: str) -> None:
        deadline = time.monotonic() + _ANSWER_S
        while not (self.said(word) or self._gone) and time.monotonic() < deadline:
            select.select([self._answers], [], [], 0.01)

    def _order(self, order: dict[str, object]) -> None:
        try:
            self._orders.write(json.dumps(order, ensure_ascii=False).encode() + b"\n")
            self._orders.flush()
        except OSError:
            self._gone = True

    def _hear(self) -> None:
        while not self._gone and select.select([self._answers], [], [], 0)[0]:
            piece = os.read(self._answers.fileno(), 4096)
            if not piece:
                self._gone = True
                return
            *lines, self._unread = (self._unread + piece).split(b"\n")
            for line in lines:
                word, _, why = line.decode().partition(": ")
                self._heard.add(word)
                if why:
                    sys.stderr.write(f"injector: typed by keys, for the clipboard cannot be kept: {why}\n")
