"""The notes over the preview: shown with their button, placed in the stage, and gone with the note."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from operator_console.ui.preview.pan_and_zoom import LEAST_FREE
from operator_console.ui.preview.preview import Preview
from operator_console.ui.preview.preview_notes import EDGE, EmptyPreview, PreviewHint, PreviewNote
from operator_console.ui.view.target_words import TargetNote, TargetStep

NOTE = TargetNote(title="The window is minimised.", text="It cannot be seen.", step=TargetStep.RESTORE)
KINDS = pytest.mark.parametrize("kind", [EmptyPreview, PreviewHint])


@pytest.fixture
def stage(app: QApplication) -> Preview:
    stage = Preview()
    stage.resize(600, 400)
    return stage


@KINDS
def test_its_button_asks_for_the_step_of_the_note(stage: Preview, kind: type[PreviewNote]) -> None:
    note, asked = kind(stage), list[object]()
    note.acted.connect(asked.append)
    assert note.isHidden()
    note.show_note(NOTE)
    assert not note.isHidden()
    assert note.act.accessibleName() == note.act.text() == "Restore the window"
    note.act.click()
    assert asked == [TargetStep.RESTORE]
    note.show_note(None)
    assert note.isHidden()


@KINDS
def test_a_note_without_a_step_has_no_button(stage: Preview, kind: type[PreviewNote]) -> None:
    note = kind(stage)
    note.show_note(TargetNote(title="The window is closed."))
    assert note.act.isHidden()


@KINDS
def test_it_stays_within_the_stage(stage: Preview, kind: type[PreviewNote]) -> None:
    note = kind(stage)
    note.show_note(TargetNote(title="A title", text="Long words and more of them. " * 9, step=TargetStep.FRONT))
    stage.show()
    for width in (900, 320):
        stage.resize(width, 400)
        assert stage.rect().contains(note.geometry())
        assert abs(note.geometry().center().x() - stage.rect().center().x()) <= 1
    stage.close()


@KINDS
def test_it_stays_beside_what_covers_the_stage(stage: Preview, kind: type[PreviewNote]) -> None:
    note = kind(stage)
    note.show_note(TargetNote(title="A title", text="Long words and more of them. " * 9, step=TargetStep.FRONT))
    stage.resize(900, 400)
    stage.show()
    for covered in (400, 0, 520):
        stage.set_covered(covered)
        assert note.geometry().right() < 900 - covered
        assert abs(note.geometry().center().x() - (900 - covered) // 2) <= 1
    stage.close()


@KINDS
def test_its_button_is_whole_in_a_narrow_place(stage: Preview, kind: type[PreviewNote]) -> None:
    note = kind(stage)
    note.show_note(replace(NOTE, title="Covered by “Calculator — a second window”"))
    stage.resize(700, 400)
    stage.show()
    needed = note.act.sizeHint().width()
    stage.set_covered(700 - max(LEAST_FREE, needed + 2 * (EDGE + 12)))
    QApplication.sendPostedEvents()
    assert note.act.width() >= needed
    assert note.rect().contains(note.act.geometry())
    words = [each for each in note.findChildren(QLabel) if each.isVisible()]
    assert words
    assert all(each.width() >= needed - 8 for each in words), "the words have the width, too"
    stage.close()
