"""Where a text breaks into lines: for widgets that paint it themselves, and for labels."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QTextLayout, QTextOption


def whole_parts(text: str, metrics: QFontMetrics, width: int, between: str, *, least: int = 1) -> str:
    """As many whole parts of a text as fit, and … if there are more; "" if fewer than `least` of them fit."""
    parts = text.split(between)
    shorter = (f"{between.join(parts[:count])} …" for count in range(len(parts) - 1, least - 1, -1))
    return next((each for each in (text, *shorter) if metrics.horizontalAdvance(each) <= width), "")


def unbroken(text: str) -> str:
    """The text, character for character, with spaces at which no line ends within "6 s" and "1 of 2"."""
    return re.sub(r"(?<=\d) (?=(?:s|min|of \d+)\b)|(?<=\d of) (?=\d)", "\u00a0", text)


def wrapped_lines(text: str, font: QFont, width: int, most: int) -> list[str]:
    """The text in at most `most` lines of `width` logical pixels; the last one ends in … if there is more."""
    text = text.replace("\n", " ")
    metrics = QFontMetrics(font)
    if metrics.horizontalAdvance(text) <= width:
        return [text]
    if most == 1:
        return [metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)]
    layout = QTextLayout(unbroken(text), font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    lines: list[str] = []
    layout.beginLayout()
    while len(lines) < most:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        start = line.textStart()
        last = len(lines) == most - 1
        part = text[start:] if last else text[start : start + line.textLength()]
        lines.append(metrics.elidedText(part, Qt.TextElideMode.ElideRight, width) if last else part.rstrip())
    layout.endLayout()
    return lines
