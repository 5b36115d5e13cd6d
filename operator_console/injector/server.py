"""The main loop of the injector: receives a grant, checks it, has it carried out and answers. One grant at a time.

It ends when the console's or the guard's pipe closes. What a SIGKILL leaves held or mapped is undone by the guard.
"""

from __future__ import annotations

import base64
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from dataclasses import replace
from typing import Any

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import TypeText
from operator_console.domain.admission import Admission, refused
from operator_console.domain.codec import CodecError, decode, encode
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import TargetKind
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.secrets_by_name import filled, only_secret
from operator_console.injector.action_errors import ActionError
from operator_console.injector.action_limits import LOOK_AT_HELD_S
from operator_console.injector.backends import BACKENDS, InputBackend
from operator_console.injector.progress import Progress
from operator_console.json_lines import BrokenPipe, Unpacker, packed, receive
from operator_console.rfb.server_login import Login


def run(
    console_fd: int, guard_fd: int, ledger_fd: int, kind: TargetKind, address: str, *, logs_in: bool = False
) -> int:
    """Serve until a pipe closes. Returns the exit code.

    Args:
        console_fd, guard_fd: the pipes.
        ledger_fd: the ledger.
        kind: of the target that is acted on; the code is 1 where there is no backend for it.
        address: where the backend connects; "" for a target on a desktop.
        logs_in: whether the guard first tells how to log in there.
    """
    # Ctrl+C in the terminal is for the console, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ledger = Ledger(ledger_fd)
    own = OwnWindows(pids=(os.getpid(), os.getppid()))
    ledger.set(Word.INJECTOR_PID, os.getpid())
    with socket.socket(fileno=console_fd) as console, socket.socket(fileno=guard_fd) as guard:
        if kind not in BACKENDS:
            sys.stderr.write(f"injector: nothing acts on a target of the kind {kind}\n")
            return 1
        login = Login(**json.loads(guard.makefile("rb").readline())) if logs_in else None
        backend = BACKENDS[kind](ledger, ledger_fd, own, lambda: _is_open(guard), address, login)
        serve(console, guard, ledger, own, backend)
    return 0


def serve(console: socket.socket, guard: socket.socket, ledger: Ledger, own: OwnWindows, backend: InputBackend) -> None:
    """Tell the guard that a backend is ready, have it carry out grants until a pipe closes, then close it."""
    try:
        guard.sendall(b"ready")
        _Server(console, guard, ledger, own, backend).serve()
    except ConnectionError:  # also where nobody takes an answer any more
        pass
    finally:
        backend.close()


def _is_open(guard: socket.socket) -> bool:
    """Whether the guard's end of the pipe is open."""
    try:
        return guard.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


class _Server:
    def __init__(
        self, console: socket.socket, guard: socket.socket, ledger: Ledger, own: OwnWindows, backend: InputBackend
    ) -> None:
        self._console, self._guard, self._ledger = console, guard, ledger
        self._own = own
        self._backend = backend
        self._key = b""
        self._admission = Admission(lambda: self._key, lambda: ledger.get(Word.EPOCH))

    def serve(self) -> None:
        """Answer requests. Raises ConnectionError when a pipe closes."""
        unpacker = Unpacker()
        while True:
            held_s = LOOK_AT_HELD_S if self._ledger.keys else None
            ready, _, _ = select.select([self._console, self._guard], [], [], held_s)
            if not ready:
                self._backend.look_at_held()
            if self._guard in ready and not _is_open(self._guard):
                raise BrokenPipe("the guard is gone")
            if self._console in ready:
                for message in receive(self._console, unpacker):
                    self._answer(message)

    def _answer(self, message: dict[str, Any]) -> None:
        if "key" in message:
            self._key = base64.b64decode(message["key"])
            return
        if "own_pids" in message:
            self._own.add(pids=message["own_pids"], window_ids=message["own_windows"])
        reply: dict[str, Any] = {"id": message["id"]}
        if message.get("release"):
            reply["released"] = self._backend.release_all()
        else:
            reply["outcome"] = encode(self._outcome(message))
        self._console.sendall(packed(reply))

    def _outcome(self, message: dict[str, Any]) -> Outcome:
        began = time.monotonic()
        try:
            grant: Grant = decode(Grant, message["grant"])
        except (CodecError, KeyError) as error:
            return refused(notice(NoticeCode.GRANT_UNREADABLE, error=str(error)), RejectedReason.BAD_GRANT)
        if refusal := self._admission.refusal(grant):
            return refusal
        if isinstance(grant.action, TypeText) and only_secret(grant.action.text):
            secret = message.get("secret")
            if not isinstance(secret, str) or not secret:
                return refused(notice(NoticeCode.GRANT_UNREADABLE, error="no secret"), RejectedReason.BAD_GRANT)
            grant = replace(grant, action=replace(grant.action, text=filled(grant.action.text, secret)))
        progress = Progress(ledger=self._ledger)
        result, detail, reason = self._perform(grant, progress)
        pointer = self._backend.pointer()
        return Outcome(
            result=result, detail=detail, reason=reason, delivered=progress.delivered,
            total=progress.total, duration_s=time.monotonic() - began, pointer=pointer,
            method=progress.way or str(progress.methods),
        )  # fmt: skip

    def _perform(self, grant: Grant, progress: Progress) -> tuple[ActResult, str, str]:
        try:
            self._backend.perform(grant, progress)
        except ActionError as error:
            return error.result, error.text, error.reason
        except Exception as error:  # noqa: BLE001  the console must get an answer, whatever the fault
            traceback.print_exc(file=sys.stderr)
            return ActResult.UNKNOWN, notice(NoticeCode.INPUT_LAYER_FAILED, error=repr(error)), ""
        return ActResult.DONE, "", ""
