"""Typing by the clipboard: for long texts of more different characters than there are keys to lend.

Only the window's own program can read the text from the clipboard; everybody else goes on reading what was there, and
that is what is there afterwards (clipboard_holder.py, a process of its own, owns the clipboard). Ctrl+V goes through
the hands like every key. A window that does not ask for the text gets it by keys. Called by keying.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from operator_console.domain.environment import without_keys
from operator_console.domain.keys import Key
from operator_console.injector.clipboard import Clipboard
from operator_console.injector.hands import Halted, Hands
from operator_console.injector.runs import Method, Way, by_keys, runs_of
from operator_console.injector.typing import Progress, Typist

_CHORD = (Key("ctrl"), Key("v"))
_START_S, _OWN_S, _ASK_S, _END_S = 15.0, 5.0, 3.0, 10.0

Still = Callable[[], object]


class Unsure(RuntimeError):
    """Whether the text has arrived cannot be told, in words."""


class Pasting:
    """Types text, where it can and is worth it by the clipboard."""

    def __init__(self, hands: Hands, typist: Typist) -> None:
        self._hands = hands
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
        hands = self._hands
        clipboard.offer(text)
        if not hands.wait_for(lambda: clipboard.said("owned") or clipboard.over, _OWN_S) or clipboard.over:
            return False
        # What fetches without being told to does so now: it may hold the text of a clipboard elsewhere, late.
        self._typist.seen(window_id)
        self._typist.wait_for_foreign_modifiers()
        clipboard.pressed()
        # Only then: a request that the press brings could be there before the word that it comes of a press.
        return hands.wait_for(lambda: clipboard.said("ready") or clipboard.over, _OWN_S)

    def _fetches(self, clipboard: Clipboard, window_id: int) -> bool:
        """Press, and whether the window then fetches the text. Raises Unsure where that cannot be told."""
        self._typist.press_chord(_CHORD)
        if not self._asks(clipboard):
            self._typist.seen(window_id)
            if clipboard.said("listed"):
                self._asks(clipboard)  # slow, and on its way
        if not (clipboard.said("asked") or clipboard.over):
            return self._fetched_at_last(clipboard)
        self._hands.wait_for(lambda: clipboard.said("ended") or clipboard.over, _END_S)
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
        return self._hands.wait_for(
            lambda: clipboard.said("asked") or clipboard.said("ended") or clipboard.over, _ASK_S
        )

    def _clipboard(self, window_id: int) -> Clipboard:
        """The clipboard, its contents kept; `over` where they cannot be."""
        self._holders = [each for each in self._holders if each.poll() is None]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "operator_console.injector.clipboard_holder", "--window", str(window_id)],
            env=without_keys(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self._holders.append(process)
        clipboard = self._last = Clipboard(process)
        self._hands.wait_for(lambda: clipboard.said("kept") or clipboard.over, _START_S)
        return clipboard
