"""The scope of the next session: as it is written or suggested, and who named it."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from operator_console.domain.risk import Category
from operator_console.domain.scope import Scope, ScopeSource
from operator_console.ui.panels.scope_choice import ScopeChoice

SUGGESTED = Scope(apps=("mousepad",), sites=("shop.example", "*.docs.example"), effects=(Category.SEND, Category.PAY))


def shown(scope: Scope = SUGGESTED, source: ScopeSource = ScopeSource.MODEL) -> ScopeChoice:
    made = ScopeChoice()
    made.show_scope(scope, source)
    return made


def test_what_is_shown_is_what_is_chosen(app: QApplication) -> None:
    for scope in (SUGGESTED, Scope(), Scope(effects=())):
        assert shown(scope).chosen == scope
    assert ScopeChoice().chosen == Scope()


def test_who_named_it_is_told_until_it_is_edited(app: QApplication) -> None:
    made = shown()
    assert made.source_of(made.chosen) is ScopeSource.MODEL
    made.boxes[Category.PAY].setChecked(False)
    assert made.chosen.effects == (Category.SEND,)
    assert made.source_of(made.chosen) is ScopeSource.EDITED
    made.boxes[Category.PAY].setChecked(True)
    assert made.source_of(made.chosen) is ScopeSource.MODEL
    made.sites.setText("")
    assert made.source_of(made.chosen) is ScopeSource.EDITED
    own = ScopeChoice()
    own.apps.setText("mousepad")
    assert own.source_of(own.chosen) is ScopeSource.OPERATOR
    edited = shown(source=ScopeSource.EDITED)
    assert edited.source_of(edited.chosen) is ScopeSource.EDITED


def test_undo_brings_back_what_was_written(app: QApplication) -> None:
    made = ScopeChoice()
    made.apps.insert("xterm")
    made.show_scope(SUGGESTED, ScopeSource.MODEL)
    assert made.apps.text() == "mousepad"
    made.apps.undo()
    assert made.apps.text() == "xterm"


def test_kinds_of_effect_are_chosen_by_boxes_that_are_folded_until_wanted(app: QApplication) -> None:
    made = ScopeChoice()
    made.show()
    assert (made.boxes, made.only.isVisible(), made.effects) == ({}, False, None)
    made.unfold.click()
    assert made.only.isVisible()
    assert Category.UNKNOWN not in made.boxes
    assert not any(box.isEnabled() for box in made.boxes.values())
    made.only.click()
    assert made.chosen == Scope(effects=())
    made.boxes[Category.DELETE].click()
    assert made.chosen == Scope(effects=(Category.DELETE,))
    made.only.click()
    assert made.chosen == Scope()
    made.unfold.click()
    assert not made.only.isVisible()
    made.close()
