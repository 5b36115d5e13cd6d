"""Colours and the style sheet: named tokens, light and dark, as a QPalette and the sheet in resources/styles.

Not a widget. `Theme` watches the system's scheme and the operator's choice; widgets that paint ask it for tokens.
"""

from __future__ import annotations

from functools import cache
from string import Template
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from operator_console.domain.risk import RiskClass
from operator_console.resource_files import resource_path
from operator_console.ui.theme_choice import ThemeChoice


class Tokens(NamedTuple):
    """The colours of one scheme, "#rrggbb". (A NamedTuple: importing dataclasses would delay the first paint.)"""

    name: str
    background: str
    panel: str
    line: str
    line_strong: str
    text: str
    secondary: str
    disabled: str
    hover: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    chip: str
    stop: str
    stop_hover: str
    stop_text: str
    on_stop: str
    ok: str
    warn: str
    stage: str
    stage_bar: str
    stage_chip: str
    stage_text: str
    risk_none: str
    risk_low: str
    risk_medium: str
    risk_high: str
    risk_critical: str


LIGHT = Tokens(
    name="light", background="#f4f5f7", panel="#ffffff", line="#dde1e6", line_strong="#c3c9d1", text="#1b1f24",
    secondary="#59626e", disabled="#8b939e", hover="#f0f2f5", accent="#2456c7", accent_hover="#1d48a8",
    on_accent="#ffffff", accent_soft="#e8eefb", chip="#eceff3", stop="#c62828", stop_hover="#a91f1f",
    stop_text="#c62828", on_stop="#ffffff", ok="#1a7f4b", warn="#8a5300", stage="#23282f", stage_bar="#1b1f25",
    stage_chip="#343b45", stage_text="#d8dde3", risk_none="#59626e", risk_low="#2f6fd0", risk_medium="#9a5b00",
    risk_high="#c2410c", risk_critical="#8a1c5b",
)  # fmt: skip
DARK = Tokens(
    name="dark", background="#16191d", panel="#1e2227", line="#2c323a", line_strong="#434b56", text="#e8ebef",
    secondary="#a4adb9", disabled="#6d7682", hover="#272c33", accent="#7ea6ff", accent_hover="#9dbcff",
    on_accent="#0d1526", accent_soft="#1d2846", chip="#2a3038", stop="#d93a3a", stop_hover="#c22f2f",
    stop_text="#ff7b7b", on_stop="#ffffff", ok="#4cc38a", warn="#f0b35a", stage="#0e1013", stage_bar="#0b0d10",
    stage_chip="#262c34", stage_text="#c9d0d9", risk_none="#a4adb9", risk_low="#7ab0ff", risk_medium="#f0b35a",
    risk_high="#ff8a5c", risk_critical="#ee8cc4",
)  # fmt: skip

OVERLAY_RISK = {
    None: "#2f6fd0",
    RiskClass.C0: "#59626e",
    RiskClass.C1: "#2f6fd0",
    RiskClass.C2: "#a65f00",
    RiskClass.C3: "#c2410c",
    RiskClass.C4: "#8a1c5b",
}
"""The same in both themes: labels and halo over the picture are white."""


def risk_token(tokens: Tokens, risk: RiskClass | None) -> str:
    """The colour of a risk's word on a panel."""
    by_risk = (tokens.risk_none, tokens.risk_low, tokens.risk_medium, tokens.risk_high, tokens.risk_critical)
    return by_risk[int(risk)] if risk is not None else tokens.secondary


def palette_of(tokens: Tokens) -> QPalette:
    """Qt's palette roles, for what the style sheet does not style (menus, selections, placeholders)."""
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: tokens.background,
        QPalette.ColorRole.WindowText: tokens.text,
        QPalette.ColorRole.Base: tokens.panel,
        QPalette.ColorRole.AlternateBase: tokens.background,
        QPalette.ColorRole.Text: tokens.text,
        QPalette.ColorRole.Button: tokens.panel,
        QPalette.ColorRole.ButtonText: tokens.text,
        QPalette.ColorRole.PlaceholderText: tokens.secondary,
        QPalette.ColorRole.Highlight: tokens.accent,
        QPalette.ColorRole.HighlightedText: tokens.on_accent,
        QPalette.ColorRole.ToolTipBase: tokens.panel,
        QPalette.ColorRole.ToolTipText: tokens.text,
        QPalette.ColorRole.Link: tokens.accent,
        QPalette.ColorRole.Light: tokens.panel,
        QPalette.ColorRole.Mid: tokens.line_strong,
        QPalette.ColorRole.Dark: tokens.line_strong,
    }
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.disabled))
    return palette


@cache
def _template() -> Template:
    return Template(resource_path("styles", "console.qss").read_text(encoding="utf-8"))


def sheet_of(tokens: Tokens) -> str:
    """The style sheet with the tokens filled in."""
    icons = resource_path("icons").as_posix()
    return _template().substitute(tokens._asdict(), icons=icons)


class Theme(QObject):
    """The colours in use. `changed` carries the new `Tokens`."""

    changed = Signal(object)

    def __init__(self, app: QApplication, choice: ThemeChoice = ThemeChoice.SYSTEM) -> None:
        """Reads the system's scheme from its palette, which is fast; `choose` asks Qt for it."""
        super().__init__()
        self._app = app
        self._choice = choice
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        dark = choice is ThemeChoice.DARK or (choice is ThemeChoice.SYSTEM and _is_dark(app.palette()))
        self._apply(DARK if dark else LIGHT)

    def choose(self, choice: ThemeChoice) -> None:
        """Apply a choice."""
        self._choice = choice
        dark = choice is ThemeChoice.DARK or (choice is ThemeChoice.SYSTEM and self._system_dark())
        tokens = DARK if dark else LIGHT
        if tokens is not self.tokens:
            self._apply(tokens)
            self.changed.emit(tokens)

    def _apply(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._app.setPalette(palette_of(tokens))
        self._app.setStyleSheet(sheet_of(tokens))

    def _system_dark(self) -> bool:
        from PySide6.QtCore import Qt  # slow to import: see widgets/controls.py

        return self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark

    def _system_changed(self, _scheme: object) -> None:
        self.choose(self._choice)


def _is_dark(palette: QPalette) -> bool:
    ground, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
    return ground.lightness() < text.lightness()
