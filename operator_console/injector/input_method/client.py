"""The display's input method: keeps keys from being composed, and commits text that no key types.

While the person's engine composes (pinyin, hangul), an engine of ours stands in for it for the length of one action.
Text is committed only to a field that takes part, which is proven by a key that came through our engine. Without an
input method, keys are sent as usual.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from operator_console.desktop.freedesktop import ibus
from operator_console.injector.input_method.fcitx import Fcitx
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.typist import Method, Progress, Typist, Way, commits_of
from operator_console.injector.wire import BrokenPipe, Unpacker, packed, receive

CHUNK = 32
# A daemon that hangs costs the keeper a quarter of a second, once; this is for the keeper itself.
_ANSWER_S = 5.0
_START_S = 3.0
_COMPOSED_S = 2.0
_PASSED_S = 0.3
_END_S = 2.0
_AGAIN_S = 10.0


class Composing(RuntimeError):
    """A person is in the middle of composing a text; keys would destroy it."""


class Lost(RuntimeError):
    """Our engine is gone in the middle of an action: what came of its keys is unknown."""


class InputMethod:
    """One per injector.

    Args:
        hands: through which alone text is committed, and the stop checks while something is waited for.
        ledger_fd: of the ledger, for the process that keeps the engine.
    """

    def __init__(self, sender: InputSender, ledger_fd: int) -> None:
        self._sender = sender
        self._ledger_fd = ledger_fd
        self._fcitx = Fcitx()
        self._address: str | None = None
        self._silent_s: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._unpacker = Unpacker()
        self._ready = False
        self._patience_s = 0.0
        self._taken = self._took = False
        self._before: dict[int, int] = {}

    def start(self) -> None:
        """Start the keeper where this display has an input method that has none yet; does not wait for it."""
        self._fcitx.start()
        address = ibus.address(os.environ.get("DISPLAY", ""))
        again = self._silent_s is not None and time.monotonic() - self._silent_s > _AGAIN_S
        if address == self._address and not again:
            return
        # One that was silent before is not waited for: keys go as they would without it until it has answered.
        patience_s = _START_S if address != self._address else 0.0
        self._end()
        self._address, self._silent_s = address, None
        if address is None:
            return
        line, far = socket.socketpair()
        fds = {"fd": far.fileno(), "ledger-fd": self._ledger_fd}
        arguments = [text for name, fd in fds.items() for text in (f"--{name}", str(fd))]
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "operator_console.injector.input_method.ibus_engine_process", *arguments],
                env=dict(os.environ), pass_fds=tuple(fds.values()), stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._line, self._unpacker, self._ready, self._patience_s = line, Unpacker(), False, patience_s

    @contextmanager
    def keys_as_they_are(self, read: Callable[[], None], *, wanted: bool = False) -> Iterator[None]:
        """For the time of one action, no key is composed into something else. `read` waits until the focused window
        has done what came to it so far (a key that is with the person's engine when ours takes its place is lost).
        `wanted`: ours is in any case, to commit text. Raises Composing, Lost, Halted, and what `read` raises."""
        self.start()
        engine = self._engine()
        try:
            if engine and (wanted or ibus.composes(engine)):
                read()
                read()  # its engine is a process of its own between the two
                self._take()
            if not self._taken_over() and ibus.composes(engine := self._engine()):
                raise Composing(f"The input method {engine!r} composes what is typed, and could not be set aside.")
            yield
            self.check()
            if self._taken and self.client():
                read()
                self._sender.wait_for(self.passed, _PASSED_S)
                read()
        finally:
            if self._taken:
                self._taken = False
                self._ask("give back")

    def before_keys(self, read: Callable[[], None]) -> None:
        """When the focus is where the keys are to go. `read` as above. Raises Composing, and what `read` raises."""
        if method := self._fcitx.composing(read):
            raise Composing(
                f"The input method {method!r} of fcitx5 would compose what is typed here. "
                "Switch this field to the plain keyboard (by default Ctrl+Space), then try again."
            )

    @property
    def stands_in(self) -> bool:
        """Whether ours is the engine now."""
        return self._taken

    def check(self) -> None:
        """Raises Lost where ours should be the engine and its keeper is gone: the person's may compose again."""
        if self._taken and self._line is None:
            raise Lost("The input method went silent in the middle; some of it may have been composed into other text.")

    def reaches(self) -> bool:
        """Whether ours is the engine, and a field with the focus may take what is committed."""
        return bool(self.client())

    def client(self) -> str:
        """What the program calls itself whose field has the focus; "" for none."""
        return str(self._ask("who").get("client", "")) if self._taken else ""

    def daemon(self) -> int | None:
        """The daemon's process, where that is known."""
        return self._ask("daemon").get("pid") or self._fcitx.pid

    def passed(self) -> bool:
        """Whether all keys that were sent since ours is the engine have come through it: the window that has the focus
        takes part, and the next text comes after them. False where none was sent."""
        keycode, count = self._sender.last_release
        sent = count - self._before.get(keycode, 0)
        return sent > 0 and int(self._ask("heard", keycode=keycode).get("count", 0)) >= sent

    def commit(self, characters: str) -> bool:
        """Hand them to the focused field; False where none took part any more. Raises Halted."""
        return self._sender.commit(lambda: bool(self._ask("commit", text=characters).get("committed")))

    def close(self) -> None:
        """The keeper sets back what is not, and ends."""
        self._end()
        self._fcitx.close()

    def _end(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):  # it waits for a daemon that hangs
                self._process.wait(_END_S)
            self._process = None

    def _engine(self) -> str:
        return str(self._ask("look").get("engine", ""))

    def _taken_over(self) -> bool:
        return self._taken and self._took

    def _take(self) -> None:
        if not self._sender.wait_for(lambda: not self._ask("composing").get("composing"), _COMPOSED_S):
            raise Composing("Somebody is composing a text with the input method; finish it, or give it up.")
        # Said before it is so: whatever goes wrong on the way is given back too.
        self._taken = True
        self._before = self._sender.releases
        self._took = bool(self._ask("take").get("taken"))

    def _ask(self, what: str, **more: Any) -> dict[str, Any]:
        """{} where there is no input method; one that does not answer in time is left alone for a while."""
        if self._line is None or not self._is_ready(self._line):
            return {}
        try:
            self._line.settimeout(_ANSWER_S)
            self._line.sendall(packed({"do": what, **more}))
            answer = self._next(self._line)
        except (BrokenPipe, OSError):
            answer = {}
        if not answer:
            self._silent()
        return answer

    def _is_ready(self, line: socket.socket) -> bool:
        if self._ready:
            return True
        line.settimeout(self._patience_s)
        self._patience_s = 0.0
        try:
            answer = self._next(line)
        except (BrokenPipe, OSError):
            return False
        self._ready = bool(answer.get("ready"))
        if not self._ready:
            self._silent()
        return self._ready

    def _next(self, line: socket.socket) -> dict[str, Any]:
        while not (found := receive(line, self._unpacker)):
            if line.gettimeout() == 0:
                raise BrokenPipe("nothing yet")
        return found[0]

    def _silent(self) -> None:
        """Let go of it; should it hold the person's engine, it gives that back."""
        self._silent_s = time.monotonic()
        if self._line is not None:
            self._line.close()
            self._line = None


_FIELD_ANSWER_S = 0.5

Still = Callable[[], object]


class Committing:
    """Types text, where it can and is worth it by the input method."""

    def __init__(self, sender: InputSender, typist: Typist, input_method: InputMethod) -> None:
        self._sender = sender
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
                self._sender.wait(delay_s)
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
        return self._sender.wait_for(self._method.passed, _FIELD_ANSWER_S) and self._through(window_id)

    def _through(self, window_id: int | None) -> bool:
        """Whether all that is on its way through the input method has come to its end in the window."""
        daemon = self._method.daemon()
        return daemon is not None and self._typist.rest_after(daemon, window_id)
