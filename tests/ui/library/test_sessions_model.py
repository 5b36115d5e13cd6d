"""What the library's rows say, and what a search and an order do to them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from operator_console.ui.backend import SessionOutcome, SessionSummary
from operator_console.ui.library import sessions_model
from operator_console.ui.library.sessions_model import (
    SUMMARY_ROLE,
    Note,
    NoteTone,
    Order,
    SessionsModel,
    lines_of,
    title_of,
)

NOW = datetime(2026, 11, 23, 15, 0, tzinfo=UTC)
RECEIPT = SessionSummary(
    path=Path("2026-11-23_10-43-13.ocsession"), task="Copy the receipt\nand file it", started="2026-11-23T10:43:13Z",
    outcome=SessionOutcome.FINISHED, steps=12, length_s=125, size_bytes=3_400_000, model="gemini-3.8-flash",
    picture="ab",
)  # fmt: skip
SUPPLIER = SessionSummary(
    path=Path("New supplier.ocsession"), task="Fill in the form", named=True, started="2026-11-22T09:05:00Z",
    outcome=SessionOutcome.STOPPED, steps=1, length_s=4000, size_bytes=20_000, model="ui-tars",
)  # fmt: skip
BROKEN = SessionSummary(
    path=Path("copied.ocsession"), task="", named=True, started="2026-01-02T09:00:00Z",
    outcome=SessionOutcome.UNREADABLE, size_bytes=90, trouble="It is empty.",
)  # fmt: skip


def test_a_runbook_in_a_file_is_called_by_its_name() -> None:
    played = replace(RECEIPT, task="@steps/receipts.runbook", model="runbook")
    assert title_of(played) == "Runbook receipts.runbook"
    assert title_of(replace(played, model="gemini-3.8-flash")) == "@steps/receipts.runbook"  # a model's task


@pytest.fixture
def model(app: QApplication) -> SessionsModel:
    made = SessionsModel(now=lambda: NOW)
    made.show_sessions([SUPPLIER, BROKEN, RECEIPT])
    return made


def shown(model: SessionsModel) -> list[SessionSummary]:
    return [model.index(row).data(SUMMARY_ROLE) for row in range(model.rowCount())]


def test_a_row_says_task_result_time_length_size_model_and_file() -> None:
    lines = lines_of(RECEIPT, NOW)
    assert (lines.title, lines.outcome) == ("Copy the receipt …", "Finished")
    assert lines.facts == "Today 10:43 · 12 steps in 2:05 · 3.4 MB"
    assert lines_of(replace(RECEIPT, runs=2), NOW).facts == "Today 10:43 · 12 steps of 2 runs in 2:05 · 3.4 MB"
    assert lines.origin == "gemini-3.8-flash · 2026-11-23_10-43-13.ocsession"


def test_a_session_with_a_name_shows_it_before_its_task() -> None:
    lines = lines_of(SUPPLIER, NOW)
    assert (lines.title, lines.origin) == ("New supplier", "Fill in the form · ui-tars")
    assert lines.facts == "Yesterday 09:05 · 1 step in 1:06:40 · 20 kB"


def test_a_file_that_cannot_be_read_says_why() -> None:
    lines = lines_of(BROKEN, NOW)
    assert (lines.title, lines.outcome, lines.origin) == ("copied", "Cannot be read", "It is empty.")
    assert lines.facts == "2026-01-02 09:00 · 1 kB"


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", [RECEIPT, SUPPLIER, BROKEN]), ("RECEIPT", [RECEIPT]), ("file it", [RECEIPT]), ("form new", [SUPPLIER]),
        ("stopped", [SUPPLIER]), ("gemini", [RECEIPT]), ("cannot be read", [BROKEN]), ("supplier gemini", []),
        ("2026-11-23", [RECEIPT]),
    ],
)  # fmt: skip
def test_a_search_finds_every_word_in_task_model_result_or_file(
    model: SessionsModel, search: str, found: list[SessionSummary]
) -> None:
    model.set_search(search)
    assert shown(model) == found
    assert model.total == 3


@pytest.mark.parametrize(
    ("order", "first"),
    [
        (Order.NEWEST, RECEIPT), (Order.OLDEST, BROKEN), (Order.NAME, BROKEN), (Order.LONGEST, SUPPLIER),
        (Order.LARGEST, RECEIPT), (Order.OUTCOME, RECEIPT),
    ],
)  # fmt: skip
def test_each_order(model: SessionsModel, order: Order, first: SessionSummary) -> None:
    model.set_order(order)
    assert shown(model)[0] == first
    assert len(shown(model)) == 3


def test_a_screen_reader_gets_the_whole_row_and_its_note(model: SessionsModel) -> None:
    index = model.index(0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith(
        "Copy the receipt …, Finished, Today 10:43, 12 steps"
    )
    model.note(RECEIPT.path, Note(text="Intact.", tone=NoteTone.GOOD))
    assert index.data(Qt.ItemDataRole.AccessibleDescriptionRole).startswith("Intact. · gemini")
    assert "Intact." in index.data(Qt.ItemDataRole.ToolTipRole)


def test_a_note_stays_while_its_session_is_listed(model: SessionsModel) -> None:
    model.note(RECEIPT.path, Note(text="Intact."))
    model.show_sessions([RECEIPT])
    assert model.note_of(RECEIPT.path) == Note(text="Intact.")
    model.show_sessions([SUPPLIER])
    assert model.note_of(RECEIPT.path) is None


def test_a_thumbnail_is_asked_for_once_and_again_after_it_was_dropped(
    model: SessionsModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[SessionSummary] = []
    model.wanted.connect(asked.append)
    assert model.picture(RECEIPT) is None
    assert model.picture(RECEIPT) is None
    assert model.picture(SUPPLIER) is None  # it has no picture
    assert asked == [RECEIPT]
    model.drop_request(RECEIPT)
    model.picture(RECEIPT)
    assert asked == [RECEIPT, RECEIPT]
    model.put_picture(RECEIPT, QPixmap(4, 4))
    assert model.picture(RECEIPT) is not None
    monkeypatch.setattr(sessions_model, "KEPT", 1)
    model.put_picture(SUPPLIER, None)
    model.picture(RECEIPT)
    assert len(asked) == 3
