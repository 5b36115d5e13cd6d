"""Waits until the window manager and the target window have processed the events sent so far.

A client that has not yet processed a change of the keyboard map would misread the next key, and a window manager grabs
its shortcuts again after each change. Both are sent a request that they answer in the order of their events: EWMH frame
extents for the window manager, _NET_WM_PING for the window. For an application that does not answer pings, /proc tells
when its processes have become idle.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterable
from typing import Any

from Xlib import X
from Xlib.error import XError
from Xlib.protocol.event import ClientMessage, MappingNotify

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import DeliveryUnknown
from operator_console.process_activity import context_switches, main_threads_sleep, page_processes

_MANAGER_S = 1.0
_WINDOW_S = 2.0
# For windows that did not answer last time.
_SILENT_WINDOW_S = 0.15
# For windows that have answered before.
_BUSY_WINDOW_S = 30.0
# For a page whose main thread may never sleep.
_PAGE_S = 5.0
_POLL_S = 0.02
_IDLE_POLL_S, _SYNCS = 0.001, 3
_LOCAL_CLIENT_PID = 2
_WAITS_PER_PAGE_WAIT = 4
"""After a wait for a page it paints, which takes longer than the wait."""


class NotResponding(RuntimeError):
    """An application that answered before does not answer now, so it has not processed what was typed."""


class ProcessingWaiter:
    """Sends the requests over a given connection, from an unmapped window of its own.

    Args:
        display: a python-xlib Display.
        on_event: gets all events that are not answers.
    """

    def __init__(self, display: Any, on_event: Callable[[Any], None]) -> None:
        self._display = display
        self._on_event = on_event
        self._root = display.screen().root
        self._own = self._root.create_window(-10, -10, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
        # Pings are answered to the root window: GTK sends to clients with SubstructureNotify, Qt with StructureNotify.
        self._root.change_attributes(event_mask=X.SubstructureNotifyMask | X.StructureNotifyMask)
        self._atoms = {
            name: display.intern_atom(name)
            for name in ("WM_PROTOCOLS", "_NET_WM_PING", "_NET_REQUEST_FRAME_EXTENTS", "_NET_FRAME_EXTENTS",
                         "_NET_SUPPORTED")
        }  # fmt: skip
        self._serial = 0
        self._answered: dict[int, int] = {}
        self._manager_answered = False
        self._manager_answers: bool | None = None
        self._silent: set[int] = set()
        self._answering: set[int] = set()
        self._never_idle: set[int] = set()
        display.sync()

    @property
    def has_manager(self) -> bool:
        """Whether a window manager is running that answers frame extents requests."""
        if self._manager_answers is None:
            supported = self._root.get_full_property(self._atoms["_NET_SUPPORTED"], X.AnyPropertyType)
            self._manager_answers = (
                supported is not None and self._atoms["_NET_REQUEST_FRAME_EXTENTS"] in supported.value
            )
        return self._manager_answers

    def wait_for_manager(self, check: Callable[[], None], timeout_s: float = _MANAGER_S) -> bool:
        """Wait until the window manager has processed all events so far; False if it does not answer in time.

        `check` is called repeatedly and may raise to end the wait.
        """
        if not self.has_manager:
            return False
        self._own.delete_property(self._atoms["_NET_FRAME_EXTENTS"])
        self._manager_answered = False
        self._send(self._root, self._own, "_NET_REQUEST_FRAME_EXTENTS", (0, 0, 0, 0, 0),
                   X.SubstructureNotifyMask | X.SubstructureRedirectMask)  # fmt: skip
        return self._wait_until(lambda: self._manager_answered, timeout_s, check)

    def wait_for_window(self, window_id: int, check: Callable[[], None]) -> bool:
        """Wait until the window answers a ping; False if it does not support pings or does not answer in time.

        Raises:
            NotResponding: it has answered before, and does not within a longer time.
        """
        serial = self.ping(window_id)
        return serial is not None and self.wait_for_answer(window_id, serial, check)

    def ping(self, window_id: int) -> int | None:
        """Send a ping, which is answered after all events so far; returns its number. None if pings are not supported.

        See _NET_WM_PING in the Extended Window Manager Hints.
        """
        window = self._display.create_resource_object("window", window_id)
        try:
            protocols = window.get_full_property(self._atoms["WM_PROTOCOLS"], X.AnyPropertyType)
        except XError:
            return None
        if protocols is None or self._atoms["_NET_WM_PING"] not in protocols.value:
            return None
        self._serial += 1
        # The answer repeats the timestamp field, which identifies the ping.
        self._send(window, window, "WM_PROTOCOLS", (self._atoms["_NET_WM_PING"], self._serial, window_id, 0, 0), 0)
        return self._serial

    def wait_for_answer(self, window_id: int, serial: int, check: Callable[[], None]) -> bool:
        """Wait for the answer to a ping; False if it does not come in time, or the window is gone.

        Raises:
            NotResponding: as for `wait_for_window`.
        """
        answered = self._wait_until(lambda: self._answered.get(window_id, 0) >= serial, self._timeout_s(window_id),
                                    check, window_id)  # fmt: skip
        if answered:
            self._answering.add(window_id)
        elif window_id in self._answering and self._exists(window_id):
            raise NotResponding
        (self._silent.discard if answered else self._silent.add)(window_id)
        return answered

    def _timeout_s(self, window_id: int) -> float:
        if window_id in self._answering:
            return _BUSY_WINDOW_S
        return _SILENT_WINDOW_S if window_id in self._silent else _WINDOW_S

    def focus(self) -> int | None:
        """The server's input focus; None if it is no window."""
        focus = self._display.get_input_focus().focus
        return None if isinstance(focus, int) else int(focus.id)

    def wait_for_any(self, window_id: int, check: Callable[[], None]) -> bool:
        """Wait for the answer to a ping or else until the process is idle. Raises NotResponding."""
        return self.wait_for_window(window_id, check) or self.wait_until_idle(window_id, check)

    def wait_until_idle(self, window_id: int, check: Callable[[], None]) -> bool:
        """Wait until the window's process is idle, for windows that do not answer pings; whether it is."""
        pid = self._pid_of(window_id)
        return pid is not None and self._wait_until_process_idle(pid, check)

    def wait_until_idle_in_order(self, pids: Iterable[int], window_id: int, check: Callable[[], None]) -> bool:
        """Wait until these processes, then IBus's XIM server, then the window's process are idle; whether all are.

        Each of them may still send something to the next one.
        """
        owner = self._display.get_selection_owner(self._display.intern_atom("@server=ibus"))
        server = None if isinstance(owner, int) else self._pid_of(int(owner.id))
        between = [*pids, *([server] if server is not None else [])]
        idle = all(self._wait_until_process_idle(pid, check) for pid in between)
        return idle and self.wait_until_idle(window_id, check)

    def _wait_until_process_idle(self, pid: int, check: Callable[[], None]) -> bool:
        deadline = time.monotonic() + (_SILENT_WINDOW_S if pid in self._never_idle else _WINDOW_S)
        while not (idle := self._is_idle(pid)) and time.monotonic() < deadline:
            check()
            time.sleep(_IDLE_POLL_S)
        (self._never_idle.discard if idle else self._never_idle.add)(pid)
        return idle

    def _is_idle(self, pid: int) -> bool:
        before = context_switches(pid)
        if before is None:
            return False
        for _ in range(_SYNCS):
            self._display.sync()
        return context_switches(pid) == before

    def page_processes(self, window_id: int) -> tuple[int, ...]:
        """The processes in which the window's program renders and edits pages; () for a program without."""
        pid = self._pid_of(window_id)
        return () if pid is None else page_processes(pid)

    def wait_for_pages(self, pids: tuple[int, ...], check: Callable[[], None]) -> bool:
        """Wait until the processes of a browser's pages have nothing to do for a moment; whether they have."""
        deadline = time.monotonic() + (_SILENT_WINDOW_S if self._never_idle.issuperset(pids) else _PAGE_S)
        while not (idle := main_threads_sleep(pids)) and time.monotonic() < deadline:
            check()
        (self._never_idle.difference_update if idle else self._never_idle.update)(pids)
        return idle

    def _pid_of(self, window_id: int) -> int | None:
        """The process of a window; None if it runs on another machine, or the server cannot tell."""
        if not self._display.has_extension("X-Resource"):
            return None
        try:
            reply = self._display.res_query_client_ids([{"client": window_id, "mask": _LOCAL_CLIENT_PID}])
        except XError:
            return None
        return next((int(found.value[0]) for found in reply.ids if found.value), None)

    def notify_map_change(self, window_id: int) -> None:
        """Send the window a MappingNotify.

        Chromium, once it has received a key, learns of a changed map by no other event, and would report unnamed keys
        to its pages.
        """
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

    def read_events(self) -> None:
        """Read what has arrived over the connection so far."""
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == X.PropertyNotify and event.atom == self._atoms["_NET_FRAME_EXTENTS"]:
                self._manager_answered = self._manager_answered or event.state == X.PropertyNewValue
            elif event.type == X.ClientMessage and event.client_type == self._atoms["WM_PROTOCOLS"]:
                name, serial, window_id = event.data[1][:3]
                if name == self._atoms["_NET_WM_PING"]:
                    self._answered[window_id] = serial
            else:
                self._on_event(event)

    def _wait_until(
        self, done: Callable[[], bool], timeout_s: float, check: Callable[[], None], window_id: int | None = None
    ) -> bool:
        """Whether `done` holds in time, and before the window is gone."""
        deadline = time.monotonic() + timeout_s
        while True:
            self.read_events()
            if done():
                return True
            check()
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            arrived, _, _ = select.select([self._display.fileno()], [], [], min(left, _POLL_S))
            if not arrived and window_id is not None and not self._exists(window_id):
                return False

    def _exists(self, window_id: int) -> bool:
        try:
            self._display.create_resource_object("window", window_id).get_attributes()
        except XError:
            return False
        return True


class Pace:
    """For one action in one window.

    Args:
        waiter: sends the pings.
        window_id: the window that gets the keys. One that does not answer pings, or None, is not waited for.
        check: called repeatedly; may raise to end a wait.
    """

    def __init__(self, waiter: ProcessingWaiter, window_id: int | None, check: Callable[[], None]) -> None:
        self._waiter = waiter
        self._window_id = window_id
        self._check = check
        self._serial: int | None = None
        self._waits = 0
        self._pages: tuple[int, ...] | None = None

    def mark(self) -> None:
        """Let the next wait be for what the server has now."""
        if self._window_id is not None:
            self._serial = self._waiter.ping(self._window_id)
            if self._serial is None:
                self._window_id = None

    def wait(self) -> None:
        """Wait until the window has processed what the server had at the last mark.

        Raises:
            DeliveryUnknown: the application has stopped responding.
        """
        self._wait_for_window()
        self._waits += 1
        if self._waits % _WAITS_PER_PAGE_WAIT == 0:
            self._wait_for_pages()

    def finish(self) -> None:
        """Wait until the window has processed what the server has now. Raises DeliveryUnknown as `wait`."""
        # Qt answers once it has read the keys, and handles them before it reads the second ping.
        for _ in range(2):
            self.mark()
            self._wait_for_window()
        self._wait_for_pages()

    def _wait_for_window(self) -> None:
        if self._window_id is None or self._serial is None:
            return
        try:
            answered = self._waiter.wait_for_answer(self._window_id, self._serial, self._check)
        except NotResponding as error:
            raise DeliveryUnknown(notice(NoticeCode.APPLICATION_NOT_RESPONDING)) from error
        if not answered:
            self._window_id = None

    def _wait_for_pages(self) -> None:
        """A browser answers pings before its pages have processed the keys."""
        if self._window_id is None:
            return
        if self._pages is None:
            self._pages = self._waiter.page_processes(self._window_id)
        if self._pages and not self._waiter.wait_for_pages(self._pages, self._check):
            self._pages = ()
