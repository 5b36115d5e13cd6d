"""The main window: lays out the panels at every window size.

`Console` connects the panels and closes the window. Its first picture is painted before there is any panel:
`make_setup` adds the set-up column, so that the task can be typed while the rest is imported, and `furnish` the other
panels. The modules of the panels are imported only then.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, QTimer, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QMainWindow, QWidget

from operator_console.resource_files import resource_path
from operator_console.ui.widgets.window_size import largest_window, side_width
from operator_console.ui.window_place import Part, WindowPlace

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QVBoxLayout

    from operator_console.ui.panels.setup_column import SetupColumn
    from operator_console.ui.preview.preview import Zoomed
    from operator_console.ui.theme_colours import Tokens

NARROW, LEAST_PREVIEW = 1100, 440
"""Logical pixels: below that width of the window, or of the preview, the right column is a drawer."""
SUFFIX = ".ocsession"


class Dim(QWidget):
    """Darkens the window behind a dialog and swallows clicks."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the shade."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(0, 0, 0, 110))
        painter.end()


LARGEST = QSize(1440, 900)


class MainWindow(QMainWindow):
    """The app's one main window.

    Signals:
        close_wanted: no payload; the window stays until `really_close`.
        folded: carries whether it is minimised now.
        files_dropped: carries a tuple of Paths.
        drawn: the window was painted for the first time (no payload).
        early_key: a key that nothing uses was pressed before `furnish`; carries the QKeyCombination.
    """

    close_wanted = Signal()
    folded = Signal(object)
    files_dropped = Signal(object)
    drawn = Signal()
    early_key = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Operator console")
        self.setMinimumSize(QSize(720, 520))
        # Stop and the status line must be visible: never larger than the screen, including the window manager's frame.
        self.resize(LARGEST.boundedTo(largest_window(self)))
        self._closing = False
        self._drawer = False
        self._drawer_open = False
        self._prepared = self._furnished = False
        self._drawn = False
        self._waiting = self._reduced_motion = False
        self._typed = ""
        self._setup: SetupColumn | None = None
        self.chosen_sizes: dict[Part, int] = {}

    def make_setup(self) -> None:
        """Create the set-up column and placeholders of the other panels; what was typed until now is the task."""
        from operator_console.ui.panels.setup_column import SetupColumn
        from operator_console.ui.placeholders import Placeholders
        from operator_console.ui.widgets.controls import column
        from operator_console.ui.widgets.divider import Divider

        self._setup = setup = SetupColumn()
        setup.fit_text(self.width())
        setup.set_ready(False)
        self._early = Placeholders()
        self._whole = whole = QWidget()
        rows = column(whole, spacing=0)
        self._body = Divider(self.chosen_sizes, Part.SIDE)
        self._body.setHandleWidth(0)  # the column's own border is the line; it can be gripped beside it
        for part in (setup, self._early.preview, self._early.side):
            self._body.addWidget(part)
        self._early.side.setVisible(not self._narrow())
        self._body.keep(self._early.side, self._side_width, self._early.preview)
        rows.addWidget(self._early.header)
        rows.addWidget(self._body, 1)
        rows.addWidget(self._early.status)
        self.setCentralWidget(whole)
        whole.show()  # at once, also where the window is shown already
        setup.task.insertPlainText(self._typed)
        setup.task.setFocus()

    @property
    def setup(self) -> SetupColumn:
        """The set-up column. After `make_setup`."""
        assert self._setup is not None
        return self._setup

    def restore(self, place: WindowPlace) -> None:
        """Take the place of the last start, corrected by Qt where the screens have changed, and the chosen sizes.

        Before `make_setup`.
        """
        self.chosen_sizes.update(place.chosen())
        if place.geometry:
            from PySide6.QtCore import QByteArray  # slow to import: see widgets/controls.py

            self.restoreGeometry(QByteArray.fromBase64(place.geometry.encode("ascii", "ignore")))

    @property
    def place(self) -> WindowPlace:
        """For `restore`."""
        geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        return WindowPlace(geometry, {part.value: size for part, size in self.chosen_sizes.items()})

    def furnish(self) -> None:
        """Replace the placeholders with the panels. Once."""
        if self._setup is None:
            self.make_setup()
        for _ in self.prepare():
            pass
        rows = self._whole.layout()
        assert rows is not None
        self._early.give_way(rows, self.header, self.status)
        centre = self._make_centre()
        self._body.addWidget(centre)
        self._body.addWidget(self.side)
        self._body.keep(self.side, self._side_width, centre)
        self.dim = Dim(self._whole)
        self.dim.hide()
        self.preview_bar.drawer_pressed.connect(self._drawer_pressed)
        self.side.needed.connect(self.open_drawer)
        self._set_tab_order()
        from PySide6.QtGui import QIcon

        self.setWindowIcon(QIcon(str(resource_path("icons", "console.svg"))))
        self.setAcceptDrops(True)
        self._furnished = True
        self.setup.installEventFilter(self)
        self._arrange()

    def prepare(self) -> Iterator[None]:
        """Create the other panels, hidden. The window can repaint at each step of the iterator."""
        if self._prepared:
            return
        self._prepared = True
        from PySide6.QtWidgets import QProgressBar

        from operator_console.ui.panels.banner import Banner
        from operator_console.ui.panels.header import Header
        from operator_console.ui.panels.session_line import SessionLine
        from operator_console.ui.panels.status_line import StatusLine

        self.header = Header()
        self.line = SessionLine()
        self.line.hide()
        self.banner = Banner()
        self.progress = QProgressBar()
        self.progress.setProperty("role", "thin")
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 1)
        self.status = StatusLine()
        yield
        from operator_console.ui.panels.page_line import PageLine
        from operator_console.ui.preview.preview import Preview
        from operator_console.ui.preview.preview_bar import PreviewBar
        from operator_console.ui.preview.preview_notes import EmptyPreview, PreviewHint

        self.preview_bar = PreviewBar()
        self.page_line = PageLine()
        self.preview = Preview()
        self.empty = EmptyPreview(self.preview)
        self.hint = PreviewHint(self.preview)
        yield
        from operator_console.ui.panels.side_panel import SidePanel

        yield
        self.side = SidePanel()
        yield
        from operator_console.ui.inspector.inspector import Inspector
        from operator_console.ui.panels.playback import Transport

        yield
        self.inspector = Inspector()
        self.inspector.hide()
        self.transport = Transport()
        self.transport.hide()

    def _narrow(self) -> bool:
        beside = side_width(0) + (0 if self._setup is None or self._setup.isHidden() else self._setup.width())
        return self.width() < NARROW or self.width() - beside < LEAST_PREVIEW

    def _make_centre(self) -> QWidget:
        from operator_console.ui.widgets.controls import column
        from operator_console.ui.widgets.divider import Divider

        centre = QWidget()
        rows: QVBoxLayout = column(centre, spacing=0)
        for widget in (self.line, self.banner, self.preview_bar, self.page_line, self.progress):
            rows.addWidget(widget)
        self._split = split = Divider(self.chosen_sizes, Part.INSPECTOR, across=False)
        split.addWidget(self.preview)
        split.addWidget(self.inspector)
        split.keep(self.inspector, lambda: self.inspector.sizeHint().height(), self.preview)
        rows.addWidget(split, 1)
        rows.addWidget(self.transport)
        self.preview.zoomed.connect(self._zoomed)
        self.preview_bar.zoom_chosen.connect(self._zoom_chosen)
        self.preview.installEventFilter(self)
        return centre

    def _set_tab_order(self) -> None:
        setup, line, card = self.setup, self.line, self.side.card
        order: list[QWidget] = [
            setup.chooser.test, setup.refresh, setup.target, setup.chooser.point, setup.elements,
            setup.browser.address, setup.browser.place, setup.browser.sites, setup.machine.remove, setup.machine.field,
            setup.acts.settings, setup.acts.take, setup.acts.go_back,
            setup.programs.add, setup.programs.field,
            setup.task, *setup.segments,
            setup.model_settings, setup.model, setup.privacy, setup.change_key, setup.key, setup.tools.unfold,
            setup.max_steps, setup.max_minutes, setup.max_cost,
            setup.scope.suggest, setup.scope.apps, setup.scope.sites, setup.scope.unfold, setup.scope.only,
            setup.start,
            line.message, line.ahead, *line.autonomy.levels.values(),
            line.take_over, line.go_on, line.start, line.export, line.unfold,
            self.empty.act, self.hint.act,
            self.side.receipt.reset, self.side.receipt.word, card.info.rows[0].crop, card.editor.text,
            card.editor.x_field, card.editor.y_field, card.editor.end_x, card.editor.end_y, card.editor.cancel,
            *(row.crop for row in card.info.rows[1:]),
            card.feedback, card.skip_now, card.offer.box, card.approve, card.edit, card.skip,
            card.approve_next, card.many, self.side.timeline,
            *self.inspector.focus_order(), *self.transport.focus_order(), self.side.open_session,
            self.preview_bar.zoom, self.page_line.tabs, self.preview,
            self.header.settings, self.header.fold, self.header.pause, self.header.stop,
            self._split.grip, self._body.grip,
        ]  # fmt: skip
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)
        setup.tab_to_chosen()
        QWidget.setTabOrder(self.preview, self.header.menu)
        QWidget.setTabOrder(self.header.menu, self.header.settings)

    # display

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        for panel in (self.preview, self.side, self.status, self.inspector):
            panel.set_tokens(tokens)
        self.side.fit_text()
        self.header.fit_text()
        self._fit_setup()
        if self._furnished:
            self._arrange()

    def show_waiting(self, waiting: bool) -> None:
        """Show or stop the thin progress line; its space is always reserved, so that nothing moves."""
        self._waiting = waiting
        moves = waiting and not self._reduced_motion
        self.progress.setRange(0, 0 if moves else 1)
        self.progress.setValue(int(waiting and not moves))

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether nothing moves by itself: marks do not fade, and the progress line stands still."""
        self._reduced_motion = reduced
        self.preview.set_reduced_motion(reduced)
        self.show_waiting(self._waiting)

    def show_dim(self, dimmed: bool) -> None:
        """Shade the window behind a dialog."""
        self.dim.setGeometry(self._whole.rect())
        self.dim.setVisible(dimmed)
        self.dim.raise_()

    def come_forward_over_target(self, *, in_front: bool) -> None:
        """Come forward, without the keyboard, where the target has it and may lie over the console.

        Args:
            in_front: the target has the keyboard, as the last action left it. Else another program's window is left in
                front.
        """
        if in_front and not self.isActiveWindow() and not self.isMinimized():
            self.raise_()

    def open_drawer(self) -> None:
        """Show the right column if it is a drawer."""
        if self._drawer and not self._drawer_open:
            self._drawer_pressed()

    def really_close(self) -> None:
        """Close without asking."""
        self._closing = True
        self.close()

    # layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again: columns, and whether the right one is a drawer."""
        super().resizeEvent(event)
        if self._setup is not None:
            self._fit_setup()
        if self._furnished:
            self._arrange()

    def _fit_setup(self) -> None:
        self.setup.fit_text(self.width())
        self._body.apply()

    def _side_width(self) -> int:
        return side_width(self.width())

    def _arrange(self) -> None:
        drawer = self._narrow()
        if drawer != self._drawer:
            self._drawer = drawer
            if drawer:
                self._drawer_open = self._drawer_open or self.side.waits
                self.side.setParent(self._whole)
                self.side.setVisible(self._drawer_open)
            else:
                self._body.addWidget(self.side)
                self.side.show()
                self._body.apply()
                self.preview.set_covered(0)
            self.preview_bar.show_drawer(drawer, is_open=self._drawer_open)
        if drawer:
            self._place_drawer()
        self.dim.setGeometry(self._whole.rect())
        self.side.card.fit_height()

    def _place_drawer(self) -> None:
        body = self._body.geometry()
        top = self.preview.mapTo(self._whole, self.preview.rect().topLeft()).y()
        width = max(side_width(0), min(self._body.wanted, body.width() // 2))
        self.side.setGeometry(body.right() + 1 - width, top, width, max(200, body.bottom() + 1 - top))
        self.side.stackUnder(self.dim)
        self.preview.set_covered(min(width, self.preview.width()) if self._drawer_open else 0)

    def _drawer_pressed(self) -> None:
        self._drawer_open = not self._drawer_open
        self.side.setVisible(self._drawer_open)
        self.preview_bar.show_drawer(self._drawer, is_open=self._drawer_open)
        self._place_drawer()

    def _zoomed(self, zoom: Zoomed) -> None:
        self.preview_bar.show_zoom(zoom.scale, fitted=zoom.fitted)

    def _zoom_chosen(self, zoom: object) -> None:
        from operator_console.ui.preview.viewpoint import ZoomStep

        if isinstance(zoom, ZoomStep):
            self.preview.zoom(zoom)
        elif isinstance(zoom, float):
            self.preview.zoom_to(zoom)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the drawer aligned with the preview, and a drawer only while there is no room for the column."""
        if watched is self._setup:
            if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
                self._arrange()
        elif self._drawer and self._furnished and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place_drawer()
        return super().eventFilter(watched, event)

    # window events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Before there is a task field, keep what is typed; later, keys that nothing else uses work the replay."""
        if self._setup is None:
            self._typed += event.text() if event.text().isprintable() else ""
            return
        if not self._furnished and not event.isAutoRepeat():
            self.early_key.emit(event.keyCombination())
        if not (self._furnished and self.transport.isVisible() and self.transport.key(event)):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Emit `drawn` after the first complete paint."""
        super().paintEvent(event)
        if not self._drawn:
            self._drawn = True
            QTimer.singleShot(0, self.drawn.emit)

    def changeEvent(self, event: QEvent) -> None:
        """Emit `folded` when the window is minimised or restored."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.WindowStateChange:
            self.folded.emit(self.isMinimized())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Refuse to close and emit `close_wanted`."""
        if self._closing:
            event.accept()
            return
        event.ignore()
        self.close_wanted.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files; which of them can be opened is said when they are dropped."""
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit `files_dropped`."""
        paths = _dropped(event)
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)


def _dropped(event: QDropEvent) -> tuple[Path, ...]:
    return tuple(Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
