"""What an edit leaves as it was."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from operator_console.domain.actions import TypeText
from operator_console.domain.geometry import Size
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
