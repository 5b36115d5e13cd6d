"""The window that is named is the one the input goes to, never the console's own."""

from __future__ import annotations

from operator_console.domain.events import Observed
from operator_console.domain.frames import TargetKind, TargetRef, WindowInfo
from operator_console.domain.geometry import FrameGeometry, Rect, ScreenPoint, Size
from operator_console.ui.view.words import window_words
from tests.fakes.targets import target_of


def observed(focus: WindowInfo | None, title: str) -> Observed:
    size = Size(10, 10)
    geometry = FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size)
    return Observed(step=1, frame_id="f", picture="p", geometry=geometry, focus=focus, title=title)


def window(title: str, *, own: bool = False) -> WindowInfo:
    return WindowInfo(window_id=1, title=title, app="app", pid=1, rect=Rect(0, 0, 10, 10), own=own)


def target(kind: TargetKind) -> TargetRef:
    return target_of(kind, spec=f"{kind.value}:1", title="Target")


def test_a_window_target_is_named_itself_whoever_has_the_focus() -> None:
    seen = observed(window("Operator console", own=True), "Plant diary")
    assert window_words(seen, target(TargetKind.WINDOW)) == "Plant diary"


def test_on_a_monitor_the_window_with_the_focus_is_named() -> None:
    assert window_words(observed(window("Notes"), "Monitor 1"), target(TargetKind.MONITOR)) == "Notes — app"


def test_on_a_monitor_our_own_focus_names_the_monitor() -> None:
    seen = observed(window("Operator console", own=True), "Monitor 1")
    assert window_words(seen, target(TargetKind.MONITOR)) == "Monitor 1"
