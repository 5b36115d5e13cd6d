"""Opens the inspector for the step that is chosen in the timeline, and loads its documents."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject

from operator_console.domain.errors import RecordError
from operator_console.domain.translations import _
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.stage_pictures import Pictures
from operator_console.ui.inspector.inspector import Inspector, Page
from operator_console.ui.inspector.readable_document import Document, readable_document
from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.view.session_view import SessionView, Step

TASK = "inspector"


class InspectionController(QObject):
    """The inspector: open while a row of the timeline is chosen."""

    def __init__(self, bridge: Bridge, inspector: Inspector, timeline: Timeline, pictures: Pictures) -> None:
        super().__init__()
        self._bridge, self._inspector, self._timeline, self._pictures = bridge, inspector, timeline, pictures
        inspector.document_wanted.connect(self._load)
        inspector.closed.connect(pictures.back_to_live)
        timeline.entered.connect(self._entered)

    def show_view(self, view: SessionView) -> None:
        """Show the chosen item as it is now, or close the inspector."""
        item = self._pictures.chosen
        if item is not None:
            self._inspector.show_item(item, view)
            self._inspector.show()
        elif not self._inspector.isHidden():
            focused = self._inspector.window().focusWidget()
            self._inspector.hide()
            self._inspector.forget()
            if self._inspector.isAncestorOf(focused):
                self._timeline.setFocus()

    def _entered(self) -> None:
        """Enter on a row moves the focus to the inspector."""
        if not self._inspector.isHidden():
            self._inspector.pages.setFocus()

    def _load(self, page: object) -> None:
        item, source = self._pictures.chosen, self._pictures.source
        if not isinstance(item, Step) or item.proposed is None or not isinstance(page, Page):
            return
        proposed, place = item.proposed, self._inspector.call
        digest = {Page.ANSWER: proposed.raw, Page.TOLD: proposed.told}.get(page, "")
        arguments = item.calls[place].proposed.arguments_json if place < len(item.calls) else ""

        def read() -> Document | str:
            try:
                stored = source.blob(digest) if digest and source is not None else None
            except RecordError:
                return _("The record could not be read.")
            data = arguments.encode("utf-8", "replace") if page is Page.ARGUMENTS else stored
            return readable_document(data) if data else _("The record has none.")

        async def load() -> None:
            document = await asyncio.to_thread(read)
            shown = self._pictures.chosen
            if isinstance(shown, Step) and shown.seq == item.seq and shown.proposed is item.proposed:
                self._inspector.show_document(page, document)

        self._bridge.run(f"{TASK} {page.value}", load())
