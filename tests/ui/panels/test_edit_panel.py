"""What an edit leaves as it was."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain.actions import Chord, Drag, TypeText
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import parse_chord
from operator_console.ui.panels.edit_panel import EditPanel
from operator_console.ui.widgets.exact_text import ExactTextField

NATIVE = Size(400, 300)


def test_a_long_text_keeps_its_end_when_its_beginning_is_edited(app: QApplication) -> None:
    panel = EditPanel()
    panel.open_for(TypeText(text="x" * 40_000 + "end"), NATIVE)
    panel.text.replace(f"start {panel.text.exact()}")
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
    assert (panel.end_x.value(), panel.end_y.value()) == (30, 40)
    assert not panel.end_x.isHidden()
    panel.end_x.setValue(399)
    assert panel.action() == Drag(path=(NativePoint(3, 4), NativePoint(5, 6), NativePoint(399, 40)))
    panel.open_for(TypeText(text="a", at=NativePoint(1, 1)), NATIVE)
    panel.set_end(NativePoint(30, 40))
    assert panel.action() == TypeText(text="a", at=NativePoint(1, 1))
    assert panel.has_point
    assert panel.end_x.isHidden()
    panel.open_for(Chord(keys=parse_chord("Ctrl+S")), NATIVE)
    assert not panel.has_point


def loaded(text: str) -> ExactTextField:
    """A field that has laid out the whole text."""
    field = ExactTextField()
    field.load(text)
    while not field.whole:
        field._lay_out_next()
    return field


@pytest.mark.parametrize(
    "text", ["x" * 5_000, "a word " * 900 + "\n\n" + "y" * 2_500, "one\n\n\ttwo\u00a0three\u202e\n"]
)
def test_a_field_of_lines_gives_exactly_what_it_was_given(app: QApplication, text: str) -> None:
    field = loaded(text)
    field._text_changed()  # else it gives back what it kept
    assert field.exact() == text


def test_an_edit_in_a_long_line_changes_that_place_alone_and_is_undone(app: QApplication) -> None:
    text = "x" * 3_500
    field = loaded(text)
    cursor = field.textCursor()
    cursor.setPosition(field.document().findBlockByNumber(2).position())  # a break that is none of the text
    field.setTextCursor(cursor)
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert field.exact() == text
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.exact() == "x" * 2_000 + "\n" + "x" * 1_500
    field.undo()
    field.undo()
    assert field.exact() == text


def test_a_pasted_long_line_is_one_line(app: QApplication) -> None:
    field = loaded("")
    app.clipboard().setText("a\r\n" + "b" * 2_500)
    field.paste()
    assert field.exact() == "a\n" + "b" * 2_500
    assert field.document().blockCount() == 4


def test_invisible_characters_are_named(app: QApplication) -> None:
    panel = EditPanel()
    panel.open_for(TypeText(text="pay \u202eBob\u200b and\u200b Ann"), NATIVE)
    assert panel.text.hidden_words() == "U+200B (2 times), U+202E"
    panel.open_for(TypeText(text="plain\ttext\n"), NATIVE)
    assert panel.text.hidden_words() == ""


def test_a_text_of_a_megabyte_is_laid_out_in_short_turns(app: QApplication) -> None:
    field = ExactTextField()
    field.resize(330, 120)
    began_s = time.thread_time()
    field.load("x" * 1_000_000)
    worst_s = time.thread_time() - began_s
    while not field.whole:
        began_s = time.thread_time()
        field._lay_out_next()
        worst_s = max(worst_s, time.thread_time() - began_s)
    began_s = time.thread_time()
    QTest.keyClicks(field, "y")
    assert field.exact() == "y" + "x" * 1_000_000
    assert max(worst_s, time.thread_time() - began_s) < 0.1
