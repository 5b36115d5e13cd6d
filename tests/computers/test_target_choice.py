"""The list of targets follows the desktop, by its events or by looking again."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import pytest

from operator_console.computers import target_choice
from operator_console.computers.target_choice import TargetList
from operator_console.computers.target_spec import TargetListing
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.protocols import Desktop
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason


class FakeDesktop:
    """A desktop whose windows the test names; it reports no changes."""

    name = ":9"

    def __init__(self, titles: list[str]) -> None:
        self.titles, self.closed = titles, False

    def window_layers(self, own: OwnWindows) -> None:
        return None

    def window_changes(self) -> None:
        return None

    @contextmanager
    def losing(self) -> Iterator[None]:
        yield

    def close(self) -> None:
        self.closed = True


def test_where_no_changes_are_reported_it_looks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = FakeDesktop(["one"])
    monkeypatch.setattr(target_choice, "POLL_S", 0.01)
    monkeypatch.setattr(target_choice, "LEAST_GAP_S", 0.0)
    monkeypatch.setattr(target_choice, "listed_on", lambda found, _: list(found.titles))
    heard: queue.Queue[Sequence[Any]] = queue.Queue()
    source = TargetList(OwnWindows(), ":9", lambda _: cast(Desktop, desktop))
    source.start(heard.put)
    assert heard.get(timeout=10) == ["one"]
    desktop.titles = ["one", "two"]
    assert heard.get(timeout=10) == ["one", "two"]
    source.stop()
    source.join(10)
    assert not source.running
    assert desktop.closed
    assert heard.empty(), "an unchanged list is not told"


def test_a_display_that_is_gone_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    def gone(_: str) -> Desktop:
        raise ComputerUnavailable("No display.", reason=UnavailableReason.NO_DISPLAY)

    heard: list[Sequence[TargetListing]] = []
    source = TargetList(OwnWindows(), ":9", gone)
    source.start(heard.append)
    source.join(10)
    assert (source.running, heard) == (False, [])
    assert "not kept current" in caplog.text
