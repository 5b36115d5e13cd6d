"""Prepares the next picture for the model while the wait for a still screen is not over yet.

A picture that has not been painted over for a moment is mostly the one that the model will be shown. Its fingerprint
and its encoding are made in the encoder's thread, while the other thread waits. The screen is captured again all the
same when the wait is over: what was prepared is used only if every pixel is equal. A screen that has not changed since
the last picture is not encoded again either.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from operator_console.computers.frame_building import fingerprint, make_frame
from operator_console.computers.model_image import NoLongerWanted, encode
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.picture_changes import same
from operator_console.desktop.values import Grab, Pixels
from operator_console.domain.frames import Frame, ImageNeeds, Picture, TargetRef
from operator_console.domain.geometry import ScreenPoint, Size

_MOST_IN_A_WAIT = 3
"""A screen that keeps changing with short rests is not encoded again and again."""
_UNNAMED = "prepared"  # the encoding does not depend on the id


@dataclass(slots=True, kw_only=True, eq=False)
class _Prepared:
    """Pixels, and what is made of them.

    Attributes:
        frame_id: their fingerprint; "" while it is not known.
        picture: for `needs` and `sent`; None while it is not made.
    """

    pixels: Pixels | memoryview
    native: Size
    frame_id: str = ""
    picture: Picture | None = None
    needs: ImageNeeds | None = None
    sent: Size | None = None

    def is_of(self, grab: Grab) -> bool:
        """Whether all pixels are equal."""
        return self.native == grab.rect.size and (self.pixels is grab.pixels or same(self.pixels, grab.pixels))


class PreparedPictures:
    """The newest pictures of one target: the one that the model was shown last, and the next one.

    `picture` is for the thread of the encoder, all else for that of the capture.

    Attributes:
        needs: what the model requires of pictures; None while it was shown none.
    """

    def __init__(self, target: TargetRef, encoder: Worker) -> None:
        self._target = target
        self._encoder = encoder
        self.needs: ImageNeeds | None = None
        self._shown: _Prepared | None = None
        self._next: _Prepared | None = None
        self._left = 0

    def begin_wait(self) -> None:
        """A wait for a still screen begins."""
        self._left = _MOST_IN_A_WAIT

    def prepare(self, grab: Grab) -> None:
        """Start to encode a picture that may be the next one, unless that has been done."""
        if self.needs is None or self._find(grab) is not None or not self._left:
            return
        self._left -= 1
        self._next = found = _Prepared(pixels=grab.pixels, native=grab.rect.size)
        needs, origin = self.needs, ScreenPoint(grab.rect.x, grab.rect.y)
        self._encoder.start(lambda: self._make(found, needs, origin))
        found.frame_id = _id_of(found)  # here, because this thread has nothing to do and the encoder has

    def drop(self) -> None:
        """The screen has changed: what is being made is given up."""
        self._next = None

    def recognised(self, grab: Grab, needs: ImageNeeds) -> tuple[Grab, str]:
        """A picture that the model is going to be shown, and its id; with the pixels that are known, if they are equal.

        Args:
            grab: the screen now.
            needs: what the model requires of pictures.
        """
        self.needs = needs
        found = self._find(grab) or _Prepared(pixels=grab.pixels, native=grab.rect.size)
        found.frame_id = found.frame_id or _id_of(found)
        self._shown, self._next = found, None
        return Grab(pixels=found.pixels, rect=grab.rect, covered=grab.covered, hidden=grab.hidden), found.frame_id

    def name(self, grab: Grab) -> str:
        """The id of a picture that is known; "" if it is not."""
        found = self._find(grab)
        return "" if found is None else found.frame_id

    def picture(self, frame: Frame, needs: ImageNeeds) -> Picture:
        """The frame encoded for the model, or what was prepared of it."""
        known = next((each for each in (self._shown, self._next) if each and each.frame_id == frame.frame_id), None)
        if known is None:
            return encode(frame, needs)
        if known.picture is None or (known.needs, known.sent) != (needs, frame.geometry.sent):
            known.picture, known.needs, known.sent = encode(frame, needs), needs, frame.geometry.sent
        return known.picture

    def _find(self, grab: Grab) -> _Prepared | None:
        return next((each for each in (self._next, self._shown) if each is not None and each.is_of(grab)), None)

    def _make(self, prepared: _Prepared, needs: ImageNeeds, origin: ScreenPoint) -> None:
        if not self._wanted(prepared):
            return
        frame = make_frame(
            pixels=prepared.pixels, native=prepared.native, origin=origin, target=self._target, needs=needs,
            frame_id=_UNNAMED,
        )  # fmt: skip
        with suppress(NoLongerWanted):
            prepared.picture = encode(frame, needs, lambda: self._wanted(prepared))
            prepared.needs, prepared.sent = needs, frame.geometry.sent

    def _wanted(self, prepared: _Prepared) -> bool:
        return prepared in (self._next, self._shown)


def _id_of(prepared: _Prepared) -> str:
    return fingerprint(memoryview(prepared.pixels).cast("B"), prepared.native)
