"""What an edit leaves as it was."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from operator_console.domain.actions import Chord, Drag, TypeText
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import parse_chord
from operator_console.ui.panels.edit_panel import EditPanel

NATIVE = Size(400, 300)


def test_a_long_text_keeps_its_end_when_its_beginning_is_edited(app: QApplication) -> None:
    panel = EditPanel()
    panel.open_for(TypeText(text="x" * 40_000 + "end"), NATIVE)
    panel.text.setText(f"start {panel.text.text()}")
    edited = panel.action()
    assert isinstance(edited, TypeText)
    assert edited.text == "start " + "x" * 40_000 + "end"


def test_what_a_line_cannot_show_is_kept_where_it_is_not_touched(app: QApplication) -> None:
    panel = EditPanel()
    action = TypeText(text="one\ntwo")
    panel.open_for(action, NATIVE)
    assert panel.action() == action


def test_start_and_end_of_a_drag_are_moved_and_its_way_between_is_kept(app: QApplication) -> None:
    panel, edited = EditPanel(), list[None]()
    panel.edited.connect(lambda: edited.append(None))
    panel.open_for(Drag(path=(NativePoint(1, 2), NativePoint(5, 6), NativePoint(9, 9))), NATIVE)
    panel.set_end(NativePoint(30, 40))
    panel.set_point(NativePoint(3, 4))
    assert panel.action() == Drag(path=(NativePoint(3, 4), NativePoint(5, 6), NativePoint(30, 40)))
    assert edited
    panel.open_for(TypeText(text="a", at=NativePoint(1, 1)), NATIVE)
    panel.set_end(NativePoint(30, 40))
    assert panel.action() == TypeText(text="a", at=NativePoint(1, 1))
    assert panel.has_point
    panel.open_for(Chord(keys=parse_chord("Ctrl+S")), NATIVE)
    assert not panel.has_point
