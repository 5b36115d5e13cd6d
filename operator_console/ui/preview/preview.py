"""The preview: the target's picture with its marks, or a step's before and after."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QCursor,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QHelpEvent,
    QImage,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.hand_input import HandClipboard, HandInput, HandText
from operator_console.domain.translations import _
from operator_console.engine.visible_text import cut, shown_lines
from operator_console.ui.preview.choice_boxes import choice_at, paint_choices, plan_choices
from operator_console.ui.preview.drawn_place import DrawnPlace
from operator_console.ui.preview.edited_point import EditedPoint, Placed
from operator_console.ui.preview.element_boxes import ElementOutline, ElementOutlines, paint_numbers, paint_outlines
from operator_console.ui.preview.fit import Box, Fit
from operator_console.ui.preview.hand_events import LEAVES, HandEvents, is_for_console, pastes
from operator_console.ui.preview.loupe import Loupe, paint_loupe, plan_loupe
from operator_console.ui.preview.paint_marks import Look, covered_by, paint_overlay
from operator_console.ui.preview.paint_picture import (
    CornerLook,
    Small,
    changed_part,
    corner_box,
    paint_corner,
    paint_picture,
)
from operator_console.ui.preview.pan_and_zoom import PanAndZoom
from operator_console.ui.preview.plan_marks import Mark, MarkMotion, MarkShape, MarkStage, Numbers
from operator_console.ui.preview.viewpoint import ZoomStep, percent
from operator_console.ui.preview.wipe import Wipe
from operator_console.ui.theme_colours import LIGHT, OVERLAY_RISK, Tokens
from operator_console.ui.widgets.images import image_of

UNRINGED = (MarkShape.CHOICE, MarkShape.KEYS, MarkShape.REGION)
TICK_MS = 33
_VEIL = 0.6
"""How much a picture that is not live is covered."""


@dataclass(frozen=True, slots=True)
class Zoomed:
    """How large the picture is shown.

    Attributes:
        scale: device pixels per native pixel; 0 without a picture.
        fitted: whether it is fitted to the preview.
    """

    scale: float = 0.0
    fitted: bool = True


class Preview(QWidget):
    """The preview widget.

    Signals:
        zoomed: the zoom changed; carries a Zoomed.
        picked: the edited action's point, or the start of its drag, was put on a pixel; carries the NativePoint.
        end_picked: so was the end of its drag.
        choice_pointed: the pointer came to the box of a choice, or left it; carries its number from 1, or None.
        choice_pressed: the box of a choice was clicked; carries its number.
        wiped: the line between before and after was dragged; carries the share of the picture after (0.0 to 1.0).
        room_changed: another widget covers another part of it, or none any more (no payload).
        by_hand: the operator points or types in the page; carries a HandInput. Only while `set_hand` says so.
        hand_left: the key that leaves the page was pressed (no payload).
        place_drawn: a place was drawn on the live picture after `draw_place`; carries its Rect in native pixels.
    """

    zoomed = Signal(object)
    picked = Signal(object)
    end_picked = Signal(object)
    choice_pointed = Signal(object)
    choice_pressed = Signal(object)
    wiped = Signal(object)
    room_changed = Signal()
    by_hand = Signal(object)
    hand_left = Signal()
    place_drawn = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Live preview"))
        self.setAccessibleDescription(_("The picture of the target, with the places of the next actions."))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 64)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._tokens = LIGHT
        self._live: tuple[Frame, QImage] | None = None
        self._live_on = True
        self._still: tuple[QImage, Size] | None = None
        self._marks: tuple[Mark, ...] = ()
        self._numbers: Numbers | None = None
        self._elements: ElementOutlines | None = None
        self._loupe_on = True
        self._loupe_hovered = False
        self._loupe_plan: tuple[object, Loupe | None] = (None, None)
        self._pointed: ElementOutline | None = None
        self._motion = MarkMotion(monotonic)
        self._picking = False
        self._edited = EditedPoint()
        self._drawing = DrawnPlace()
        self._hand: HandEvents | None = None
        self._choice: int | None = None
        self._choice_held: int | None = None
        self._choices_armed = False
        self._corner, self._seen = True, True
        self._covered = 0
        self._zoom = Zoomed()
        self._place = PanAndZoom(self)
        self._place.changed.connect(self._placed_anew)
        self._wipe = Wipe()
        self._small_live, self._small_still = Small(), Small()
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens
        self.update()

    def set_reduced_motion(self, reduced: bool) -> None:
        """Disable fading marks and closing rings, and the loupe for actions that run by themselves."""
        self._motion.reduced = reduced

    def set_hand(self, on: bool) -> None:
        """Set whether pointer and keys on the live picture are for the page that it shows."""
        if on is (self._hand is not None):
            return
        if self._hand is not None:
            self._give(*self._hand.let_go())
        self._hand = HandEvents() if on else None
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled, on)
        self._track()
        self._announce()
        self._show_cursor()

    @property
    def live_frame(self) -> Frame | None:
        """The frame that is shown live now; None while an earlier picture is shown, or none."""
        return self._live[0] if self._live is not None and self._still is None and self._live_on else None

    def draw_place(self, wanted: bool) -> None:
        """Let the next drag draw a place; Escape gives up."""
        self._drawing.want(wanted)
        self._show_cursor()
        self.update()
        if wanted:
            self.setFocus()

    @property
    def _draws(self) -> bool:
        return self._drawing.wanted and self.live_frame is not None

    @property
    def _hands_on(self) -> HandEvents | None:
        """What takes the events now: nothing on an earlier picture, or on one that is not live."""
        return self._hand if self._still is None and self._live_on and self._seen else None

    def _give(self, *given: HandInput | None) -> None:
        for each in given:
            if each is not None:
                self.by_hand.emit(each)

    def set_covered(self, width: int) -> None:
        """Keep everything out of the right part that another widget covers, so wide."""
        if width != self._covered:
            self._covered = width
            self._place.set_covered(width)
            self.room_changed.emit()
            self.update()

    def set_loupe(self, on: bool) -> None:
        """Set whether the target of the next action is shown enlarged while the picture is reduced."""
        self._loupe_on = on
        self._track()
        self.update()

    def set_live(self, on: bool) -> None:
        """Set whether the live picture is shown while no step's is; not in a record, where it is of another time."""
        if on != self._live_on:
            self._live_on = on
            self._announce()
            self.update()

    def show_frame(self, frame: Frame | None) -> None:
        """Show the newest live frame; None clears the live picture."""
        same = frame is not None and self._live is not None and self._live[0].frame_id == frame.frame_id
        if same:
            return
        box = self._changed_since(frame)
        self._follow_target(frame)
        self._live = (frame, image_of(frame)) if frame is not None else None
        self._small_live.changed(box)
        self._announce()
        fit = self.fit
        if box is None or fit is None or self._still is not None:
            self.update()
        elif not box.empty:
            self.update(self._logical_area(fit, changed_part(fit, box)))
            loupe = self._loupe(fit)
            if loupe is not None and not loupe.native.intersect(box).empty:
                self.update(self._loupe_area(loupe))

    def _follow_target(self, frame: Frame | None) -> None:
        """Keep the zoom while the same target is shown, also when a menu makes a window's picture larger."""
        if frame is None or self._live is None:
            return
        before, now = self._live[0], frame
        if before.target.spec != now.target.spec:
            self._place.forget()
        elif before.geometry.native != now.geometry.native:
            origin, moved = before.geometry.origin, now.geometry.origin
            self._place.moved(now.geometry.native, moved.x - origin.x, moved.y - origin.y)

    def _changed_since(self, frame: Frame | None) -> Rect | None:
        """Where the next frame differs from the one shown (native pixels); None: anywhere."""
        if frame is None or frame.change is None or self._live is None:
            return None
        return frame.change.box if frame.change.since == self._live[0].frame_id else None

    def _logical_area(self, fit: Fit, part: QRect) -> QRect:
        """The area to repaint, in logical pixels."""
        ratio = self.devicePixelRatioF()
        left, top = math.floor((fit.x + part.left()) / ratio), math.floor((fit.y + part.top()) / ratio)
        right = math.ceil((fit.x + part.left() + part.width()) / ratio)
        bottom = math.ceil((fit.y + part.top() + part.height()) / ratio)
        return QRect(left, top, right - left, bottom - top).intersected(self.rect())

    def show_still(self, image: QImage | None, native: Size | None = None) -> None:
        """Show a step's picture instead of live (None: live again); `native` is the size that marks refer to."""
        if image is None or self._still is None or image.cacheKey() != self._still[0].cacheKey():
            self._small_still.changed(None)
        self._still = (image, native or Size(image.width(), image.height())) if image is not None else None
        self._announce()
        self.update()

    def show_wipe(self, after: QImage | None, share: float) -> None:
        """Show a part (0.0 to 1.0, from the right) of another picture over the still one; None: not any more."""
        if self._wipe.show(after, share):
            self._track()
            self.update()
            self._show_cursor()

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        """Set the marks drawn over the picture."""
        if marks == self._marks:
            return
        self._motion.show(marks)
        self._marks = marks
        if self._moving():
            self._timer.start()
        self._track()
        self._edited.show(self._next_mark())
        pointer = QPointF(self.mapFromGlobal(QCursor.pos())) if self.underMouse() else QPointF(-1, -1)
        self.point_at_choice(self._choice_at(pointer))
        self._hover_loupe(pointer)
        self.update()

    def show_numbers(self, numbers: Numbers | None) -> None:
        """Set the numbered boxes that the model was shown, drawn over the picture; None: none."""
        if numbers != self._numbers:
            self._numbers = numbers
            self.update()

    def show_elements(self, elements: ElementOutlines | None) -> None:
        """Outline the known elements over the live picture; None: no more. The one under the pointer has its name."""
        self._elements = elements
        self._track()
        self._point_at(self.mapFromGlobal(QCursor.pos()))
        self.update()

    def set_seen(self, seen: bool) -> None:
        """Set whether the target can be seen. If not, its last picture and the marks on it are dimmed."""
        if seen != self._seen:
            self._seen = seen
            self._show_cursor()
            self.update()

    def set_corner(self, corner: bool) -> None:
        """Set whether a corner shows the live picture while a past step is shown."""
        self._corner = corner
        self.update()

    def set_picking(self, picking: bool) -> None:
        """Set whether pointer and arrow keys move the point of the next action (while it is edited)."""
        self._picking = picking
        self._edited.release()
        self._edited.show(self._next_mark())
        self._track()
        self._announce()
        self._show_cursor()
        self.update()

    def point_at_choice(self, number: object) -> None:
        """Highlight the box of a choice and bring it into sight; None: of none."""
        if number == self._choice:
            return
        self._choice = number if isinstance(number, int) else None
        mark = next((mark for mark in self._choices if mark.number == number), None)
        if mark is not None and mark.points and not self.underMouse():
            self._place.reveal(mark.points[0])
        self._show_cursor()
        self.update()

    def set_choices_armed(self, armed: object) -> None:
        """Set whether a click in the box of a choice answers now, for the pointer's shape."""
        self._choices_armed = bool(armed)
        self._show_cursor()

    @property
    def _choices(self) -> tuple[Mark, ...]:
        return tuple(mark for mark in self._marks if mark.shape is MarkShape.CHOICE)

    def _choice_at(self, at: QPointF) -> int | None:
        fit, ratio, choices = self.fit, self.devicePixelRatioF(), self._choices
        if fit is None or not choices or not self.rect().contains(at.toPoint()):
            return None
        return choice_at(plan_choices(fit, choices, self._look(ratio)), at.x() * ratio, at.y() * ratio, ratio)

    def _hover_choice(self, at: QPointF) -> None:
        number = self._choice_at(at)
        if number != self._choice:
            self.point_at_choice(number)
            self.choice_pointed.emit(number)

    def _track(self) -> None:
        pointed_at = self._elements is not None or bool(self._choices) or self._picking or self._wipe.shown
        pointed_at = pointed_at or self._hand is not None
        self.setMouseTracking(pointed_at or (self._loupe_on and self._next_mark() is not None))

    def room(self) -> QSize:
        """The part that has room for the picture and for notes over it, from the left edge, in logical pixels."""
        return self._place.room()

    @property
    def fit(self) -> Fit | None:
        """Where the picture is placed now, in device pixels of this widget."""
        self._place.show(self._native)
        return self._place.fit

    @property
    def _image(self) -> QImage | None:
        if self._still is not None:
            return self._still[0]
        return self._live[1] if self._live is not None and self._live_on else None

    @property
    def _native(self) -> Size | None:
        if self._still is not None:
            return self._still[1]
        return self._live[0].geometry.native if self._live is not None and self._live_on else None

    # zoom

    def zoom(self, step: ZoomStep) -> None:
        """Zoom by a step: about the next target if it is in sight, else about the middle; 1:1 shows the target."""
        self._place.step(step, self._next_target())

    def zoom_to(self, scale: float) -> None:
        """Show the picture at a scale, in device pixels per native pixel, and the next target in its middle."""
        self._place.set_scale(scale, self._next_target())

    def fit_to_window(self) -> None:
        """Show the whole picture."""
        self.zoom(ZoomStep.FIT)

    def actual_size(self) -> None:
        """Show one native pixel on one device pixel."""
        self.zoom(ZoomStep.ACTUAL)

    def zoom_in(self) -> None:
        """Show the picture a step larger."""
        self.zoom(ZoomStep.IN)

    def zoom_out(self) -> None:
        """Show the picture a step smaller."""
        self.zoom(ZoomStep.OUT)

    def _next_mark(self) -> Mark | None:
        """The ring of the next action; None if it has none."""
        ringed = (mark for mark in self._marks if mark.shape not in UNRINGED and mark.points)
        return next((mark for mark in ringed if mark.stage is MarkStage.NEXT), None)

    def _next_target(self) -> NativePoint | None:
        """Where the next action hits; None if it hits nowhere. While a drag is edited, the point that is moved."""
        if self._edits and self._edited.active is not None:
            return self._edited.active
        mark = self._next_mark()
        return mark.points[0] if mark is not None else None

    @property
    def _edits(self) -> bool:
        """Whether pointer and keys move a point now; never on an earlier picture."""
        return self._picking and self._still is None and self._seen

    def _put(self, placed: Placed | None) -> None:
        if placed is not None:
            (self.end_picked if placed.end else self.picked).emit(placed.point)
            self.update()

    def _placed_anew(self) -> None:
        self._announce()
        self._show_cursor()
        self.update()

    # painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture, the overlay and the live corner."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._tokens.stage))
        fit = self.fit
        if fit is not None:
            ratio = self.devicePixelRatioF()
            painter.scale(1 / ratio, 1 / ratio)
            area = self._device_area(event.rect())
            self._paint_picture(painter, fit, area)
            look = self._look(ratio)
            if self._still is not None:
                self._wipe.paint(painter, fit, area, scale=ratio, font=look.font)
            if self._elements is not None and self._still is None:
                paint_outlines(painter, fit, self._elements, self._pointed, scale=ratio, font=look.font)
            if self._numbers is not None and self._numbers.native == fit.native:
                paint_numbers(painter, fit, self._numbers.marks, scale=ratio, font=look.font)
            paint_overlay(painter, fit, self._marks, look)
            if choices := self._choices:
                paint_choices(painter, fit, plan_choices(fit, choices, look), look, pointed=self._choice)
            if self._edits:
                self._edited.paint(painter, fit, ratio)
            if self._draws:
                self._drawing.paint(painter, fit, ratio)
            if self._still is None and not self._seen:
                veil = QColor(self._tokens.stage)
                veil.setAlphaF(_VEIL)
                painter.fillRect(area, veil)
            if self._still is not None and self._corner:
                self._paint_corner(painter, ratio)
            self._paint_loupe(painter, fit, event.region())
            painter.resetTransform()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.hasFocus():
            painter.setPen(QPen(QColor("#7ea6ff"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _device_area(self, area: QRect) -> QRect:
        """An area of this widget in device pixels."""
        ratio = self.devicePixelRatioF()
        left, top = math.floor(area.left() * ratio), math.floor(area.top() * ratio)
        right = math.ceil((area.left() + area.width()) * ratio)
        return QRect(left, top, right - left, math.ceil((area.top() + area.height()) * ratio) - top)

    # events

    def resizeEvent(self, _event: object) -> None:
        """Update the zoom for the new size."""
        self._announce()
        self._show_cursor()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the pointer."""
        hand, fit = self._hands_on, self.fit
        if hand is not None and fit is not None:
            given = hand.wheel(event, fit, self.devicePixelRatioF())
            self._give(given)
            if given is not None:
                event.accept()
                return
        if self._place.wheel(event):
            event.accept()
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the point of an edited action, or the picture."""
        if self._draws and event.key() == Qt.Key.Key_Escape:
            self.draw_place(False)
            return
        if self._key_by_hand(event):
            return
        fit = self.fit
        placed = self._edited.key(event, fit.native) if self._edits and fit is not None else None
        if placed is not None:
            self._put(placed)
            self._place.reveal(placed.point)
        elif not self._place.key(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Release a key of the page."""
        if not self._key_by_hand(event):
            super().keyReleaseEvent(event)

    def _takes(self, event: QKeyEvent) -> bool:
        return self._hands_on is not None and not is_for_console(event)

    def _key_by_hand(self, event: QKeyEvent) -> bool:
        hand = self._hands_on
        if hand is None or (is_for_console(event) and event.key() != LEAVES):
            return False
        if event.key() == LEAVES:
            if event.type() is QEvent.Type.KeyPress:
                self.hand_left.emit()
            return True
        if pastes(event) and (copied := QGuiApplication.clipboard().text()):
            self._give(HandClipboard(text=copied))
        self._give(hand.key(event))
        return True

    def _mouse_by_hand(self, event: QMouseEvent) -> bool:
        hand, fit = self._hands_on, self.fit
        if hand is None or fit is None:
            return False
        self._give(hand.mouse(event, fit, self.devicePixelRatioF()))
        return True

    def focusNextPrevChild(self, on: bool) -> bool:
        """Tab is for the page while the person works in it."""
        return self._hands_on is None and super().focusNextPrevChild(on)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Release the keys that are held in the page."""
        if self._hand is not None:
            self._give(*self._hand.let_go())
        super().focusOutEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Give the page what an input method commits."""
        if self._hands_on is not None and event.commitString():
            self._give(HandText(text=event.commitString()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the point of an edited action, or of the picture."""
        if self._draws and (drawn_on := self.fit) is not None and event.button() is Qt.MouseButton.LeftButton:
            self._drawing.press(drawn_on, event.position() * self.devicePixelRatioF())
            return
        if self._mouse_by_hand(event):
            return
        fit, ratio = self.fit, self.devicePixelRatioF()
        if self._edits and fit is not None and event.button() is Qt.MouseButton.LeftButton:
            self._put(self._edited.press(fit, event.position() * ratio, ratio))
            self.update()
            return
        if event.button() is Qt.MouseButton.LeftButton:
            self._choice_held = self._choice_at(event.position())
        if self._choice_held is not None and event.type() is QEvent.Type.MouseButtonDblClick:
            return
        if (share := self._wipe.press(event, fit, ratio)) is not None:
            self._choice_held = None
            self.wiped.emit(share)
            return
        if self._place.press(event):
            self._show_cursor()
        elif self._choice_held is None:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Switch between the whole picture and its actual size."""
        self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag what is held, or name the element under the pointer."""
        if self._draws and (drawn_on := self.fit) is not None:
            if self._drawing.move(drawn_on, event.position() * self.devicePixelRatioF()):
                self.update()
            return
        if self._mouse_by_hand(event):
            return
        fit = self.fit
        if self._edited.held and fit is not None:
            self._put(self._edited.move(fit, event.position() * self.devicePixelRatioF()))
            return
        if (share := self._wipe.move(event, fit, self.devicePixelRatioF())) is not None:
            self.wiped.emit(share)
            return
        if self._place.move(event):
            return
        self._show_cursor(event.position())
        super().mouseMoveEvent(event)
        self._point_at(event.position().toPoint())
        self._hover_choice(event.position())
        self._hover_loupe(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the picture; a click in the box of a choice, in which the picture was not moved, answers."""
        if self._draws:
            place = self._drawing.release()
            self._show_cursor()
            self.update()
            if place is not None:
                self.place_drawn.emit(place)
            return
        if self._mouse_by_hand(event):
            return
        held, self._choice_held = self._choice_held, None
        self._edited.release()
        self._wipe.release()
        if self._place.dragged(event):
            held = None
        if self._place.release():
            self._show_cursor()
        if held is not None and held == self._choice_at(event.position()):
            self.choice_pressed.emit(held)
        super().mouseReleaseEvent(event)

    def _show_cursor(self, at: QPointF | None = None) -> None:
        """Set the pointer's shape; `at` is where it is, if that matters."""
        fit, ratio = self.fit, self.devicePixelRatioF()
        if self._draws:
            shape = Qt.CursorShape.CrossCursor
        elif self._hands_on is not None:
            shape = Qt.CursorShape.ArrowCursor
        elif self._edits and not self._place.panning:
            on_point = at is not None and fit is not None and self._edited.near(fit, at * ratio, ratio)
            shape = Qt.CursorShape.SizeAllCursor if on_point else Qt.CursorShape.CrossCursor
        elif self._choice is not None and self._choices_armed and self.underMouse():
            shape = Qt.CursorShape.PointingHandCursor
        elif self._wipe.held or (at is not None and self._wipe.near(at, fit, ratio)):
            shape = Qt.CursorShape.SplitHCursor
        elif self._place.panning:
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._place.pannable:
            shape = Qt.CursorShape.OpenHandCursor
        else:
            shape = Qt.CursorShape.ArrowCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)

    def leaveEvent(self, event: QEvent) -> None:
        """Name no element."""
        super().leaveEvent(event)
        self._point_at(QPoint(-1, -1))
        self._hover_choice(QPointF(-1, -1))
        self._hover_loupe(QPointF(-1, -1))

    def _point_at(self, at: QPoint) -> None:
        fit, ratio, shown = self.fit, self.devicePixelRatioF(), self._elements
        point = fit.to_native(at.x() * ratio, at.y() * ratio) if fit is not None else None
        fits = fit is not None and shown is not None and shown.native == fit.native
        pointed = shown.at(point) if fits and shown is not None and point is not None else None
        if pointed != self._pointed:
            self._pointed = pointed
            self.update()

    def event(self, event: QEvent) -> bool:
        """Zoom by gestures; show the full text of a mark as a tooltip."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()  # the console's shortcuts are keys of the page now
            return True
        if isinstance(event, QNativeGestureEvent) and self._place.gesture(event):
            event.accept()
            return True
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            mark = self._mark_at(event.pos())
            if mark is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), shown_lines(cut(mark.text or mark.label, 5_000)), self)
            return True
        return super().event(event)

    def _mark_at(self, at: QPoint) -> Mark | None:
        fit, ratio = self.fit, self.devicePixelRatioF()
        if fit is None:
            return None
        for mark in reversed(self._marks):
            for place in map(fit.to_device, mark.points):
                if abs(place.x / ratio - at.x()) <= 20 and abs(place.y / ratio - at.y()) <= 20:
                    return mark
        return None

    def _paint_picture(self, painter: QPainter, fit: Fit, area: QRect) -> None:
        if (image := self._image) is not None:
            small = self._small_live if self._still is None else self._small_still
            paint_picture(painter, image, fit, area, small)

    def _loupe(self, fit: Fit) -> Loupe | None:
        """The loupe, unless it is switched off, not needed, or under the pointer, where it would hide the picture.

        Nor is there one of a picture that is not live.
        """
        mark, image = self._next_mark(), self._image
        if not self._loupe_on or mark is None or image is None or self._loupe_hovered:
            return None
        if self._still is None and not self._seen:
            return None
        if self._motion.reduced and mark.lead_s:
            return None  # with reduced motion it does not come and go with each action that runs by itself
        if self._wipe.shown or image.size() != QSize(fit.native.width, fit.native.height):
            return None  # two pictures are compared, or there are no native pixels
        ratio, point = self.devicePixelRatioF(), self._next_target() or mark.points[0]
        key = (fit, self._marks, point, ratio, self._free, self._still is None, self._corner)
        if self._loupe_plan[0] != key:
            look = self._look(ratio)
            hard = [*covered_by(fit, self._marks, look)]
            if self._still is not None and self._corner and self._live is not None:
                hard.append(corner_box(self._free, self._live[0].geometry.native, ratio))
            soft = [fit.to_box(extent) for mark in self._marks for extent in mark.controls]
            self._loupe_plan = (key, plan_loupe(fit, point, scale=ratio, view=look.view, hard=hard, soft=soft))
        return self._loupe_plan[1]

    def _loupe_area(self, loupe: Loupe) -> QRect:
        """The area that the loupe and its frame take, in logical pixels."""
        ratio, edge = self.devicePixelRatioF(), 4
        box = loupe.whole
        left, top = math.floor(box.x / ratio) - edge, math.floor(box.y / ratio) - edge
        right = math.ceil((box.x + box.width) / ratio) + edge
        return QRect(left, top, right - left, math.ceil((box.y + box.height) / ratio) + edge - top)

    def _paint_loupe(self, painter: QPainter, fit: Fit, region: QRegion) -> None:
        loupe, image, mark = self._loupe(fit), self._image, self._next_mark()
        if loupe is None or image is None or mark is None or not region.intersects(self._loupe_area(loupe)):
            return
        ground, ink = QColor(self._tokens.stage), QColor(OVERLAY_RISK[mark.risk])
        paint_loupe(painter, loupe, image, look=self._look(self.devicePixelRatioF()), ink=ink, ground=ground)

    def _hover_loupe(self, at: QPointF) -> None:
        """Take the loupe away while the pointer is on it."""
        fit = self.fit
        self._loupe_hovered, hovered = False, self._loupe_hovered
        loupe = self._loupe(fit) if fit is not None else None
        if loupe is not None:
            area = self._loupe_area(loupe)
            self._loupe_hovered = area.contains(at.toPoint())
            if hovered is not self._loupe_hovered:
                self.update(area)

    def _paint_corner(self, painter: QPainter, ratio: float) -> None:
        if self._live is None:
            return
        frame, image = self._live
        ground = QColor(self._tokens.stage_bar)
        look = CornerLook(
            scale=ratio, font=self._small_font(ratio), words=_("Live") if self._seen else _("Not live"), ground=ground
        )
        paint_corner(painter, image, corner_box(self._free, frame.geometry.native, ratio), look)

    @property
    def _free(self) -> QSize:
        """The size of the part that nothing covers."""
        return QSize(self.width() - self._covered, self.height())

    def _small_font(self, ratio: float) -> QFont:
        """The font of labels, sized in device pixels."""
        font = QFont(self.font())
        font.setPixelSize(round(self.fontInfo().pixelSize() * 12 / 14 * ratio))
        return font

    def _look(self, ratio: float) -> Look:
        free = self._free
        view = Box(0, 0, round(free.width() * ratio), round(free.height() * ratio))
        return Look(
            scale=ratio, font=self._small_font(ratio), view=view, lead=self._motion.lead, opacity=self._opacity
        )  # fmt: skip

    def _opacity(self, mark: Mark) -> float:
        """Marks do not fade over the picture of a past step."""
        return 1.0 if self._still is not None else self._motion.opacity(mark)

    def _moving(self) -> bool:
        return self._motion.moving(self._marks, live=self._still is None)

    def _tick(self) -> None:
        if not self._moving():
            self._timer.stop()
        self.update()

    def _announce(self) -> None:
        fit = self.fit
        zoom = Zoomed(fit.zoom, self._place.fitted) if fit is not None else Zoomed()
        told = [_("The picture of the target, with the places of the next actions.")]
        if zoom.scale > 0:
            fitted = _("Zoom: {percent}, fitted to the window.") if zoom.fitted else _("Zoom: {percent}.")
            told.append(fitted.format(percent=percent(zoom.scale)))
        if self._edits:
            told.append(_("Arrow keys move the point of the action by one pixel, with Shift by ten."))
            if len(self._edited) > 1:
                told.append(_("Home and End choose the start and the end of the drag."))
        if " ".join(told) != self.accessibleDescription():
            self.setAccessibleDescription(" ".join(told))
        if zoom != self._zoom:
            self._zoom = zoom
            self.zoomed.emit(zoom)
