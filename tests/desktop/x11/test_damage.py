"""What counts as painted. The server is played here: its empty reports come only now and then."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from operator_console.desktop.x11.damage import DamageWatch
from operator_console.domain.geometry import Rect

WATCHED = 7


class NotifyEvent(SimpleNamespace):
    """As xcffib names it."""


class Server:
    """A display that hands out what the test says."""

    connection = SimpleNamespace(generate_id=lambda: WATCHED)

    def __init__(self) -> None:
        self.hear: Callable[[Any], None] = print
        self.waiting: list[NotifyEvent] = []

    def extension(self, _name: str) -> SimpleNamespace:
        return SimpleNamespace(Create=lambda *_: None, Subtract=lambda *_: None)

    def flush(self) -> None:
        pass

    def subscribe(self, hear: Callable[[Any], None]) -> Callable[[], None]:
        self.hear = hear
        return lambda: None

    def pump(self) -> None:
        for event in self.waiting:
            self.hear(event)
        self.waiting.clear()

    def painted(self, x: int, y: int, width: int, height: int) -> None:
        area = SimpleNamespace(x=x, y=y, width=width, height=height)
        self.waiting.append(NotifyEvent(damage=WATCHED, area=area))


def test_an_empty_report_is_no_painting() -> None:
    server = Server()
    watch = DamageWatch(server, 1)  # type: ignore[arg-type]
    server.painted(100, 50, 0, 0)
    server.pump()
    assert not watch.pending
    assert watch.take() is None


def test_what_was_painted_is_gathered_until_it_is_taken() -> None:
    server = Server()
    watch = DamageWatch(server, 1)  # type: ignore[arg-type]
    server.painted(100, 50, 10, 10)
    server.painted(300, 20, 5, 5)
    server.painted(0, 0, 0, 0)
    assert watch.take() == Rect(100, 20, 205, 40)
    assert watch.take() is None
