"""The list of targets: grouped, kept current in place, and quiet about what did not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QStyleOptionViewItem

from operator_console.domain.frames import TargetKind
from operator_console.ui.backend import TargetChoice
from operator_console.ui.panels.target_chooser import KINDS, TargetChooser, heading, risk
from operator_console.ui.panels.target_rows import NOTE, PAD, PICTURE
from operator_console.ui.theme_choice import DEFAULT_LOOK
from operator_console.ui.theme_colours import (
    DARK,
    HIGH_CONTRAST_DARK,
    HIGH_CONTRAST_LIGHT,
    LIGHT,
    Theme,
    Tokens,
    palette_of,
)

MONITOR = TargetChoice(spec="monitor:1", title="Monitor 1", kind=TargetKind.MONITOR)
VIRTUAL = TargetChoice(spec="virtual", title="Virtual desktop", kind=TargetKind.VIRTUAL, state="Starts with it")
NOTES = TargetChoice(spec="window:0x1", title="Notes", app="gedit")
MAIL = TargetChoice(spec="window:0x2", title="Mail", app="Thunderbird", state="Minimised")
NEW = TargetChoice(spec="window:0x3", title="New")


def rows(chooser: TargetChooser) -> list[str]:
    return [chooser.target.itemText(row) for row in range(chooser.target.count())]


def shown(targets: Sequence[TargetChoice], chosen: str = "monitor:1") -> tuple[TargetChooser, list[object]]:
    """A list with these targets, and what it announces from then on."""
    told: list[object] = []
    chooser = TargetChooser()
    chooser.show_targets(targets, chosen)
    chooser.chosen.connect(told.append)
    return chooser, told


def test_targets_are_grouped_with_the_isolated_desktop_first(app: QApplication) -> None:
    chooser, _ = shown([MONITOR, NOTES, MAIL, VIRTUAL])
    assert rows(chooser) == [
        "Isolated desktop", "Virtual desktop", "Windows", "Notes", "Mail", "Monitors", "Monitor 1",
    ]  # fmt: skip
    assert chooser.target.itemData(4, NOTE) == "Thunderbird · Minimised"


def test_the_target_used_last_stands_first_and_keeps_its_picture(app: QApplication) -> None:
    chooser, told = shown([MONITOR, NOTES, MAIL, VIRTUAL], "window:0x2")
    picture = QImage(4, 4, QImage.Format.Format_RGB32)
    chooser.put_picture("window:0x2", picture)
    chooser.show_last("window:0x2")
    assert rows(chooser) == [
        "Last used", "Mail", "Isolated desktop", "Virtual desktop", "Windows", "Notes", "Monitors", "Monitor 1",
    ]  # fmt: skip
    assert chooser.target.itemData(1, PICTURE) == picture
    assert chooser.choice == MAIL
    chooser.show_targets([MONITOR, NOTES, MAIL, VIRTUAL], "", "virtual")
    assert rows(chooser)[:4] == ["Last used", "Virtual desktop", "Windows", "Mail"]
    assert chooser.target.itemData(0, NOTE) == risk("virtual"), "also where its kind has no group any more"
    assert chooser.choice == MAIL
    assert told == [], "the same target is chosen all the time"


def test_what_could_go_wrong_is_said_for_each_kind_below_its_heading_and_for_the_chosen_target(
    app: QApplication,
) -> None:
    assert len(set(map(risk, KINDS))) == len(set(map(heading, KINDS))) == len(KINDS)
    assert set(KINDS) == {kind.value for kind in TargetKind}
    chooser, _ = shown([MONITOR, NOTES, VIRTUAL], "window:0x1")
    assert chooser.target.itemData(0, NOTE) == risk("virtual")
    assert chooser.target.accessibleDescription() == risk("window")
    notes = chooser.target.findText("Notes")
    assert chooser.target.itemData(notes, Qt.ItemDataRole.AccessibleDescriptionRole) == f"gedit. {risk('window')}"
    chooser.show()
    said = [each for each in chooser.findChildren(QLabel) if each.text() == risk("window")]
    assert [each.isVisible() for each in said] == [True]
    chooser.show_targets([MONITOR], "")
    assert not said[0].isVisible(), "what can be done about a closed one is said alone"
    chooser.close()


def test_headings_are_passed_over_by_the_keys(app: QApplication) -> None:
    chooser, told = shown([MONITOR, NOTES, VIRTUAL])
    QTest.keyClick(chooser.target, Qt.Key.Key_Home)
    QTest.keyClick(chooser.target, Qt.Key.Key_Down)
    QTest.keyClick(chooser.target, Qt.Key.Key_Down)
    QTest.keyClick(chooser.target, Qt.Key.Key_Down)
    assert told == [VIRTUAL, NOTES, MONITOR]


def test_windows_that_come_and_go_leave_the_other_rows_and_the_choice_alone(app: QApplication) -> None:
    chooser, told = shown([MONITOR, NOTES, MAIL, VIRTUAL], "window:0x2")
    picture = QImage(4, 4, QImage.Format.Format_RGB32)
    chooser.put_picture("window:0x2", picture)
    renamed = replace(MAIL, title="Mail (3)", state="")
    chooser.show_targets([MONITOR, renamed, NEW, NOTES, VIRTUAL], "")  # the window manager raised it
    assert rows(chooser)[3:6] == ["New", "Notes", "Mail (3)"]
    assert chooser.choice == renamed
    assert chooser.target.itemData(5, PICTURE) == picture
    assert chooser.target.itemData(5, NOTE) == "Thunderbird"
    chooser.show_targets([MONITOR, renamed, VIRTUAL], "")
    assert rows(chooser)[2:] == ["Windows", "Mail (3)", "Monitors", "Monitor 1"]
    assert told == [], "nothing else was chosen"


def test_a_closed_target_is_announced_once_and_again_when_it_is_back(app: QApplication) -> None:
    chooser, told = shown([MONITOR, NOTES], "window:0x1")
    chooser.show_targets([MONITOR], "")
    chooser.show_targets([MONITOR], "")
    closed = chooser.choice
    assert closed is not None
    assert (closed.title, closed.closed, closed.live) == ("Notes (closed)", True, False)
    chooser.show_targets([MONITOR, NOTES], "")
    assert told == [closed, NOTES]
    assert chooser.choice == NOTES


def test_a_monitor_that_is_unplugged_is_off_until_it_is_back(app: QApplication) -> None:
    chooser, _ = shown([MONITOR, NOTES], "monitor:1")
    chooser.show_targets([NOTES], "")
    off = chooser.choice
    assert off is not None
    assert (off.title, off.closed) == ("Monitor 1 (off)", True)
    assert "switched off or unplugged" in off.trouble
    chooser.show_targets([MONITOR, NOTES], "")
    assert chooser.choice == MONITOR


@pytest.mark.parametrize("noticed", [True, False])
def test_another_window_with_the_id_of_the_closed_one_does_not_take_its_place(app: QApplication, noticed: bool) -> None:
    chooser, _ = shown([MONITOR, replace(NOTES, pid=7)], "window:0x1")
    if noticed:
        chooser.show_targets([MONITOR], "")
    heir = replace(NOTES, title="Bank", pid=8)
    for _ in range(2):
        chooser.show_targets([MONITOR, heir], "")
        assert chooser.choice is not None
        assert (chooser.choice.title, chooser.choice.closed) == ("Notes (closed)", True)
        assert set(rows(chooser)[1:3]) == {"Bank", "Notes (closed)"}
    assert chooser.choose("window:0x1")
    assert chooser.choice == heir
    chooser.show_targets([MONITOR, heir], "")
    assert rows(chooser) == ["Windows", "Bank", "Monitors", "Monitor 1"]


def test_the_open_list_says_which_rows_are_in_view(app: QApplication) -> None:
    many = [replace(NEW, spec=f"window:{number:#x}", title=f"Window {number}") for number in range(1, 301)]
    chooser, told = shown(many, "window:0x1")
    opened: list[object] = []
    chooser.list_opened.connect(opened.append)
    chooser.show()
    chooser.target.showPopup()
    try:
        assert chooser.visible_specs()[0] == "window:0x1"
        assert 3 < len(chooser.visible_specs()) < 20
        chooser.show_targets(many[1:], "")
        assert chooser.target.view().isVisible()
        assert chooser.choice is not None
        assert (chooser.choice.spec, chooser.choice.closed) == ("window:0x1", True)
    finally:
        chooser.target.hidePopup()
        chooser.close()
    assert opened == [True, False]
    assert [getattr(each, "closed", None) for each in told] == [True]


@pytest.mark.parametrize("tokens", [LIGHT, DARK, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK], ids=lambda each: each.name)
def test_a_row_without_a_picture_shows_the_frame_of_one(app: QApplication, tokens: Tokens) -> None:
    chooser, _ = shown([MONITOR])
    drawn = QImage(200, 57, QImage.Format.Format_RGB32)
    drawn.fill(QColor(tokens.panel))
    option = QStyleOptionViewItem()
    option.palette, option.rect = palette_of(tokens), drawn.rect()
    painter = QPainter(drawn)
    chooser.target.itemDelegate().paint(painter, option, chooser.target.model().index(1, 0))
    painter.end()
    assert drawn.pixelColor(PAD, 28).name() == tokens.line_strong


@pytest.mark.parametrize("kind", [TargetKind.VIRTUAL, TargetKind.BROWSER, TargetKind.VNC])
def test_what_a_session_starts_has_a_drawing_in_place_of_a_picture(app: QApplication, kind: TargetKind) -> None:
    def drawn(choice: TargetChoice) -> QImage:
        chooser, _ = shown([choice], choice.spec)
        image = QImage(200, 57, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        option = QStyleOptionViewItem()
        option.rect = image.rect()
        painter = QPainter(image)
        chooser.target.itemDelegate().paint(painter, option, chooser.target.model().index(1, 0))
        painter.end()
        return image

    assert drawn(replace(VIRTUAL, kind=kind, title="One")) != drawn(replace(MONITOR, title="One", state=VIRTUAL.state))


def test_what_a_reader_selects_in_the_open_list_is_chosen(app: QApplication) -> None:
    chooser, told = shown([MONITOR, NOTES, MAIL])
    chooser.show()
    box = chooser.target
    box.showPopup()
    notes = box.findText("Notes")
    box.view().selectionModel().select(
        box.model().index(notes, 0), QItemSelectionModel.SelectionFlag.ClearAndSelect
    )  # as the accessibility bridge does: the current row stays
    app.processEvents()
    assert (box.currentIndex(), told) == (notes, [NOTES])
    assert not box.view().isVisible()
    box.showPopup()
    QTest.keyClick(box.view(), Qt.Key.Key_Down)
    app.processEvents()
    assert box.view().isVisible(), "a key only moves there"
    assert told == [NOTES]
    box.hidePopup()
    chooser.close()


def test_a_short_open_list_shows_all_of_its_rows(app: QApplication) -> None:
    for scale in (1.0, 1.5):
        theme = Theme(app, DEFAULT_LOOK._replace(text_size=scale))
        theme.style_widgets()
        chooser, _ = shown([MONITOR, NOTES, MAIL], MONITOR.spec)
        chooser.show()
        chooser.target.showPopup()
        view = chooser.target.view()
        try:
            app.processEvents()
            assert view.verticalScrollBar().maximum() == 0, scale
            field = chooser.target.mapToGlobal(chooser.target.rect().bottomLeft())
            assert view.window().y() >= field.y(), "it opens below the field"
        finally:
            chooser.target.hidePopup()
            chooser.close()
    Theme(app, DEFAULT_LOOK).style_widgets()
