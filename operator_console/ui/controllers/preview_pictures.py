"""Chooses the preview's picture (live, the record's newest, or that of a chosen step) and provides the crops.

Keeps only the model's newest frame and the pictures of a step.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSize
from PySide6.QtGui import QImage

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.translations import _
from operator_console.ui.backend import PictureSource
from operator_console.ui.bridge import Bridge
from operator_console.ui.panels.timeline import Timeline
from operator_console.ui.preview.plan_marks import Mark, marks_of, marks_of_step, numbers_of, numbers_of_step
from operator_console.ui.preview.preview import Preview
from operator_console.ui.preview.preview_bar import PreviewBar, Resting
from operator_console.ui.view.session_view import Item, Note, SessionView, Step
from operator_console.ui.view.timeline_entries import entry_of
from operator_console.ui.widgets.images import image_of

KEPT = 3
"""Decoded pictures: before and after a step, and one more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    digest: str
    image: QImage
    native: Size


class Pictures(QObject):
    """The pictures shown in the window."""

    def __init__(self, bridge: Bridge, preview: Preview, bar: PreviewBar, timeline: Timeline) -> None:
        super().__init__()
        self._bridge, self._preview, self._bar, self._timeline = bridge, preview, bar, timeline
        self._source: PictureSource | None = None
        self._replay = False
        self._model_frame: Frame | None = None
        self._decoded: _Shown | None = None
        self._wanted: tuple[str, Size] | None = None
        self._chosen: Item | None = None
        self._share = 0.0  # of the picture after the chosen step
        self._second = ""  # the digest of that picture while both are compared
        self._images: OrderedDict[str, QImage] = OrderedDict()
        self._live = Resting.LIVE
        self._thumbnails: set[str] = set()
        timeline.wanted.connect(self._thumbnail_wanted)
        timeline.chosen.connect(self._item_chosen)
        bar.share_chosen.connect(self._share_chosen)
        preview.wiped.connect(self._share_chosen)
        bar.live_pressed.connect(self.back_to_live)

    @property
    def source(self) -> PictureSource | None:
        """Where pictures and documents are read from."""
        return self._source

    @property
    def chosen(self) -> Item | None:
        """The step or note that is chosen in the timeline, in its newest state."""
        return self._chosen

    def open_source(self, source: PictureSource | None, *, replay: bool) -> None:
        """Set where pictures are read from."""
        self._source, self._replay = source, replay
        self._preview.set_corner(not replay)
        self._preview.set_live(not replay)
        self._model_frame, self._decoded, self._wanted = None, None, None
        self._images.clear()
        self.back_to_live()
        if not replay:
            self._preview.show_still(None)

    def move_source(self, source: PictureSource) -> None:
        """Read the same pictures from another place from now on."""
        self._source = source

    def shown_to_model(self, frame: Frame) -> None:
        """Store the frame that the open calls refer to."""
        self._model_frame = frame

    def came(self, digest: str, image: QImage | None) -> None:
        """Show a picture that was read."""
        if image is None:
            return
        if digest in self._thumbnails:
            self._thumbnails.discard(digest)
            self._timeline.put_picture(digest, image)
        wanted = self._wanted is not None and self._wanted[0] == digest
        if wanted or digest == self._second:
            self._images[digest] = image
            while len(self._images) > KEPT:
                self._images.popitem(last=False)
        if digest == self._second:
            self._preview.show_wipe(image, self._share)
        if self._wanted is not None and wanted:
            self._decoded = _Shown(digest=digest, image=image, native=self._wanted[1])
            self._preview.show_still(image, self._decoded.native)

    def show_view(self, view: SessionView, marks: tuple[Mark, ...], *, seen: bool = True) -> None:
        """Show the chosen step, or the newest. `seen`: whether the target can be seen now."""
        self._live = Resting.LIVE if seen else Resting.NOT_LIVE
        self._preview.set_seen(seen)
        chosen = self._refreshed(view)
        if chosen is not None:
            if not self._show_item(chosen) and self._replay:
                self._show_place(view)
            return
        self._bar.show_step("", both=False, share=0.0, resting=self._resting)
        if self._replay:
            self._show_place(view)
        self._preview.show_numbers(numbers_of(view))
        self._preview.show_marks(marks)

    def marks(self, view: SessionView, edited: object) -> tuple[Mark, ...]:
        """The marks of a view."""
        from operator_console.domain.actions import Action

        return marks_of(view, edited if isinstance(edited, Action) else None)

    def crop(self, point: NativePoint, size: QSize) -> QImage | None:
        """Native pixels around a point of the picture that the model was shown; blank beyond its edge."""
        image: QImage | None = None
        if self._replay:
            decoded = self._decoded
            if decoded is not None and decoded.image.width() == decoded.native.width:
                image = decoded.image
        elif self._model_frame is not None:
            image = image_of(self._model_frame)
        if image is None:
            return None
        return image.copy(point.x - size.width() // 2, point.y - size.height() // 2, size.width(), size.height())

    @property
    def _resting(self) -> Resting:
        """What the picture is while no step is chosen."""
        if self._replay:
            return Resting.RECORD
        return self._live if self._preview.fit is not None else Resting.PREVIEW

    @property
    def native(self) -> Size:
        """The size of the picture that points refer to."""
        if self._model_frame is not None and not self._replay:
            return self._model_frame.geometry.native
        return self._decoded.native if self._decoded is not None else Size(1, 1)

    def back_to_live(self) -> None:
        """Clear the chosen step and return to live, or to the record's position."""
        self._chosen, self._share = None, 0.0
        self._timeline.clear_choice()
        self._compare("")
        self._bar.show_step("", both=False, share=0.0, resting=self._resting)
        if not self._replay:
            self._wanted = None
            self._preview.show_still(None)

    def _refreshed(self, view: SessionView) -> Item | None:
        """The chosen item in its state in `view`."""
        chosen = self._chosen
        if isinstance(chosen, Step) and not self._replay:  # in a replay it is that of the whole record
            steps = (item for item in reversed(view.items) if isinstance(item, Step))
            self._chosen = next((item for item in steps if item.seq == chosen.seq), None)
        return self._chosen

    def follow(self, item: Item) -> None:
        """Show another item of a replay as the chosen one."""
        if item is not self._chosen:
            self._chosen, self._share = item, 0.0

    def _item_chosen(self, item: object) -> None:
        if item is None:
            if self._chosen is not None:
                self.back_to_live()
            return
        assert isinstance(item, Step | Note)
        self._chosen = item
        self._share = 1.0 if isinstance(item, Step) and item.after else 0.0
        self._show_item(item)

    def _share_chosen(self, share: float) -> None:
        self._share = share
        if self._chosen is not None:
            self._show_item(self._chosen)

    def _show_place(self, view: SessionView) -> None:
        """Show the newest picture that the record has up to its place; none before the first one, never a later one."""
        steps = (item for item in reversed(view.items) if isinstance(item, Step))
        observed = next((step.observed for step in steps if step.observed is not None), None)
        if observed is not None:
            self._want(observed.picture, observed.geometry.native)
        else:
            self._wanted = None
            self._preview.show_still(None)

    def _show_item(self, item: Item) -> bool:
        """Show a step or note; False if it has no picture of its own."""
        resting = self._resting
        if isinstance(item, Note):
            self._bar.show_step(item.title, both=False, share=0.0, resting=resting)
            self._preview.show_numbers(None)
            self._preview.show_marks(())
            self._compare("")
            if item.picture:
                self._want(item.picture, None)
            return bool(item.picture)
        title = _("Step {number} · {title}").format(number=item.number, title=entry_of(item).title)
        share = self._share if item.after else 0.0
        self._bar.show_step(title, both=bool(item.after), share=share, resting=resting)
        native = item.observed.geometry.native if item.observed is not None else None
        digest = item.after if share >= 1.0 else item.observed.picture if item.observed is not None else ""
        self._preview.show_numbers(None if share > 0.0 else numbers_of_step(item))
        self._preview.show_marks(() if share >= 1.0 else marks_of_step(item))
        if digest:
            self._want(digest, native)
        self._compare(item.after if 0.0 < share < 1.0 else "")
        return bool(digest)

    def _compare(self, digest: str) -> None:
        """Show this picture over a part of the one before the step; "": not any more."""
        self._second = digest
        if not digest:
            self._preview.show_wipe(None, 0.0)
        elif (image := self._images.get(digest)) is not None:
            self._preview.show_wipe(image, self._share)
        elif self._source is not None:
            self._bridge.want_picture(self._source, digest)

    def _want(self, digest: str, native: Size | None) -> None:
        decoded = self._decoded
        if decoded is not None and decoded.digest == digest:
            self._wanted = (digest, decoded.native)
            self._preview.show_still(decoded.image, decoded.native)
            return
        asked = self._wanted is not None and self._wanted[0] == digest
        self._wanted = (digest, native or self.native)
        if (image := self._images.get(digest)) is not None:
            self.came(digest, image)
        elif not asked and self._source is not None:
            self._bridge.want_picture(self._source, digest)

    def _thumbnail_wanted(self, digest: str) -> None:
        self._thumbnails.add(digest)
        if self._source is not None:
            self._bridge.want_picture(self._source, digest)
