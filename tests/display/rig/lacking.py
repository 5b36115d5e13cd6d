"""An X desktop that is declared to lack capabilities, so that what stands in for them is used."""

from __future__ import annotations

from dataclasses import fields

import pytest

from operator_console.desktop.values import Capabilities
from operator_console.desktop.x11.desktop import X11Desktop

EVERYTHING = tuple(field.name for field in fields(Capabilities))


def lack(monkeypatch: pytest.MonkeyPatch, *capabilities: str) -> None:
    """From now on connections say that they lack these. Nothing of them may be called then: that raises."""
    monkeypatch.setattr(X11Desktop, "capabilities", Capabilities(**dict.fromkeys(capabilities, False)))
    called = {"paint_events": ["watch_painting"], "click_through": ["click_through"],
              "window_owners": ["window_at", "focused"]}  # fmt: skip
    for name in (each for capability in capabilities for each in called[capability]):
        monkeypatch.setattr(X11Desktop, name, _absent)


def _absent(*_: object) -> None:
    raise AssertionError("the desktop was declared to lack it")
