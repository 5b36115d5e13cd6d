"""Waits until the window manager and the target window have processed what was sent so far.

A changed keyboard map reaches every client as an event; one that has not read it yet would misread the next key, and
openbox grabs its keys and buttons anew. Both are sent a request that they answer in order (EWMH frame extents, a
ping). An application that answers no ping is watched in /proc until its processes sleep.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from Xlib import X
from Xlib.error import XError
from Xlib.protocol.event import ClientMessage, MappingNotify

Sleep = tuple[tuple[str, ...], ...]
"""Of each thread: its name in /proc and how often it has given up the processor."""

_COUNTS = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


def sleep_of(pid: int) -> Sleep | None:
    """How a process sleeps now; the same again later means that no thread of it ran meanwhile. None where one runs,
    or it cannot be told."""
    try:
        threads = sorted(Path(f"/proc/{pid}/task").iterdir())
        found = tuple((thread.name, *_counts((thread / "status").read_text(encoding="ascii", errors="replace")))
                      for thread in threads)  # fmt: skip
    except OSError:
        return None
    return found if found and all(len(thread) > 1 for thread in found) else None


def family_of(pid: int) -> list[int]:
    """A process and all that descend from it: browsers have others draw and edit their pages."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):  # it has ended
            # After the name, which may hold anything: the state, the parent.
            parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def _counts(status: str) -> tuple[str, ...]:
    """The switches of a sleeping thread; () of one that runs."""
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    asleep = fields.get("State", "").strip().startswith("S")
    return tuple(fields[name].strip() for name in _COUNTS if name in fields) if asleep else ()


_MANAGER_S = 1.0
_WINDOW_S = 2.0
_MUTE_WINDOW_S = 0.15
_PATIENCE_S = 30.0
_REST_POLL_S, _ANSWERS = 0.001, 3
_LOCAL_CLIENT_PID = 2


class Behind(RuntimeError):
    """An application that did answer has not for long: what was typed has not been read."""


class Barriers:
    """Asks over the typist's connection, with one unmapped window for the answers; `hear` gets all other events."""

    def __init__(self, display: Any, hear: Callable[[Any], None]) -> None:
        self._display = display
        self._hear = hear
        self._root = display.screen().root
        self._own = self._root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
        # A ping is answered to the root window: by GTK for who hears of its children, by Qt for who hears of itself.
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask)
        self._atoms = {
            name: display.intern_atom(name)
            for name in ("WM_PROTOCOLS", "_NET_WM_PING", "_NET_REQUEST_FRAME_EXTENTS", "_NET_FRAME_EXTENTS",
                         "_NET_SUPPORTED")
        }  # fmt: skip
        self._serial = 0
        self._answers: bool | None = None
        self._mute: set[int] = set()
        self._answering: set[int] = set()
        self._restless: set[int] = set()
        display.sync()

    @property
    def managed(self) -> bool:
        """Whether there is a window manager that tells when it has read all so far."""
        if self._answers is None:
            supported = self._root.get_full_property(self._atoms["_NET_SUPPORTED"], X.AnyPropertyType)
            self._answers = supported is not None and self._atoms["_NET_REQUEST_FRAME_EXTENTS"] in supported.value
        return self._answers

    def manager(self, check: Callable[[], None], timeout_s: float = _MANAGER_S) -> bool:
        """Whether the window manager answered. `check` may raise to end the wait."""
        if not self.managed:
            return False
        self._own.delete_property(self._atoms["_NET_FRAME_EXTENTS"])
        self._send(self._root, self._own, "_NET_REQUEST_FRAME_EXTENTS", (0, 0, 0, 0, 0),
                   X.SubstructureNotifyMask | X.SubstructureRedirectMask)  # fmt: skip
        return self._until(
            lambda e: e.type == X.PropertyNotify and e.atom == self._atoms["_NET_FRAME_EXTENTS"] and e.state == 0,
            timeout_s, check,
        )  # fmt: skip

    def window(self, window_id: int, check: Callable[[], None]) -> bool:
        """Whether the client window answered a ping; False at once where it does not take part. One that has answered
        before is waited for longer, and raises Behind at the end: it works, and is not done with what it was sent."""
        window = self._display.create_resource_object("window", window_id)
        try:
            protocols = window.get_full_property(self._atoms["WM_PROTOCOLS"], X.AnyPropertyType)
        except XError:
            return False
        if protocols is None or self._atoms["_NET_WM_PING"] not in protocols.value:
            return False
        self._serial += 1
        serial = self._serial
        # The time field identifies the ping; the answer repeats it.
        self._send(window, window, "WM_PROTOCOLS", (self._atoms["_NET_WM_PING"], serial, window_id, 0, 0), 0)
        answered = self._until(
            lambda e: e.type == X.ClientMessage and e.client_type == self._atoms["WM_PROTOCOLS"]
            and e.data[1][0] == self._atoms["_NET_WM_PING"] and e.data[1][1] == serial,
            self._patience_s(window_id), check,
        )  # fmt: skip
        if answered:
            self._answering.add(window_id)
        elif window_id in self._answering:
            raise Behind
        (self._mute.discard if answered else self._mute.add)(window_id)
        return answered

    def _patience_s(self, window_id: int) -> float:
        if window_id in self._answering:
            return _PATIENCE_S
        return _MUTE_WINDOW_S if window_id in self._mute else _WINDOW_S

    def focus(self) -> int | None:
        """The window that keys go to, as the server has it."""
        focus = self._display.get_input_focus().focus
        return None if isinstance(focus, int) else int(focus.id)

    def rest(self, window_id: int, check: Callable[[], None]) -> bool:
        """Whether the window's process has come to rest: for those that answer no ping. False at once where the
        server does not know the process."""
        pid = self._pid_of(window_id)
        return pid is not None and self._rest_of(pid, check)

    def rest_in_order(self, pids: Iterable[int], window_id: int, check: Callable[[], None]) -> bool:
        """As rest, of the window after these processes, each of which has something for the next; and after the
        server of input methods for programs that know of them from X alone."""
        owner = self._display.get_selection_owner(self._display.intern_atom("@server=ibus"))
        server = None if isinstance(owner, int) else self._pid_of(int(owner.id))
        between = [*pids, *([server] if server is not None else [])]
        return all(self._rest_of(pid, check) for pid in between) and self.rest(window_id, check)

    def _rest_of(self, pid: int, check: Callable[[], None]) -> bool:
        deadline = time.monotonic() + (_MUTE_WINDOW_S if pid in self._restless else _WINDOW_S)
        while not (resting := self._rests(pid)) and time.monotonic() < deadline:
            check()
            time.sleep(_REST_POLL_S)
        (self._restless.discard if resting else self._restless.add)(pid)
        return resting

    def _rests(self, pid: int) -> bool:
        before = sleep_of(pid)
        if before is None:
            return False
        for _ in range(_ANSWERS):
            self._display.sync()
        return sleep_of(pid) == before

    def _pid_of(self, window_id: int) -> int | None:
        """The process of a window, where it runs on this machine."""
        if not self._display.has_extension("X-Resource"):
            return None
        try:
            reply = self._display.res_query_client_ids([{"client": window_id, "mask": _LOCAL_CLIENT_PID}])
        except XError:
            return None
        return next((int(found.value[0]) for found in reply.ids if found.value), None)

    def tell(self, window_id: int) -> None:
        """Tell the window that the map changed. Chromium, once it has had a key, hears of that by no other means, and
        its pages would be told of keys without a name."""
        window = self._display.create_resource_object("window", window_id)
        info = self._display.display.info
        notice = MappingNotify(
            request=X.MappingKeyboard, first_keycode=info.min_keycode, count=info.max_keycode - info.min_keycode + 1
        )
        window.send_event(notice, onerror=lambda *_: None)

    def _send(self, to: Any, about: Any, name: str, data: tuple[int, ...], mask: int) -> None:
        message = ClientMessage(window=about, client_type=self._atoms[name], data=(32, data))
        to.send_event(message, event_mask=mask, onerror=lambda *_: None)
        self._display.flush()

    def _until(self, wanted: Callable[[Any], bool], timeout_s: float, check: Callable[[], None]) -> bool:
        deadline = time.monotonic() + timeout_s
        while True:
            while self._display.pending_events():
                event = self._display.next_event()
                if wanted(event):
                    return True
                self._hear(event)
            check()
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            select.select([self._display.fileno()], [], [], min(left, 0.02))
