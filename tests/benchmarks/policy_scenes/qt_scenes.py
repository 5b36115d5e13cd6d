"""The Qt application of the scenes: shows one after another, as lines of JSON on stdin tell it.

Started by `applications.py`, not imported. Answers {"places": {...}} once a scene stands, and {"event": ...} for what
it receives: presses, releases, keys and drops.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QDrag, QIcon, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QTabBar,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

_ICONS = Path(__file__).parent / "icons"
_EVENTS = {
    QEvent.Type.MouseButtonPress: "press", QEvent.Type.MouseButtonRelease: "release", QEvent.Type.KeyPress: "key",
    QEvent.Type.Drop: "drop",
}  # fmt: skip


def say(data: dict[str, Any]) -> None:
    print(json.dumps(data), flush=True)


class Watch(QObject):
    """Tells every press, key and drop that any widget of the application gets."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        name = _EVENTS.get(event.type())
        if name is not None and isinstance(watched, QWidget):
            say({"event": name})
        return False


class Entries(QListWidget):
    """A list whose entries can be dragged."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragEnabled(True)
        self.setAcceptDrops(True)


class Trash(QLabel):
    """A place where something can be dropped."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setAcceptDrops(True)
        self.setFrameShape(QLabel.Shape.StyledPanel)

    def dragEnterEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        event.acceptProposedAction()

    def dropEvent(self, event: Any) -> None:  # noqa: N802 - Qt's name
        event.acceptProposedAction()


class Draggable(QLabel):
    """Something that can be dragged."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.buttons() & Qt.MouseButton.LeftButton:
            drag, data = QDrag(self), QMimeData()
            data.setText(self.text())
            drag.setMimeData(data)
            drag.exec(Qt.DropAction.MoveAction)


class Shower:
    """Shows the scenes."""

    def __init__(self) -> None:
        self.window: QWidget | None = None
        self.menu: QMenu | None = None
        self.places: dict[int, tuple[QWidget, Any]] = {}
        self.order: list[QWidget] = []
        self.two = False
        self.entries: Entries | None = None
        self.tree: QTreeWidget | None = None

    def show(self, scene: dict[str, Any]) -> None:
        former, self.places, self.order = self.window, {}, []
        if self.menu is not None:
            self.menu.close()
        self.menu = self.entries = self.tree = None
        self.two = any(item.get("target") == 2 for row in scene["rows"] for item in _all(row))
        dialog = scene["look"] == "dialog"
        self.window = window = QDialog() if dialog else QMainWindow()
        window.setWindowTitle(scene["title"])
        inner = window if dialog else QWidget()
        layout = QVBoxLayout(inner)
        for row in scene["rows"]:
            self._add_row(row, window, layout)
        if isinstance(window, QMainWindow):
            window.setCentralWidget(inner)
            window.resize(760, 480)
        window.move(180, 90)
        window.show()
        window.activateWindow()
        if former is not None:
            former.hide()
            former.deleteLater()
        self._focus(scene["focus"])
        QTimer.singleShot(120, self._popup)

    def _add_row(self, row: list[dict[str, Any]], window: QWidget, layout: QVBoxLayout) -> None:
        kind = row[0]["t"]
        if kind == "menu" and isinstance(window, QMainWindow):
            for item in row:
                menu = window.menuBar().addMenu(item["text"])
                menu.addAction("…")
                self._keep(item, window.menuBar(), menu.menuAction())
        elif kind == "entry":
            if self.menu is None:  # the entries of one menu may stand in several rows
                self.menu = QMenu(window)
            for item in row:
                self._keep(item, self.menu, self.menu.addAction(item["text"]))
        elif kind == "item" and not row[0].get("inner"):
            self._add_entry(row[0], layout)
        elif kind == "cells" and not any(cell["inner"] for cell in row[0]["cells"]):
            self._add_line(row[0]["cells"], layout)
        else:
            across = QHBoxLayout()
            for item in _all(row):
                self._add(item, across)
            across.addStretch(1)
            layout.addLayout(across)

    def _add_entry(self, item: dict[str, Any], layout: QVBoxLayout) -> None:
        if self.entries is None:
            self.entries = Entries()
            layout.addWidget(self.entries)
            self.order.append(self.entries)
        self.entries.addItem(item["text"])
        self._keep(item, self.entries, self.entries.item(self.entries.count() - 1))

    def _add_line(self, cells: list[dict[str, Any]], layout: QVBoxLayout) -> None:
        """The first line is the header of the table."""
        if self.tree is not None:
            line = QTreeWidgetItem([cell["text"] for cell in cells])
            self.tree.addTopLevelItem(line)
            for column, cell in enumerate(cells):
                self._keep(cell, self.tree, (line, column))
            return
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([cell["text"] for cell in cells])
        for column, cell in enumerate(cells):
            self._keep(cell, self.tree, ("header", column))
        layout.addWidget(self.tree)
        self.order.append(self.tree)

    def _popup(self) -> None:
        assert self.window is not None
        if self.menu is not None:
            self.menu.popup(self.window.mapToGlobal(QPoint(120, 90)))
        QTimer.singleShot(60, self._ready)

    def _ready(self) -> None:
        say({"places": {number: self._place(number) for number in self.places}})

    def _place(self, number: int) -> tuple[int, int, int, int]:
        widget, part = self.places[number]
        if part is None:
            at, size = widget.mapToGlobal(QPoint(0, 0)), widget.size()
            return at.x(), at.y(), size.width(), size.height()
        if isinstance(widget, QListWidget):
            box, shown = widget.visualItemRect(part), widget.viewport()
        elif isinstance(widget, QTreeWidget) and part[0] == "header":
            header = widget.header()
            at = header.mapToGlobal(QPoint(header.sectionViewportPosition(part[1]), 0))
            return at.x(), at.y(), header.sectionSize(part[1]), header.height()
        elif isinstance(widget, QTreeWidget):
            box = widget.visualRect(widget.indexFromItem(part[0], part[1]))
            shown = widget.viewport()
        elif isinstance(widget, QTabBar):
            box, shown = widget.tabRect(part), widget
        else:
            box, shown = widget.actionGeometry(part), widget  # type: ignore[attr-defined]
        at = shown.mapToGlobal(box.topLeft())
        return at.x(), at.y(), box.width(), box.height()

    def _keep(self, item: dict[str, Any], widget: QWidget, part: Any) -> None:
        if item.get("target"):
            self.places[item["target"]] = (widget, part)

    def _add(self, item: dict[str, Any], across: QHBoxLayout) -> None:
        made = self._made(item)
        if item["t"] == "field" and item["text"] and item["kind"] != "search":
            label = QLabel(item["text"])
            label.setBuddy(made)
            across.addWidget(label)
        across.addWidget(made)
        if made.focusPolicy() != Qt.FocusPolicy.NoFocus:
            self.order.append(made)
        self._keep(item, made, None if not isinstance(made, QTabBar) else 0)

    def _made(self, item: dict[str, Any]) -> QWidget:
        text = item.get("text", "")
        match item["t"]:
            case "button":
                button = QPushButton(text.replace("&", "&&"))
                button.setDefault(item["default"])
                button.setAutoDefault(item["default"])
                return button
            case "link":
                label = QLabel(f'<a href="x">{text}</a>')
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
                return label
            case "check" | "radio":
                box: QCheckBox | QRadioButton = QCheckBox(text) if item["t"] == "check" else QRadioButton(text)
                box.setChecked(item["on"])
                return box
            case "icon":
                tool = QToolButton()
                tool.setIcon(QIcon(str(_ICONS / f"{item['icon']}.svg")))
                tool.setFocusPolicy(Qt.FocusPolicy.TabFocus)
                if text:
                    tool.setToolTip(text)
                    tool.setAccessibleName(text)
                return tool
            case "field":
                return _field(item)
            case "tab":
                bar = QTabBar()
                bar.addTab(text)
                return bar
            case "heading" | "heading2":
                return QLabel(f"<b>{text}</b>")
            case _:
                label = (Trash if item.get("target") == 2 else Draggable if self.two else QLabel)(text)
                label.setWordWrap(len(text) > 60)
                if label.wordWrap():
                    label.setMinimumWidth(460)
                return label

    def _focus(self, what: str) -> None:
        target = self.places.get(1)
        if target is None or what == "none":
            return
        widget, part = target
        place = self.order.index(widget) if widget in self.order else -1
        if what == "before" and place > 0:
            self.order[place - 1].setFocus(Qt.FocusReason.OtherFocusReason)
        elif what == "target":
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
            if isinstance(widget, QListWidget):
                widget.setCurrentItem(part)
            elif isinstance(widget, QTreeWidget):
                widget.setCurrentItem(part[0])


def _field(item: dict[str, Any]) -> QWidget:
    if item["kind"] == "area":
        area = QPlainTextEdit(item["value"])
        area.setMinimumWidth(380)
        return area
    line = QLineEdit(item["value"])
    line.setMinimumWidth(220)
    if item["kind"] == "password":
        line.setEchoMode(QLineEdit.EchoMode.Password)
    if item["kind"] == "search":
        line.setPlaceholderText(item["text"])
    return line


def _all(row: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items of a row with those inside entries and cells."""
    found: list[dict[str, Any]] = []
    for item in row:
        if item["t"] == "cells":
            for cell in item["cells"]:
                found += cell["inner"] or [cell]
        elif item.get("inner"):
            found += item["inner"]
        elif item["t"] not in ("end", "separator"):
            found.append(item)
    return found


def main() -> int:
    app = QApplication([sys.argv[1], *sys.argv[2:]])
    app.setApplicationName(sys.argv[1])
    app.setQuitOnLastWindowClosed(False)
    watch, shower = Watch(), Shower()
    app.installEventFilter(watch)

    def read() -> None:
        line = sys.stdin.readline()
        if not line:
            app.quit()
            return
        shower.show(json.loads(line))

    notifier = QSocketNotifier(0, QSocketNotifier.Type.Read)
    notifier.activated.connect(read)
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
