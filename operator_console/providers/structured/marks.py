"""Draws numbered boxes around elements on the picture that a model gets.

The tag with a number stands beside its box, or in it, wherever it covers least of what is drawn there: edges in the
picture tell where text and lines are, whatever the elements say. Each place is tried in a fixed order, so that tags of
similar elements stand alike.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from operator_console.domain.element_marks import ElementMark
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.geometry import Rect, Size
from operator_console.providers.structured.numbered_elements import Numbered

_DIGIT_PX = 13
"""Height of the font on a picture up to `_USUAL_EDGE` pixels wide or high; larger on a larger one."""
_USUAL_EDGE = 1600
_PAD = 3
_EDGE = 24
"""A difference between neighbouring pixels, of 255, from which on there is an edge."""
_ANOTHER_TAG = 8
"""How much worse it is to cover a pixel of another tag than one of an edge."""
_ANOTHER_BOX = 0.05
"""The same for a pixel of another element's box: a tag in a neighbour's box would seem to name that."""
_WORSE_A_PLACE = 0.5
"""Edges that a place earlier in the order may have more than a later one."""
_QUALITIES = (90, 80, 70, 60)
_COLOURS = (0, 256, 64, 16, 4)
"""Of a PNG; 0: as many as there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """A picture that marks can be drawn on.

    Attributes:
        picture: as it was before.
        image: its pixels.
        edges: where there are text and lines, (height, width), 0 or 1.
        native: the size of its frame, native pixels.
        exact: whether it is to be a PNG again, as models of a browser are used to.
    """

    picture: Picture
    image: Image.Image
    edges: npt.NDArray[np.uint8]
    native: Size
    exact: bool = False

    @classmethod
    def of(cls, picture: Picture, frame: Frame) -> Canvas:
        """The picture of a whole frame, whose pixels are used where they are those of the picture. Blocking."""
        native = frame.geometry.native
        if picture.size == native and not picture.reduced and len(frame.pixels) == native.width * native.height * 4:
            rows = np.frombuffer(frame.pixels, dtype=np.uint8)
            image = Image.frombuffer("RGB", (native.width, native.height), rows, "raw", "BGRX", 0, 1)
        else:
            with Image.open(io.BytesIO(picture.data)) as file:
                image = file.convert("RGB")
        return cls(
            picture=picture, image=image, edges=edges_of(np.asarray(image.convert("L"))), native=native,
            exact=frame.page is not None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A picture with marks, and the marks."""

    picture: Picture
    marks: tuple[ElementMark, ...]


def draw_marks(canvas: Canvas, numbered: Sequence[Numbered], max_bytes: int | None) -> Marked:
    """The picture with a box and a tag for each element; the same picture if there is none.

    Args:
        canvas: the picture, which is drawn on.
        numbered: the elements.
        max_bytes: size of the encoded picture that should not be exceeded.
    """
    picture, image = canvas.picture, canvas.image
    if not numbered:
        return Marked(picture=picture, marks=())
    font = ImageFont.load_default(round(_DIGIT_PX * max(1.0, max(image.size) / _USUAL_EDGE)))
    boxes = [_scaled(each.box, canvas.native, picture.size) for each in numbered]
    sizes = [_tag_size(str(each.number), font) for each in numbered]
    tags = place_tags(canvas.edges, boxes, sizes)
    marks = tuple(
        ElementMark(number=each.number, box=each.box, tag=_scaled(tag, picture.size, canvas.native), words=each.words)
        for each, tag in zip(numbered, tags, strict=True)
    )
    pen = ImageDraw.Draw(image)
    for mark, box in zip(marks, boxes, strict=True):
        _draw_box(pen, box, mark.colour)
    for mark, tag in zip(marks, tags, strict=True):
        _draw_tag(pen, tag, str(mark.number), mark.colour, font)
    data, mime_type = (_png if canvas.exact else _jpeg)(image, max_bytes)
    digest = hashlib.sha256(data).hexdigest()
    return Marked(picture=replace(picture, data=data, mime_type=mime_type, digest=digest), marks=marks)


def edges_of(grey: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """1 where the brightness of a picture, (height, width), differs from that of the pixel on the left or above."""
    edges = np.zeros(grey.shape, dtype=np.uint8)
    for here, before in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:, :], np.s_[:-1, :])):
        # In the eight bits of a pixel, which take a third of the time of larger numbers.
        edges[here] |= np.maximum(grey[here], grey[before]) - np.minimum(grey[here], grey[before]) > _EDGE
    return edges


def place_tags(edges: npt.NDArray[np.uint8], boxes: Sequence[Rect], sizes: Sequence[Size]) -> list[Rect]:
    """Where the tags of these sizes stand, beside or in their boxes and inside the picture.

    Args:
        edges: of the picture, as by `edges_of`.
        boxes, sizes: in pixels of the picture.
    """
    cost = edges.copy()
    boxed = np.zeros(edges.shape, dtype=np.uint16)
    for box in boxes:
        boxed[_part(box)] += 1
    height, width = edges.shape
    made: list[Rect] = []
    for box, size in zip(boxes, sizes, strict=True):
        places = [_inside(place, width, height) for place in _places(box, size)]
        costs = []
        for order, place in enumerate(places):
            own = place.intersect(box)
            others = int(boxed[_part(place)].sum()) - own.width * own.height
            costs.append(int(cost[_part(place)].sum()) + _ANOTHER_BOX * others + _WORSE_A_PLACE * order)
        best = places[int(np.argmin(costs))]
        cost[_part(best)] = _ANOTHER_TAG
        made.append(best)
    return made


def _part(rect: Rect) -> tuple[slice, slice]:
    return slice(rect.y, rect.bottom), slice(rect.x, rect.right)


def _places(box: Rect, size: Size) -> Iterator[Rect]:
    """Corners outside, sides outside, then corners and ends inside."""
    wide, high = size.width, size.height
    middle = box.y + (box.height - high) // 2
    for x, y in (
        (box.x, box.y - high), (box.right - wide, box.y - high), (box.x - wide, middle), (box.right, middle),
        (box.x, box.bottom), (box.right - wide, box.bottom), (box.right - wide, box.y), (box.x, box.y),
        (box.right - wide, box.bottom - high), (box.x, box.bottom - high), (box.right - wide, middle), (box.x, middle),
        (box.x - wide, box.y - high), (box.right, box.y - high), (box.right, box.bottom), (box.x - wide, box.bottom),
    ):  # fmt: skip
        yield Rect(x, y, wide, high)


def _inside(place: Rect, width: int, height: int) -> Rect:
    x, y = max(0, min(place.x, width - place.width)), max(0, min(place.y, height - place.height))
    return Rect(x, y, min(place.width, width), min(place.height, height))


def _tag_size(number: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> Size:
    left, top, right, bottom = font.getbbox(number)
    return Size(round(right - left) + 2 * _PAD, round(bottom - top) + 2 * _PAD)


def _draw_box(pen: ImageDraw.ImageDraw, box: Rect, colour: str) -> None:
    """A coloured line around the box, and a white one around it; neither in the box, where its text is."""
    for away, ink in ((2, "white"), (1, colour)):
        pen.rectangle((box.x - away, box.y - away, box.right - 1 + away, box.bottom - 1 + away), outline=ink)


def _draw_tag(
    pen: ImageDraw.ImageDraw, tag: Rect, number: str, colour: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont
) -> None:
    pen.rectangle((tag.x, tag.y, tag.right - 1, tag.bottom - 1), fill=colour, outline="white")
    left, top, _, _ = font.getbbox(number)
    pen.text((tag.x + _PAD - left, tag.y + _PAD - top), number, fill="white", font=font)


def _jpeg(image: Image.Image, max_bytes: int | None) -> tuple[bytes, str]:
    """The usual form: the colours of marks make a PNG larger than services accept, and encoding it takes longer."""
    data = b""
    for quality in _QUALITIES:
        out = io.BytesIO()
        image.save(out, "JPEG", quality=quality, subsampling=0)
        data = out.getvalue()
        if max_bytes is None or len(data) <= max_bytes:
            break
    return data, "image/jpeg"


def _png(image: Image.Image, max_bytes: int | None) -> tuple[bytes, str]:
    """In fewer colours until it is small enough. Its size stays, because points may refer to its pixels."""
    data = b""
    for colours in _COLOURS:
        out = io.BytesIO()
        # By the fast method: median cut takes half a second for a photograph.
        method, dither = Image.Quantize.FASTOCTREE, Image.Dither.NONE
        reduced = image.quantize(colours, method=method, dither=dither) if colours else image
        reduced.save(out, "PNG", compress_level=3)
        data = out.getvalue()
        if max_bytes is None or len(data) <= max_bytes:
            break
    return data, "image/png"


def _scaled(rect: Rect, old: Size, new: Size) -> Rect:
    """The pixels of a picture of another size that a rectangle touches: native ones, or those of the picture sent."""
    left, top = rect.x * new.width // old.width, rect.y * new.height // old.height
    right, bottom = -(-rect.right * new.width // old.width), -(-rect.bottom * new.height // old.height)
    return Rect(left, top, right - left, bottom - top)
