"""Contrast, computed from the tokens of all themes as WCAG 2 defines it, and the sizes of the style sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton

from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.risk import RiskClass
from operator_console.ui.preview.fit import Fit
from operator_console.ui.preview.paint_marks import Look as Drawn
from operator_console.ui.preview.paint_marks import paint_overlay, plan_labels
from operator_console.ui.preview.plan_marks import Mark, MarkShape, MarkStage
from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from operator_console.ui.theme_colours import (
    DARK,
    HIGH_CONTRAST_DARK,
    HIGH_CONTRAST_LIGHT,
    LIGHT,
    OVERLAY_RISK,
    Theme,
    Tokens,
    body_px,
    sheet_of,
)

THEMES = (LIGHT, DARK, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK)
GROUNDS = ("panel", "background", "chip", "hover", "accent_soft")
TEXTS = (
    *((ink, ground) for ink in ("text", "secondary") for ground in GROUNDS),
    *((ink, ground) for ink in ("accent", "stop_text", "warn", "ok") for ground in ("panel", "background")),
    ("placeholder", "panel"),
    *((ink, "accent_soft") for ink in ("accent", "warn", "ok", "stop_text")),
    *((f"risk_{risk}", "panel") for risk in ("none", "low", "medium", "high", "critical")),
    ("on_accent", "accent"), ("on_accent", "accent_hover"), ("on_accent", "risk_critical"),
    ("on_stop", "stop"), ("on_stop", "stop_hover"), ("stop_text", "hover"), ("stop_text", "chip"),
    ("stage_text", "stage"), ("stage_text", "stage_bar"), ("stage_text", "stage_chip"),
)  # fmt: skip
"""Every pair of text and ground in the style sheet and the painted widgets."""
FRAMES = (
    *(("line_strong", ground) for ground in ("panel", "background")),
    ("accent", "panel"), ("accent", "background"), ("stop", "panel"), ("disabled", "panel"),
    ("stage_line", "stage_bar"),
)  # fmt: skip


def contrast(one: str, other: str) -> float:
    """The contrast ratio, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    made = QColor(colour)
    parts = (made.redF(), made.greenF(), made.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def least(tokens: Tokens, pairs: tuple[tuple[str, str], ...], bar: float) -> dict[tuple[str, str], float]:
    """The pairs below the bar."""
    found = {(ink, ground): contrast(getattr(tokens, ink), getattr(tokens, ground)) for ink, ground in pairs}
    return {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < bar}


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
def test_every_text_can_be_read_and_every_frame_be_seen(tokens: Tokens) -> None:
    assert least(tokens, TEXTS, 4.5) == {}
    assert least(tokens, FRAMES, 3.0) == {}


@pytest.mark.parametrize("tokens", [HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK], ids=lambda tokens: tokens.name)
def test_high_contrast_has_seven_to_one(tokens: Tokens) -> None:
    assert least(tokens, TEXTS, 7.0) == {}


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
def test_a_disabled_field_looks_different_from_an_enabled_one(tokens: Tokens) -> None:
    assert tokens.disabled_ground != tokens.panel
    assert tokens.line != tokens.line_strong
    if tokens in (HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK):
        assert contrast(tokens.disabled, tokens.disabled_ground) >= 4.5


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
def test_a_placeholder_does_not_look_like_a_value(tokens: Tokens) -> None:
    assert contrast(tokens.text, tokens.panel) / contrast(tokens.placeholder, tokens.panel) >= 1.8
    assert contrast(tokens.placeholder, tokens.disabled_ground) >= 4.5


def test_the_labels_of_the_overlay_can_be_read() -> None:
    assert min(contrast(colour, "#ffffff") for colour in OVERLAY_RISK.values()) >= 4.5


@pytest.mark.parametrize("ground", ["#000000", "#808080", "#ffffff"])
@pytest.mark.parametrize("stage", MarkStage)
@pytest.mark.parametrize("risk", [None, *RiskClass])
def test_a_label_of_the_overlay_can_be_read_on_any_picture(
    app: QApplication, ground: str, stage: MarkStage, risk: RiskClass | None
) -> None:
    image = QImage(400, 200, QImage.Format.Format_RGB32)
    image.fill(QColor(ground))
    fit = Fit(native=Size(400, 200), x=0, y=0, width=400, height=200)
    font = QFont()
    font.setPixelSize(20)
    mark = Mark(
        key="1.0", number=1, shape=MarkShape.POINT, stage=stage, label="HHH", points=(NativePoint(60, 100),), risk=risk
    )
    look = Drawn(scale=1.0, font=font, view=fit.box, lead=lambda _: None, opacity=lambda _: 1.0)
    (label,) = plan_labels(fit, (mark,), look)
    painter = QPainter(image)
    paint_overlay(painter, fit, (mark,), look)
    painter.end()
    left, top = round(label.box.x) + 3, round(label.box.y) + 3
    inside = image.copy(left, top, round(label.box.width) - 6, round(label.box.height) - 6)
    colours = [inside.pixelColor(x, y).name() for x in range(inside.width()) for y in range(inside.height())]
    assert contrast(max(colours, key=_luminance), colours[0]) >= 4.5


@pytest.mark.parametrize(
    ("system_px", "chosen", "px"),
    [(12.0, 1.0, 14), (14.67, 1.0, 15), (18.3, 1.0, 18), (12.0, 1.5, 21), (20.0, 1.5, 30)],
)
def test_text_is_as_large_as_the_system_says_and_the_setting_multiplies_it(
    system_px: float, chosen: float, px: int
) -> None:
    assert body_px(system_px, chosen) == px


def test_all_sizes_of_text_in_the_sheet_grow() -> None:
    usual, large = (re.findall(r"font-size: (\d+)px", sheet_of(LIGHT, scale)) for scale in (1.0, 1.5))
    assert [round(int(px) * 1.5) for px in usual] == [int(px) for px in large]
    assert "$" not in sheet_of(LIGHT)


def test_a_chosen_look_is_applied_at_once(app: QApplication) -> None:
    theme = Theme(app, Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL))
    heard: list[object] = []
    theme.changed.connect(heard.append)
    theme.choose(Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL, 1.5))
    assert app.font().pixelSize() == round(theme.px) >= 21
    theme.choose(Look(ThemeChoice.DARK, ContrastChoice.HIGH))
    assert heard == [LIGHT, HIGH_CONTRAST_DARK]
    theme.choose(Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL))
    assert QFont(app.font()).pixelSize() < 21


@pytest.mark.parametrize("tokens", THEMES, ids=lambda tokens: tokens.name)
def test_every_picture_of_the_sheet_exists(tokens: Tokens) -> None:
    pictures = re.findall(r'url\("([^"]*)"\)', sheet_of(tokens))
    assert pictures
    assert [path for path in pictures if not Path(path).is_file()] == []


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_the_arrows_of_a_file_dialog_can_be_seen(app: QApplication, choice: ThemeChoice) -> None:
    theme = Theme(app, Look(choice, ContrastChoice.NORMAL))
    theme.style_widgets()
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    try:
        for name in ("backButton", "forwardButton", "toParentButton"):
            button = dialog.findChild(QToolButton, name)
            assert isinstance(button, QToolButton)
            drawn = button.icon().pixmap(16).toImage()
            inks = [drawn.pixelColor(x, y) for x in range(drawn.width()) for y in range(drawn.height())]
            solid = [ink.name() for ink in inks if ink.alpha() > 200]
            assert solid
            assert min(contrast(ink, theme.tokens.background) for ink in solid) >= 3.0, name
    finally:
        dialog.deleteLater()
        Theme(app, Look(ThemeChoice.LIGHT, ContrastChoice.NORMAL)).style_widgets()
