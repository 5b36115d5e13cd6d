"""Types a long text by pasting it, for texts with more different characters than spare keycodes.

Only the target window's program can read the text from the clipboard; all others keep reading what was there before.
A separate process (`holder_process`) owns the clipboard meanwhile. A window that does not ask for the text gets it by
keys.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable

from operator_console.domain.environment import without_keys
from operator_console.domain.keys import Key
from operator_console.injector.input_sender import Halted, InputSender
from operator_console.injector.keyboard.typist import Method, Progress, Typist, Way, by_keys, runs_of

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


_CHORD = (Key("ctrl"), Key("v"))
_START_S, _OWN_S, _ASK_S, _END_S = 15.0, 5.0, 3.0, 10.0

Still = Callable[[], object]


class Unsure(RuntimeError):
    """Whether the text has arrived cannot be told, in words."""


class Pasting:
    """Types text, where it can and is worth it by the clipboard."""

    def __init__(self, sender: InputSender, typist: Typist) -> None:
        self._sender = sender
        self._typist = typist
        self._holders: list[subprocess.Popen[bytes]] = []
        self._last: Clipboard | None = None

    def settle(self) -> None:
        """The program that was pasted into last may be made to copy or paste now."""
        if self._last is not None:
            self._last.let_go()
            self._last = None

    def type_text(self, text: str, *, window_id: int, progress: Progress, still: Still) -> None:
        """As Typist.type_text, without a delay. Raises Unsure too."""
        runs = runs_of(text, carried=self._typist.own_characters().__contains__, lendable=self._typist.lendable)
        clipboard = self._clipboard(window_id) if any(run.way is Way.PASTE for run in runs) else None
        try:
            while runs:
                if runs[0].way is Way.PASTE and not self._paste(clipboard, runs[0].text, window_id, progress, still):
                    runs = by_keys("".join(run.text for run in runs))
                if runs[0].way is Way.KEYS:
                    self._typist.type_text(
                        runs[0].text, window_id=window_id, delay_s=0.0, progress=progress, still=still
                    )
                del runs[0]
        finally:
            if clipboard is not None:
                clipboard.give_back()

    def _paste(self, clipboard: Clipboard | None, text: str, window_id: int, progress: Progress, still: Still) -> bool:
        """Whether the window has fetched the text. False: it has not, and will not. Raises Unsure."""
        if clipboard is None or not self._offered(clipboard, text, window_id):
            return False
        still()
        if clipboard.said("early") or clipboard.over:
            return False
        try:
            fetched = self._fetches(clipboard, window_id)
        except Halted:
            clipboard.give_back()
            if clipboard.said("asked"):
                progress.typed(Method.PASTED, len(text))
            raise
        if fetched:
            progress.typed(Method.PASTED, len(text))
            self._typist.seen(window_id)
        return fetched

    def _offered(self, clipboard: Clipboard, text: str, window_id: int) -> bool:
        """Whether all is ready for the press."""
        sender = self._sender
        clipboard.offer(text)
        if not sender.wait_for(lambda: clipboard.said("owned") or clipboard.over, _OWN_S) or clipboard.over:
            return False
        # What fetches without being told to does so now: it may hold the text of a clipboard elsewhere, late.
        self._typist.seen(window_id)
        self._typist.wait_for_foreign_modifiers()
        clipboard.pressed()
        # Only then: a request that the press brings could be there before the word that it comes of a press.
        return sender.wait_for(lambda: clipboard.said("ready") or clipboard.over, _OWN_S)

    def _fetches(self, clipboard: Clipboard, window_id: int) -> bool:
        """Press, and whether the window then fetches the text. Raises Unsure where that cannot be told."""
        self._typist.press_chord(_CHORD)
        if not self._asks(clipboard):
            self._typist.seen(window_id)
            if clipboard.said("listed"):
                self._asks(clipboard)  # slow, and on its way
        if not (clipboard.said("asked") or clipboard.over):
            return self._fetched_at_last(clipboard)
        self._sender.wait_for(lambda: clipboard.said("ended") or clipboard.over, _END_S)
        if clipboard.said("late"):
            raise Unsure("Whether the text was pasted is not known: the application got it late.")
        if not clipboard.said("ended"):
            raise Unsure("Whether the text was pasted is not known: the clipboard went to somebody else meanwhile, or "
                         "the application asked for the text and has not fetched it.")  # fmt: skip
        return True

    @staticmethod
    def _fetched_at_last(clipboard: Clipboard) -> bool:
        """After its time is up; once the text is not offered to it any more it never will be, and keys may follow."""
        clipboard.give_back()
        if not clipboard.said("given back"):
            raise Unsure("Whether the text will still be pasted is not known: the clipboard's holder does not answer.")
        return clipboard.said("asked")

    def _asks(self, clipboard: Clipboard) -> bool:
        return self._sender.wait_for(
            lambda: clipboard.said("asked") or clipboard.said("ended") or clipboard.over, _ASK_S
        )

    def _clipboard(self, window_id: int) -> Clipboard:
        """The clipboard, its contents kept; `over` where they cannot be."""
        self._holders = [each for each in self._holders if each.poll() is None]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "operator_console.injector.clipboard.holder_process",
             "--window", str(window_id)],
            env=without_keys(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self._holders.append(process)
        clipboard = self._last = Clipboard(process)
        self._sender.wait_for(lambda: clipboard.said("kept") or clipboard.over, _START_S)
        return clipboard
