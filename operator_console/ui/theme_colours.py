"""Colours, text size and the style sheet: named tokens as a QPalette and the sheet in resources/styles.

Four sets of tokens: light and dark, each also with high contrast. Not a widget. `Theme` watches the system's scheme and
the operator's choice; widgets that paint ask it for tokens.
"""

from __future__ import annotations

import re
from functools import cache
from string import Template
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QColor, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from operator_console.domain.risk import RiskClass
from operator_console.resource_files import resource_path
from operator_console.ui.theme_choice import DEFAULT_LOOK, ContrastChoice, Look, ThemeChoice

_KEPT = "system_text_px"


class Tokens(NamedTuple):
    """The colours of one scheme, "#rrggbb". (A NamedTuple: importing dataclasses would delay the first paint.)

    `icons`: the set of icons to use. `line` separates, `line_strong` frames what can be used; `disabled_ground` is
    that of fields that cannot.
    """

    name: str
    icons: str
    background: str
    panel: str
    line: str
    line_strong: str
    text: str
    secondary: str
    placeholder: str
    disabled: str
    disabled_ground: str
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
    stage_line: str
    stage_text: str
    risk_none: str
    risk_low: str
    risk_medium: str
    risk_high: str
    risk_critical: str


LIGHT = Tokens(
    name="light", icons="light", background="#f4f5f7", panel="#ffffff", line="#dde1e6", line_strong="#868e99",
    text="#1b1f24", secondary="#59626e", placeholder="#59626e",
    disabled="#8b939e", disabled_ground="#f4f5f7", hover="#f0f2f5",
    accent="#2456c7", accent_hover="#1d48a8", on_accent="#ffffff", accent_soft="#e8eefb", chip="#eceff3",
    stop="#c62828", stop_hover="#a91f1f", stop_text="#c62828", on_stop="#ffffff", ok="#187646", warn="#8a5300",
    stage="#23282f", stage_bar="#1b1f25", stage_chip="#343b45", stage_line="#737d8a", stage_text="#d8dde3",
    risk_none="#59626e", risk_low="#2f6fd0", risk_medium="#9a5b00", risk_high="#c2410c", risk_critical="#8a1c5b",
)  # fmt: skip
DARK = Tokens(
    name="dark", icons="dark", background="#16191d", panel="#1e2227", line="#2c323a", line_strong="#6b7583",
    text="#e8ebef", secondary="#a4adb9", placeholder="#a4adb9",
    disabled="#6d7682", disabled_ground="#16191d", hover="#272c33",
    accent="#7ea6ff", accent_hover="#9dbcff", on_accent="#0d1526", accent_soft="#1d2846", chip="#2a3038",
    stop="#d93a3a", stop_hover="#c22f2f", stop_text="#ff7b7b", on_stop="#ffffff", ok="#4cc38a", warn="#f0b35a",
    stage="#0e1013", stage_bar="#0b0d10", stage_chip="#262c34", stage_line="#6b7583", stage_text="#c9d0d9",
    risk_none="#a4adb9", risk_low="#7ab0ff", risk_medium="#f0b35a", risk_high="#ff8a5c", risk_critical="#ee8cc4",
)  # fmt: skip

HIGH_CONTRAST_LIGHT = Tokens(
    name="high-contrast-light", icons="light", background="#ffffff", panel="#ffffff", line="#595959",
    line_strong="#000000", text="#000000", secondary="#2b2b2b", placeholder="#595959",
    disabled="#6b6b6b", disabled_ground="#f0f0f0",
    hover="#e3e8f2", accent="#0b3390", accent_hover="#06205c", on_accent="#ffffff", accent_soft="#dce6ff",
    chip="#ebebeb", stop="#990000", stop_hover="#7a0000", stop_text="#930000", on_stop="#ffffff", ok="#00542b",
    warn="#5e3800", stage="#000000", stage_bar="#000000", stage_chip="#2a2a2a", stage_line="#ffffff",
    stage_text="#ffffff", risk_none="#2b2b2b", risk_low="#0b3390", risk_medium="#6b3d00", risk_high="#8a2a00",
    risk_critical="#6b0f43",
)  # fmt: skip
HIGH_CONTRAST_DARK = Tokens(
    name="high-contrast-dark", icons="dark", background="#000000", panel="#000000", line="#9a9a9a",
    line_strong="#ffffff", text="#ffffff", secondary="#e0e0e0", placeholder="#a8a8a8",
    disabled="#a0a0a0", disabled_ground="#262626",
    hover="#26303f", accent="#a8c6ff", accent_hover="#cfe0ff", on_accent="#000000", accent_soft="#1c2b4d",
    chip="#262626", stop="#ff8080", stop_hover="#ffb0b0", stop_text="#ffb0b0", on_stop="#000000", ok="#6ee7a8",
    warn="#ffd080", stage="#000000", stage_bar="#000000", stage_chip="#2a2a2a", stage_line="#ffffff",
    stage_text="#ffffff", risk_none="#e0e0e0", risk_low="#a8c6ff", risk_medium="#ffd080", risk_high="#ffb08a",
    risk_critical="#ffb3da",
)  # fmt: skip

BODY_PX = 14
"""The text size that the style sheet and all fixed sizes are written for."""

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
        QPalette.ColorRole.PlaceholderText: tokens.placeholder,
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


_TEXT_SIZES = re.compile(r"((?:font-size|min-height): )(\d+)px")
_THIN = 4


def sheet_of(tokens: Tokens, scale: float = 1.0) -> str:
    """The style sheet with the tokens filled in; text and what holds text is `scale` times as large."""

    def sized(found: re.Match[str]) -> str:
        px = int(found[2])
        return f"{found[1]}{px if px <= _THIN else round(px * scale)}px"

    icons = resource_path("icons").as_posix()
    return _TEXT_SIZES.sub(sized, _template().substitute(tokens._asdict(), icon_folder=icons))


def body_px(system_px: float, text_size: float) -> int:
    """The size of ordinary text in logical pixels: what the system says, but not below 14, times the setting."""
    return round(max(float(BODY_PX), system_px) * text_size)


class Theme(QObject):
    """The colours and the text size in use.

    Signals:
        changed: carries the `Tokens` in use; also where only the text size changed.
    """

    changed = Signal(object)

    def __init__(self, app: QApplication, look: Look = DEFAULT_LOOK) -> None:
        """Reads the system's scheme from its palette, which is fast; `choose` asks Qt for it.

        Sets the colours; `size_text` and `style_widgets` do the rest.
        """
        super().__init__()
        self._app, self._look = app, look
        self._styled = False
        self.px = 0
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        if hasattr(hints, "accessibility"):  # Qt 6.10 and newer
            hints.accessibility().contrastPreferenceChanged.connect(self._system_changed)
        dark = look.theme is ThemeChoice.DARK or (look.theme is ThemeChoice.SYSTEM and _is_dark(app.palette()))
        self.tokens = self._tokens(dark=dark, high=look.contrast is ContrastChoice.HIGH)
        app.setPalette(palette_of(self.tokens))

    def size_text(self) -> None:
        """Apply the text size, from now on in each theme.

        Later than the colours: the system's size is that of its font, which takes long to find.
        """
        self.px = body_px(_system_px(self._app), self._look.text_size)
        font = self._app.font()
        font.setPixelSize(self.px)
        self._app.setFont(font)
        # Qt posts this to windows: widgets that get a style sheet meanwhile would keep the font that theirs had before.
        self._app.sendPostedEvents(None, QEvent.Type.ApplicationFontChange.value)

    def style_widgets(self) -> None:
        """Apply text size and style sheet, from now on in each theme.

        Later than the colours, so that the first widgets are styled once and not anew at each place that they are put.
        """
        if not self.px:
            self.size_text()
        self._styled = True
        sheet = sheet_of(self.tokens, self.px / BODY_PX)
        if sheet != self._app.styleSheet():  # Qt would style every widget anew
            self._app.setStyleSheet(sheet)

    def choose(self, look: Look) -> None:
        """Apply a choice."""
        self._look = look
        dark = look.theme is ThemeChoice.DARK or (look.theme is ThemeChoice.SYSTEM and self._system_dark())
        high = look.contrast is ContrastChoice.HIGH
        high = high or (look.contrast is ContrastChoice.SYSTEM and self._system_high())
        tokens, px = self._tokens(dark=dark, high=high), body_px(_system_px(self._app), look.text_size)
        if tokens is not self.tokens or px != self.px:
            self.tokens = tokens
            self._app.setPalette(palette_of(tokens))
            self.size_text()
            if self._styled:
                self.style_widgets()
            self.changed.emit(tokens)

    def _tokens(self, *, dark: bool, high: bool) -> Tokens:
        if high:
            return HIGH_CONTRAST_DARK if dark else HIGH_CONTRAST_LIGHT
        return DARK if dark else LIGHT

    def _system_high(self) -> bool:
        hints = self._app.styleHints()
        return hasattr(hints, "accessibility") and hints.accessibility().contrastPreference().name == "HighContrast"

    def _system_dark(self) -> bool:
        from PySide6.QtCore import Qt  # slow to import: see widgets/controls.py

        return self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark

    def _system_changed(self, _scheme: object) -> None:
        self.choose(self._look)


def _system_px(app: QApplication) -> float:
    """The size of the system's text in logical pixels; asked before the first theme sets its own."""
    kept = app.property(_KEPT)
    if isinstance(kept, float):
        return kept
    size = float(QFontInfo(app.font()).pixelSize())
    app.setProperty(_KEPT, size)
    return size


def _is_dark(palette: QPalette) -> bool:
    ground, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
    return ground.lightness() < text.lightness()
