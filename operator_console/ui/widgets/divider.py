"""Panes of which one has a size that a person chooses by dragging the divider, or by keys while it has the focus; a
double click or Enter gives the usual one.

A chosen size is kept while the panes are resized, as far as there is room.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import TAB_FOCUS, set_role
from operator_console.ui.window_place import Part

KEY_STEP = 24
"""Logical pixels by which an arrow key moves a divider."""
_MOST_SHARE = 0.6
"""Of the room for both, for a pane whose size nobody chose."""


class Divider(QSplitter):
    """A splitter that keeps one pane's size, lets another take the rest, and leaves all others as they are.

    Args:
        chosen: where the chosen size is kept, in logical pixels, under `part`; none is there for the usual size.
        across: whether the panes stand side by side.
    """

    def __init__(self, chosen: MutableMapping[Part, int], part: Part, *, across: bool = True) -> None:
        super().__init__()
        self._chosen, self._part, self._across = chosen, part, across
        if not across:
            from PySide6.QtCore import Qt  # slow to import: see widgets/controls.py

            self.setOrientation(Qt.Orientation.Vertical)
        self._pane: QWidget | None = None
        self._rest: QWidget | None = None
        self._usual: Callable[[], int] = lambda: 0
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._moved)

    def keep(self, pane: QWidget, usual: Callable[[], int], rest: QWidget) -> None:
        """Give `pane` its chosen or usual size from now on; `rest` takes what is left."""
        self._pane, self._usual, self._rest = pane, usual, rest
        for each in self._panes():
            each.installEventFilter(self)
        self.apply()

    @property
    def grip(self) -> QSplitterHandle:
        """The part that is dragged, and that takes the keys. After `keep`."""
        assert self._pane is not None
        return self.handle(max(1, self.indexOf(self._pane)))

    @property
    def wanted(self) -> int:
        """The size of the pane where there is room for it."""
        return self._chosen.get(self._part, 0) or self._usual()

    def apply(self) -> None:
        """Give the pane its size."""
        pane, rest = self._pane, self._rest
        if pane is None or rest is None or pane.isHidden() or self.indexOf(pane) < 0:
            return
        panes = self._panes()
        sizes = [self._size(each) for each in panes]
        shown = [place for place, each in enumerate(panes) if not each.isHidden()]
        mine, its = self.indexOf(pane), self.indexOf(rest)
        others = sum(sizes[place] for place in shown if place not in (mine, its))
        room = self._along(self) - others - (len(shown) - 1) * self.handleWidth()
        most = room - self._least(rest)
        if self._part not in self._chosen:
            most = min(most, round(room * _MOST_SHARE))
        sizes[mine] = max(self._least(pane), min(self.wanted, most))
        sizes[its] = max(0, room - sizes[mine])
        self.setSizes(sizes)
        self._prepare_handles()

    def reset(self) -> None:
        """Give the pane its usual size."""
        self._chosen.pop(self._part, None)
        self.apply()

    def _prepare_handles(self) -> None:
        grip = self.grip
        for place in range(1, self.count()):
            handle = self.handle(place)
            if handle is grip:
                handle.installEventFilter(self)
                handle.setToolTip(_("Drag to resize, or use the arrow keys. Double-click for the usual size."))
                handle.setAccessibleName(_name(self._part))
                handle.setProperty("focusPolicy", TAB_FOCUS)
            else:
                handle.setEnabled(False)
                handle.unsetCursor()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The pane keeps its size; the rest changes."""
        super().resizeEvent(event)
        self.apply()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pane has its size whichever panes are shown; its handle obeys keys and the double click."""
        if isinstance(watched, QSplitterHandle):
            return self._on_grip(event) or super().eventFilter(watched, event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self.apply()
        return super().eventFilter(watched, event)

    def _on_grip(self, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.MouseButtonDblClick:
                self.reset()
            case QEvent.Type.KeyPress:
                assert isinstance(event, QKeyEvent)
                return self._key(event)
            case QEvent.Type.FocusIn | QEvent.Type.FocusOut:
                set_role(self, gripped=str(event.type() is QEvent.Type.FocusIn).lower())
                return False
            case _:
                return False
        return True

    def _key(self, event: QKeyEvent) -> bool:
        from PySide6.QtCore import Qt

        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.reset()
            return True
        back, on = (Qt.Key.Key_Left, Qt.Key.Key_Right) if self._across else (Qt.Key.Key_Up, Qt.Key.Key_Down)
        if self._pane is None or event.key() not in (back, on):
            return False
        grows = (event.key() == back) is (self.indexOf(self._pane) > 0)  # the divider is then before the pane
        self._chosen[self._part] = max(1, self._along(self._pane) + (KEY_STEP if grows else -KEY_STEP))
        self.apply()
        self._chosen[self._part] = self._along(self._pane)  # as far as there was room
        return True

    def _moved(self, _place: int, _handle: int) -> None:
        if self._pane is not None:
            self._chosen[self._part] = self._along(self._pane)

    def _panes(self) -> list[QWidget]:
        found = (self.widget(place) for place in range(self.count()))
        return [each for each in found if each is not None]

    def _along(self, widget: QWidget) -> int:
        return widget.width() if self._across else widget.height()

    def _size(self, widget: QWidget) -> int:
        least, most = widget.minimumSize(), widget.maximumSize()
        if self._across:
            return max(least.width(), min(widget.width(), most.width()))
        return max(least.height(), min(widget.height(), most.height()))

    def _least(self, widget: QWidget) -> int:
        least, hint = widget.minimumSize(), widget.minimumSizeHint()
        if self._across:
            return least.width() or max(0, hint.width())
        return least.height() or max(0, hint.height())


def _name(part: Part) -> str:
    """Of a divider, for a screen reader."""
    match part:
        case Part.SIDE:
            return _("Width of the timeline")
        case Part.INSPECTOR:
            return _("Height of the step")
        case Part.HELP_CONTENTS:
            return _("Width of the contents")
        case _:
            return ""
