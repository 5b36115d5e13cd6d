"""What is chosen about a browser before its session: the address it begins with, its window, and what it may reach."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, ElidedCombo, column, label, show_text

_SITES_HEIGHT = 66
KIND = "browser"
"""The value of the browser's `TargetKind`."""


class BrowserChoice(QWidget):
    """Shown while the browser is the chosen target.

    Signals:
        changed: something was chosen or typed (no payload).
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.check_address: Callable[[str], str] = _nothing
        self.check_site: Callable[[str], str] = _nothing
        self._settings_sites: tuple[str, ...] = ()
        rows = column(self, spacing=4)
        self.address = QLineEdit()
        self.address.setAccessibleName(_("Begins with"))
        self.address.setPlaceholderText(_("example.org, or empty"))
        self.place = ElidedCombo()
        self.place.setAccessibleName(_("Shown"))
        self.place.addItems([_("In a window of its own"), _("Without a window")])
        self.place.setToolTip(
            _("Without a window, the page is seen and used in the preview only. Without a display, there is no window.")
        )
        self.sites = QPlainTextEdit()
        self.sites.setAccessibleName(_("May reach"))
        self.sites.setTabChangesFocus(True)
        self.sites.setFixedHeight(_SITES_HEIGHT)
        self.sites.setToolTip(
            _(
                "One site a line: example.org, *.example.org for its subdomains, or either with a port. "
                "All else is blocked. Sites that the settings block stay blocked."
            )
        )
        self._address_trouble, self._sites_trouble = (label(role="trouble", wrap=True) for _ in range(2))
        for title, part, trouble in (
            (_("Begins with"), self.address, self._address_trouble),
            (_("Shown"), self.place, None),
            (_("May reach"), self.sites, self._sites_trouble),
        ):
            heading = label(title)
            heading.setBuddy(part)
            rows.addWidget(heading)
            rows.addWidget(part)
            if trouble is not None:
                trouble.hide()
                rows.addWidget(trouble)
            rows.addSpacing(GRID - 4)
        self.address.textChanged.connect(self._changed)
        self.sites.textChanged.connect(self._changed)
        self.place.currentIndexChanged.connect(self._changed)

    def show_settings(self, *, headless: bool, sites: tuple[str, ...]) -> None:
        """Show what the settings say; sites that were written here stay."""
        before, self._settings_sites = self._settings_sites, sites
        self.place.setCurrentIndex(int(headless))
        if self.chosen_sites == before:
            self.sites.setPlainText("\n".join(sites))
        self.sites.setPlaceholderText(
            _("As in the settings: {sites}").format(sites=", ".join(sites))
            if sites
            else _("Every site that is not blocked")
        )

    def show_spec(self, spec: str) -> None:
        """Show the address of a browser's specification; nothing for other targets."""
        kind, _, address = spec.partition(":")
        if kind == KIND:
            self.address.setText(address)

    def spec(self) -> str:
        """The browser's specification."""
        address = self.address.text().strip()
        return f"{KIND}:{address}" if address else KIND

    @property
    def headless(self) -> bool:
        """Whether it has no window."""
        return self.place.currentIndex() == 1

    @property
    def chosen_sites(self) -> tuple[str, ...]:
        """What it may reach, as written; nothing: as the settings say."""
        return tuple(dict.fromkeys(self.sites.toPlainText().replace(",", " ").split()))

    @property
    def lacking(self) -> tuple[QWidget, str] | None:
        """The field that has a mistake, and what is wrong; None for nothing."""
        if trouble := self.check_address(self.address.text().strip()):
            return self.address, trouble
        wrong = (trouble for site in self.chosen_sites if (trouble := self.check_site(site)))
        found = next(wrong, "")
        return (self.sites, found) if found else None

    def _changed(self, _: object = None) -> None:
        lacking = self.lacking
        for field, trouble in ((self.address, self._address_trouble), (self.sites, self._sites_trouble)):
            words = lacking[1] if lacking is not None and lacking[0] is field else ""
            show_text(trouble, words)
        self.changed.emit()


def _nothing(_: str) -> str:
    return ""
