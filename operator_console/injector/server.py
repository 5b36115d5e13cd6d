"""The acting child's loop: take a grant, check it, do it, answer. One thing at a time, in one thread.

Ends when the console's or the guard's pipe closes, and leaves nothing held and no symbol lent when it can still do so;
what a SIGKILL leaves is the guard's to undo.
"""

from __future__ import annotations

import base64
import os
import select
import signal
import socket
import sys
import time
import traceback
import types
from typing import Any

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.own_windows import OwnWindows
from operator_console.domain.admission import Admission, refused
from operator_console.domain.codec import CodecError, decode, encode
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.injector.clipboard.paste import Unsure
from operator_console.injector.grant_actions import Effects
from operator_console.injector.input_method.client import Composing, InputMethod, Lost
from operator_console.injector.input_sender import Halted, InputSender, Refused, XTestLine
from operator_console.injector.keyboard.typist import ForeignModifier, Progress, Typist, Untypable
from operator_console.injector.target_check import Surroundings
from operator_console.injector.wire import BrokenPipe, Unpacker, packed, receive


def run(console_fd: int, guard_fd: int, ledger_fd: int) -> int:
    """Serve until a pipe closes."""
    # A Ctrl-C in the terminal is the console's to handle; it ends this process by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    console, guard = socket.socket(fileno=console_fd), socket.socket(fileno=guard_fd)
    ledger = Ledger(ledger_fd)
    server = _Server(console, guard, ledger, ledger_fd)
    guard.sendall(b"ready")
    try:
        server.serve()
    except BrokenPipe:
        pass
    finally:
        server.leave()
    return 0


def _pyautogui() -> Any:
    """pyautogui's hands alone. Its demo ends the process where tkinter is missing; finding pictures and asking in
    boxes are left out by its own rules for what is not installed, and with them half of its time to start."""
    sys.modules.setdefault("mouseinfo", types.ModuleType("mouseinfo"))
    for name in ("pyscreeze", "pymsgbox"):
        sys.modules.setdefault(name, None)  # type: ignore[arg-type]
    import pyautogui

    return pyautogui


class _Server:
    def __init__(self, console: socket.socket, guard: socket.socket, ledger: Ledger, ledger_fd: int) -> None:
        from Xlib.display import Display as InputDisplay

        from operator_console.desktop.x11.display import Display as ViewDisplay

        self._console, self._guard, self._ledger = console, guard, ledger
        self._own = OwnWindows(pids=(os.getpid(), os.getppid()))
        pyautogui = _pyautogui()
        display = InputDisplay()
        from pyautogui import _pyautogui_x11 as theirs

        keys = InputDisplay()
        for word, connection in ((Word.MARK_1, keys), (Word.MARK_2, theirs._display), (Word.MARK_3, display)):
            # The window lives as long as the connection: gone means the server has read all that was sent on it.
            mark = connection.screen().root.create_window(-10, -10, 1, 1, 0, 0)
            connection.sync()
            ledger.set(word, mark.id)
        ledger.set(Word.INJECTOR_PID, os.getpid())
        self._sender = InputSender(display, XTestLine(keys), pyautogui, ledger, self._guard_alive)
        self._input_method = InputMethod(self._sender, ledger_fd)
        self._input_method.start()
        self._typist = Typist(display, self._sender, ledger)
        self._surroundings = Surroundings(ViewDisplay(), self._own, lambda: bool(ledger.keys))
        self._effects = Effects(self._sender, self._typist, self._surroundings, self._input_method)
        self._key = b""
        self._admission = Admission(lambda: self._key, lambda: ledger.get(Word.EPOCH))

    def serve(self) -> None:
        """Until a pipe closes (BrokenPipe)."""
        unpacker = Unpacker()
        while True:
            ready, _, _ = select.select([self._console, self._guard], [], [])
            if self._guard in ready and not self._guard_alive():
                raise BrokenPipe("the guard is gone")
            if self._console in ready:
                for message in receive(self._console, unpacker):
                    self._answer(message)

    def leave(self) -> None:
        """Release and give back, as far as the display still answers."""
        from Xlib.error import ConnectionClosedError

        try:
            self._sender.release_all()
            self._typist.give_back()
            self._surroundings.close()
        except (ConnectionClosedError, OSError) as error:
            sys.stderr.write(f"injector: the display is gone: {error}\n")
        finally:
            self._input_method.close()

    def _guard_alive(self) -> bool:
        """The guard says nothing after the start but "give back"; its end of file is its death."""
        try:
            return self._guard.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _answer(self, message: dict[str, Any]) -> None:
        if "key" in message:
            self._key = base64.b64decode(message["key"])
            return
        if "own_pids" in message:
            self._own.add(pids=message["own_pids"], window_ids=message["own_windows"])
        reply: dict[str, Any] = {"id": message["id"]}
        if message.get("release"):
            reply["released"] = self._sender.release_all()
        else:
            reply["outcome"] = encode(self._outcome(message))
        self._console.sendall(packed(reply))

    def _outcome(self, message: dict[str, Any]) -> Outcome:
        began = time.monotonic()
        try:
            grant: Grant = decode(Grant, message["grant"])
        except (CodecError, KeyError) as error:
            return refused(f"The grant cannot be read: {error}.", RejectedReason.BAD_GRANT)
        if refusal := self._admission.refusal(grant):
            return refusal
        progress = Progress(ledger=self._ledger)
        result, detail, reason, output = self._perform(grant, progress)
        pointer = self._sender.position()
        return Outcome(
            result=result, detail=detail, reason=reason, output=output, delivered=progress.delivered,
            total=progress.total, duration_s=time.monotonic() - began, pointer=pointer,
            method=str(progress.methods),
        )  # fmt: skip

    def _perform(self, grant: Grant, progress: Progress) -> tuple[ActResult, str, str, str]:
        self._sender.begin(grant.epoch, self._surroundings.corners())
        try:
            self._sender.check()
            return ActResult.DONE, "", "", self._effects.perform(grant, progress)
        except Halted as halted:
            return ActResult.STOPPED, f"Not finished: {halted}.", "paused" if str(halted) == "paused" else "", ""
        except Refused as refusal:
            return ActResult.FAILED, str(refusal), refusal.reason.value, ""
        except (Untypable, ForeignModifier, Composing) as problem:
            return ActResult.FAILED, str(problem), RejectedReason.UNSUPPORTED.value, ""
        except (Unsure, Lost) as unsure:
            return ActResult.UNKNOWN, str(unsure), "", ""
        except Exception as error:  # noqa: BLE001  the child must answer; a display that is gone ends it below
            traceback.print_exc(file=sys.stderr)
            return ActResult.UNKNOWN, f"The input layer failed: {error!r}.", "", ""
