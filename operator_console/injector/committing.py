"""Typing by an input method: text that no key types is handed to the field that takes part, in small pieces.

Only while our own engine stands in for the person's (input_method.py), and only once a key has come through it: that
is what proves that the focused window takes part, and that what is committed comes after the keys before it. A field
that ceases to take part gets the rest by keys. Called by keying.py.
"""

from __future__ import annotations

from collections.abc import Callable

from operator_console.injector.hands import Hands
from operator_console.injector.input_method import CHUNK, InputMethod
from operator_console.injector.runs import Method, Way, commits_of
from operator_console.injector.typing import Progress, Typist

_PASSED_S = 0.5

Still = Callable[[], object]


class Committing:
    """Types text, where it can and is worth it by the input method."""

    def __init__(self, hands: Hands, typist: Typist, input_method: InputMethod) -> None:
        self._hands = hands
        self._typist = typist
        self._method = input_method

    def serves(self, text: str) -> bool:
        """Whether the text goes this way: ours stands in and serves a field, and no key types some of the text, or it
        is long (each key would go through the method anyway)."""
        return self._method.stands_in and (len(text) > CHUNK or self._typist.lacks(text)) and self._method.reaches()

    def type_text(self, text: str, *, window_id: int | None, delay_s: float, progress: Progress, still: Still) -> None:
        """As Typist.type_text."""
        at = 0
        for run in commits_of(text):
            if run.way is Way.COMMIT:
                done = self._commit(run.text, window_id, delay_s, progress, still)
                if done < len(run.text):
                    self._typist.type_text(
                        text[at + done :], window_id=window_id, delay_s=delay_s, progress=progress, still=still
                    )
                    return
            else:
                self._typist.type_text(run.text, window_id=window_id, delay_s=delay_s, progress=progress, still=still)
            at += len(run.text)

    def read_so_far(self) -> None:
        """Wait until the focused window has done all that came to it so far, by an input method too. Raises Untypable
        where it is known not to have."""
        self._typist.seen(None)
        self._through(None)

    def _commit(self, text: str, window_id: int | None, delay_s: float, progress: Progress, still: Still) -> int:
        """Hand characters over; returns how many. 0 where the focused window does not take part after all."""
        still()
        if not self._passes(window_id):
            return 0
        size = 1 if delay_s > 0 else CHUNK
        done = 0
        while done < len(text):
            still()
            chunk = text[done : done + size]
            if not self._method.commit(chunk):
                self._method.check()
                break
            done += len(chunk)
            progress.typed(Method.COMMITTED, len(chunk))
            if delay_s > 0:
                self._hands.wait(delay_s)
        # Keys go another way: those that come after must not come first.
        self._typist.seen(window_id)
        self._through(window_id)
        return done

    def _passes(self, window_id: int | None) -> bool:
        """Whether keys come through the input method and have all been done; where none was sent, one that yields
        nothing is."""
        if not self._method.passed() and not self._typist.press_silent():
            return False
        self._typist.seen(window_id)
        # GTK puts a key that came back behind whatever else it has to do, a text that was committed after it too.
        return self._hands.wait_for(self._method.passed, _PASSED_S) and self._through(window_id)

    def _through(self, window_id: int | None) -> bool:
        """Whether all that is on its way through the input method has come to its end in the window."""
        daemon = self._method.daemon()
        return daemon is not None and self._typist.rest_after(daemon, window_id)
