"""Prevents the display's input method from composing the keys that are sent, and commits text through it.

If the person's IBus engine composes (pinyin, hangul), our own engine replaces it for the duration of one action. Text
is committed only to a field that uses the input method, which is known once a key has come through our engine. Without
an input method, keys are sent as usual.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from operator_console.desktop.freedesktop import ibus
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import CompositionActive, InputMethodLost
from operator_console.injector.input_method.fcitx import Fcitx
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.text_runs import Route, commit_runs
from operator_console.injector.progress import Method, Progress
from operator_console.json_lines import BrokenPipe, Unpacker, packed, receive

if TYPE_CHECKING:
    from operator_console.injector.keyboard.typist import Typist

_MAX_COMMIT = 32
# For the engine process itself; it waits at most 0.25 s, once, for a daemon that hangs.
_ANSWER_S = 5.0
_START_S = 3.0
_COMPOSED_S = 2.0
_PASSED_S = 0.3
_FIELD_ANSWER_S = 0.5
_END_S = 2.0
_RETRY_S = 10.0

Recheck = Callable[[], object]


class InputMethod:
    """The client of the engine process. One per injector.

    Args:
        sender: checks the gate before text is committed, and while something is awaited.
        ledger_fd: descriptor of the ledger, for the engine process.
    """

    def __init__(self, sender: InputSender, ledger_fd: int) -> None:
        self._sender = sender
        self._ledger_fd = ledger_fd
        self._fcitx = Fcitx()
        self._address: str | None = None
        self._silent_since_s: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._unpacker = Unpacker()
        self._ready = False
        self._start_timeout_s = 0.0
        self._replacing = self._replaced = False
        self._counts_before: dict[int, int] = {}

    def start(self) -> None:
        """Start the engine process if the display has an input method and none is running. Does not wait for it."""
        self._fcitx.start()
        address = ibus.address(os.environ.get("DISPLAY", ""))
        retry = self._silent_since_s is not None and time.monotonic() - self._silent_since_s > _RETRY_S
        if address == self._address and not retry:
            return
        # One that did not answer before is not waited for again; until it does, keys are sent as without it.
        start_timeout_s = _START_S if address != self._address else 0.0
        self._end()
        self._address, self._silent_since_s = address, None
        if address is None:
            return
        channel, remote = socket.socketpair()
        fds = {"fd": remote.fileno(), "ledger-fd": self._ledger_fd}
        arguments = [text for name, fd in fds.items() for text in (f"--{name}", str(fd))]
        with remote:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "operator_console.injector.input_method.ibus_engine_process", *arguments],
                env=dict(os.environ), pass_fds=tuple(fds.values()), stdin=subprocess.DEVNULL,
            )  # fmt: skip
        self._channel, self._unpacker, self._ready, self._start_timeout_s = channel, Unpacker(), False, start_timeout_s

    @contextmanager
    def uncomposed_keys(self, wait_until_read: Callable[[], None], *, required: bool = False) -> Iterator[None]:
        """Prevent composition in the `with` block, which is one action.

        Args:
            wait_until_read: waits until the focused window has processed all earlier keys. A key that the person's
                engine still has when it is replaced would be lost.
            required: whether our engine is needed in any case, to commit text.

        Raises:
            CompositionActive: a person is composing, or the engine could not be replaced.
            InputMethodLost: our engine ended during the action.
            Halted: the injector may not go on.
        """
        self.start()
        engine = self._engine()
        try:
            if engine and (required or ibus.composes(engine)):
                wait_until_read()
                wait_until_read()  # twice: the person's engine, a process of its own, may have passed keys on meanwhile
                self._replace_engine()
            if not self._replaced_engine() and ibus.composes(engine := self._engine()):
                raise CompositionActive(notice(NoticeCode.INPUT_METHOD_NOT_SWITCHED_OFF, method=repr(engine)))
            yield
            self.check()
            if self._replacing and self.client():
                wait_until_read()
                self._sender.wait_for(self.keys_passed, _PASSED_S)
                wait_until_read()
        finally:
            if self._replacing:
                self._replacing = False
                self._request("restore")

    def check_composition(self, wait_until_read: Callable[[], None]) -> None:
        """Once the intended field has the focus: raises CompositionActive if fcitx5 would compose its keys."""
        if method := self._fcitx.composing(wait_until_read):
            raise CompositionActive(
                joined(
                    notice(NoticeCode.FCITX_WOULD_COMPOSE, method=repr(method)),
                    notice(NoticeCode.SWITCH_TO_PLAIN_KEYBOARD),
                )
            )

    @property
    def engine_active(self) -> bool:
        """Whether our engine replaces the person's now."""
        return self._replacing

    def check(self) -> None:
        """Raises InputMethodLost if our engine should be active and its process has ended."""
        if self._replacing and self._channel is None:
            raise InputMethodLost(notice(NoticeCode.INPUT_METHOD_SILENT))

    def has_client(self) -> bool:
        """Whether our engine is active, and serves a field with the focus."""
        return bool(self.client())

    def client(self) -> str:
        """Name of the program whose field has the focus, as it told the daemon; "" for none."""
        return str(self._request("client").get("client", "")) if self._replacing else ""

    def daemon(self) -> int | None:
        """Process id of the input method's daemon; None if it is not known."""
        return self._request("daemon").get("pid") or self._fcitx.pid

    def keys_passed(self) -> bool:
        """Whether all keys sent since our engine became active have come through it; False if none was sent.

        If so, the focused window uses the input method, and a commit would arrive after those keys.
        """
        keycode, count = self._sender.last_release
        sent = count - self._counts_before.get(keycode, 0)
        return sent > 0 and int(self._request("releases", keycode=keycode).get("count", 0)) >= sent

    def commit(self, characters: str) -> bool:
        """Commit text to the focused field; False if none uses the input method any more. Raises Halted."""
        return self._sender.commit(lambda: bool(self._request("commit", text=characters).get("committed")))

    def close(self) -> None:
        """End the engine process, which restores the person's engine."""
        self._end()
        self._fcitx.close()

    def _end(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):  # it may be waiting for a daemon that hangs
                self._process.wait(_END_S)
            self._process = None

    def _engine(self) -> str:
        return str(self._request("engine").get("engine", ""))

    def _replaced_engine(self) -> bool:
        return self._replacing and self._replaced

    def _replace_engine(self) -> None:
        if not self._sender.wait_for(lambda: not self._request("composing").get("composing"), _COMPOSED_S):
            raise CompositionActive(notice(NoticeCode.PERSON_IS_COMPOSING))
        # Set before the request, so that a half-finished replacement is undone too.
        self._replacing = True
        self._counts_before = self._sender.release_counts
        self._replaced = bool(self._request("activate").get("activated"))

    def _request(self, what: str, **more: Any) -> dict[str, Any]:
        """Ask the engine process; {} if there is none. One that does not answer is not asked again for a while."""
        if self._channel is None or not self._is_ready(self._channel):
            return {}
        try:
            self._channel.settimeout(_ANSWER_S)
            self._channel.sendall(packed({"do": what, **more}))
            answer = self._next_message(self._channel)
        except (BrokenPipe, OSError):
            answer = {}
        if not answer:
            self._disconnect()
        return answer

    def _is_ready(self, channel: socket.socket) -> bool:
        if self._ready:
            return True
        channel.settimeout(self._start_timeout_s)
        self._start_timeout_s = 0.0
        try:
            answer = self._next_message(channel)
        except (BrokenPipe, OSError):
            return False
        self._ready = bool(answer.get("ready"))
        if not self._ready:
            self._disconnect()
        return self._ready

    def _next_message(self, channel: socket.socket) -> dict[str, Any]:
        while not (found := receive(channel, self._unpacker)):
            if channel.gettimeout() == 0:
                raise BrokenPipe("nothing yet")
        return found[0]

    def _disconnect(self) -> None:
        """Close the pipe to an engine process that does not answer. It then restores the person's engine."""
        self._silent_since_s = time.monotonic()
        if self._channel is not None:
            self._channel.close()
            self._channel = None


class InputMethodTypist:
    """Types text by keys, and commits it through the input method if that is possible and better."""

    def __init__(self, sender: InputSender, typist: Typist, input_method: InputMethod) -> None:
        self._sender = sender
        self._typist = typist
        self._method = input_method

    def serves(self, text: str) -> bool:
        """Whether to commit the text: our engine serves a field, and the text has characters without a key or is long.

        Single keys of a long text would go through the input method too, so nothing is gained by them.
        """
        if not self._method.engine_active:
            return False
        return (len(text) > _MAX_COMMIT or self._typist.lacks_key_for(text)) and self._method.has_client()

    def type_text(
        self, text: str, *, window_id: int | None, delay_s: float, progress: Progress, recheck: Recheck
    ) -> None:
        """As Typist.type_text. Raises InputMethodLost too."""
        position = 0
        for run in commit_runs(text):
            if run.route is Route.COMMIT:
                done = self._commit(run.text, window_id, delay_s, progress, recheck)
                if done < len(run.text):
                    self._typist.type_text(
                        text[position + done :],
                        window_id=window_id,
                        delay_s=delay_s,
                        progress=progress,
                        recheck=recheck,
                    )
                    return
            else:
                self._typist.type_text(
                    run.text, window_id=window_id, delay_s=delay_s, progress=progress, recheck=recheck
                )
            position += len(run.text)

    def wait_until_read(self) -> None:
        """Wait until the focused window has processed all input so far, including what comes through an input method.

        Raises:
            Untypable: the application has stopped responding.
        """
        self._typist.wait_until_read(None)
        self._wait_for_daemon(None)

    def _commit(self, text: str, window_id: int | None, delay_s: float, progress: Progress, recheck: Recheck) -> int:
        """Commit a run; returns the number of characters. 0 if the focused window does not use the input method."""
        recheck()
        if not self._window_uses_it(window_id):
            return 0
        size = 1 if delay_s > 0 else _MAX_COMMIT
        done = 0
        while done < len(text):
            recheck()
            chunk = text[done : done + size]
            if not self._method.commit(chunk):
                self._method.check()
                break
            done += len(chunk)
            progress.typed(Method.COMMITTED, len(chunk))
            if delay_s > 0:
                self._sender.wait(delay_s)
        # Later keys take a shorter path and would overtake the committed text.
        self._typist.wait_until_read(window_id)
        self._wait_for_daemon(window_id)
        return done

    def _window_uses_it(self, window_id: int | None) -> bool:
        """Whether keys come through the input method and have all been processed. If none was sent yet, a key without a
        symbol is."""
        if not self._method.keys_passed() and not self._typist.press_unmapped_key():
            return False
        self._typist.wait_until_read(window_id)
        # GTK queues a key that comes back behind its other work, even behind a text that was committed after it.
        return self._sender.wait_for(self._method.keys_passed, _FIELD_ANSWER_S) and self._wait_for_daemon(window_id)

    def _wait_for_daemon(self, window_id: int | None) -> bool:
        """Wait until the daemon, then the window, are idle; whether they are."""
        daemon = self._method.daemon()
        return daemon is not None and self._typist.wait_until_idle_after(daemon, window_id)
