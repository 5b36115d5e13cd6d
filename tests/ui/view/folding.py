"""A view of several records."""

from __future__ import annotations

from collections.abc import Iterable

from operator_console.domain.events import Record
from operator_console.ui.view.fold_records import fold
from operator_console.ui.view.session_view import SessionView


def fold_all(records: Iterable[Record], view: SessionView | None = None) -> SessionView:
    """The view after all of them; `view` is the one before, an empty one by default."""
    view = view or SessionView()
    for record in records:
        view = fold(view, record)
    return view
