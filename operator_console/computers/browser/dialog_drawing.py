"""Draws a dialog of the browser onto a picture of its page."""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from operator_console.browser.dialog_layout import DialogLayout, PartKind
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.pages import PageDialog

_FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
_OTHER_SCRIPTS = ("NotoSansCJK-Regular.ttc",)
_TEXT_PX = 14
_PAPER, _INK, _EDGE, _ACCENT, _SHADE = "#ffffff", "#202124", "#80868b", "#0b57d0", 0.6


def draw_dialog(pixels: bytes | memoryview, size: Size, dialog: PageDialog, layout: DialogLayout) -> bytes:
    """The picture with the dialog on it, and all else darkened. BGRX rows."""
    page = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4)
    dark = (page * _SHADE).astype(np.uint8)
    image = Image.frombytes("RGB", (size.width, size.height), dark[:, :, 2::-1].tobytes())
    _draw(ImageDraw.Draw(image), dialog, layout)
    drawn = np.zeros((size.height, size.width, 4), dtype=np.uint8)
    drawn[:, :, :3] = np.asarray(image)[:, :, ::-1]
    return drawn.tobytes()


def _draw(draw: ImageDraw.ImageDraw, dialog: PageDialog, layout: DialogLayout) -> None:
    radius = round(8 * layout.scale)
    draw.rounded_rectangle(_corners(layout.box), radius=radius, fill=_PAPER, outline=_EDGE)
    _write(draw, layout, layout.title_box, layout.title, bold=True)
    for line, box in layout.lines:
        _write(draw, layout, box, line)
    for part in layout.parts:
        match part.kind:
            case PartKind.FIELD:
                focused = part.number == dialog.focus
                draw.rectangle(_corners(part.box), fill=_PAPER, outline=_ACCENT if focused else _EDGE)
                value = dialog.values[part.number] if part.number < len(dialog.values) else ""
                _write(draw, layout, _inside(part.box, layout.scale), value)
            case PartKind.FILE:
                _write(draw, layout, part.box, part.name, colour=_ACCENT)
            case PartKind.ACCEPT | PartKind.DISMISS:
                accepts = part.kind is PartKind.ACCEPT
                fill = _ACCENT if accepts else _PAPER
                draw.rounded_rectangle(_corners(part.box), radius=radius // 2, fill=fill, outline=_ACCENT)
                x, y = part.box.centre
                colour = _PAPER if accepts else _ACCENT
                draw.text((x, y), part.name, font=_font(part.name, layout.scale), fill=colour, anchor="mm")


def _write(
    draw: ImageDraw.ImageDraw, layout: DialogLayout, box: Rect, text: str, *, bold: bool = False, colour: str = _INK
) -> None:
    font = _font(text, layout.scale)
    shown = text
    while shown and draw.textlength(shown, font=font) > box.width:
        shown = shown[:-2] + "…" if len(shown) > 1 else ""
    middle = box.y + box.height // 2
    draw.text((box.x, middle), shown, font=font, fill=colour, anchor="lm", stroke_width=int(bold) // 2)


def _inside(box: Rect, scale: float) -> Rect:
    edge = round(8 * scale)
    return Rect(box.x + edge, box.y, box.width - 2 * edge, box.height)


def _corners(box: Rect) -> tuple[int, int, int, int]:
    return box.x, box.y, box.right - 1, box.bottom - 1


def _font(text: str, scale: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    wide = any(ord(character) > 0x2E7F for character in text)
    return _loaded(_OTHER_SCRIPTS + _FONTS if wide else _FONTS, round(_TEXT_PX * scale))


@cache
def _loaded(names: tuple[str, ...], size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for name in names:
        try:
            return ImageFont.truetype(name, size_px)
        except OSError:
            continue
    return ImageFont.load_default(size_px)
