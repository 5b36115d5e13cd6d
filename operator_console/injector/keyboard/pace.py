"""Keeps keys from running ahead of an application that is slow to process them."""

from __future__ import annotations

from collections.abc import Callable

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import DeliveryUnknown
from operator_console.injector.keyboard.wait_for_processing import NotResponding, ProcessingWaiter

_WAITS_PER_PAGE_WAIT = 4
"""After a wait for a page it paints, which takes longer than the wait."""


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
