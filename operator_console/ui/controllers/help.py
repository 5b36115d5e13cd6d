"""The help window: opens it at a page, and reads pages off the window's loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from operator_console.domain.errors import ConsoleError
from operator_console.domain.translations import _
from operator_console.ui.bridge import Bridge
from operator_console.ui.view.help_pages import FIRST, HelpPage, load_pages
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.help_window import HelpWindow
    from operator_console.ui.theme_colours import Theme

TASK = "help"


class HelpController(QObject):
    """One help window for the console."""

    def __init__(self, bridge: Bridge, window: MainWindow, theme: Theme) -> None:
        super().__init__()
        self._bridge, self._parent, self._theme = bridge, window, theme
        self._pages: dict[str, HelpPage] = {}
        self.window: HelpWindow | None = None
        theme.changed.connect(self._theme_changed)

    def open(self, page: object = FIRST) -> None:
        """Show a page: the name of its file without ".md", with "#heading" if that is wanted."""
        place = page if isinstance(page, str) and page else FIRST
        if self.window is None:
            from operator_console.ui.dialogs.help_window import HelpWindow  # not needed before

            self.window = HelpWindow(self._parent.chosen_sizes)
            self.window.setWindowIcon(self._parent.windowIcon())
            self.window.wanted.connect(self._wanted)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self.window.open_page(place)

    def close(self) -> None:
        """Close the window."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None

    def _wanted(self, place: object) -> None:
        self._bridge.run(TASK, self._show(str(place)))

    async def _show(self, place: str) -> None:
        from operator_console.ui.dialogs.help_document import make_document

        if not self._pages:
            self._pages = {page.name: page for page in await asyncio.to_thread(load_pages)}
            if self.window is not None:
                self.window.show_contents(tuple(self._pages.values()))
        page = self._pages.get(place.partition("#")[0])
        if page is None:
            raise ConsoleError(_("There is no help page “{name}”.").format(name=place))
        if self.window is None:
            return
        tokens, font, home = self._theme.tokens, self.window.text_font(), self.window.thread()
        document = await asyncio.to_thread(make_document, page.text, tokens, font, home)
        if self.window is not None:
            self.window.show_page(place, page.title, document, tokens)

    def _theme_changed(self, _tokens: object) -> None:
        if self.window is not None and self.window.place:
            self._wanted(self.window.place)
