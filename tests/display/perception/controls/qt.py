"""A Qt window with controls, and their places as Qt has them: `qt.py PySide6|PyQt5 FILE`. Not imported by tests.

FILE gets a JSON list of role, name and box (x, y, width, height from the window's content).
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

BINDINGS = sys.argv[1]
QtCore: Any = importlib.import_module(f"{BINDINGS}.QtCore")
QtWidgets: Any = importlib.import_module(f"{BINDINGS}.QtWidgets")

TRUTH: list[tuple[str, str, Any]] = []
PAGES: list[Any] = []


def told(role: str, name: str, widget: Any) -> Any:
    TRUTH.append((role, name, widget))
    return widget


def row(column: Any, *widgets: Any) -> None:
    made = QtWidgets.QHBoxLayout()
    made.setSpacing(12)
    for widget in widgets:
        made.addWidget(widget)
    made.addStretch()
    column.addLayout(made)


def window() -> Any:
    made = QtWidgets.QWidget()
    made.setWindowTitle(f"Controls of {BINDINGS}")
    made.resize(520, 580)
    column = QtWidgets.QVBoxLayout(made)
    column.setSpacing(14)
    row(
        column,
        *(told("button", name, QtWidgets.QPushButton(name)) for name in ("Save", "Delete everything", "Send to all")),
    )
    label, field, secret = (
        QtWidgets.QLabel("Recipient"),
        QtWidgets.QLineEdit("ada"),
        QtWidgets.QLineEdit("hidden words"),
    )
    label.setBuddy(field)
    secret.setEchoMode(QtWidgets.QLineEdit.EchoMode.Password)
    secret.setAccessibleName("Key")
    row(column, told("label", "Recipient", label), told("text field", "Recipient", field))
    row(
        column,
        told("password field", "Key", secret),
        told("check box", "Remember me", QtWidgets.QCheckBox("Remember me")),
    )
    dead = QtWidgets.QPushButton("Unavailable")
    dead.setEnabled(False)
    choice = QtWidgets.QComboBox()
    choice.addItems(["by post", "by mail"])
    row(column, told("button", "Unavailable", dead), told("combo box", "by post", choice))
    group = QtWidgets.QGroupBox("Delivery")
    inside = QtWidgets.QVBoxLayout(group)
    row(inside, told("radio button", "Today", QtWidgets.QRadioButton("Today")))
    row(inside, told("radio button", "Tomorrow", QtWidgets.QRadioButton("Tomorrow")))
    column.addWidget(group)
    slider = QtWidgets.QSlider()
    slider.setAccessibleName("Loudness")
    row(column, told("slider", "Loudness", slider))
    pages = QtWidgets.QTabWidget()
    hidden = QtWidgets.QListWidget()
    hidden.addItems(["folded away"])
    pages.addTab(told("button", "Pay 25 euros", QtWidgets.QPushButton("Pay 25 euros")), "Payment")
    pages.addTab(hidden, "History")
    column.addWidget(pages)
    PAGES.append(pages.tabBar())
    column.addWidget(scrolled())
    column.addWidget(told("label", "Nothing was saved yet", QtWidgets.QLabel("Nothing was saved yet")))
    return made


def scrolled() -> Any:
    """A list of which only the first two rows can be seen."""
    area, inside = QtWidgets.QScrollArea(), QtWidgets.QWidget()
    rows = QtWidgets.QVBoxLayout(inside)
    rows.setSpacing(0)
    rows.setContentsMargins(0, 0, 0, 0)
    for number in range(1, 9):
        button = QtWidgets.QPushButton(f"Row {number}")
        button.setFixedHeight(30)
        rows.addWidget(told("button", f"Row {number}", button) if number < 3 else button)
    area.setWidget(inside)
    area.setFixedHeight(60 + 2 * area.frameWidth())
    TRUTH.append(("scroll bar", "", area.verticalScrollBar()))
    return area


def truth(top: Any) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for role, name, widget in TRUTH:
        at = widget.mapTo(top, QtCore.QPoint(0, 0))
        found.append({"role": role, "name": name, "box": [at.x(), at.y(), widget.width(), widget.height()]})
    for bar in PAGES:
        at = bar.mapTo(top, QtCore.QPoint(0, 0))
        for index in range(bar.count()):
            box = bar.tabRect(index).translated(at)
            rect = [box.x(), box.y(), box.width(), box.height()]
            found.append({"role": "tab", "name": bar.tabText(index), "box": rect})
    return found


def main() -> int:
    app = QtWidgets.QApplication(sys.argv)
    top = window()
    top.show()
    file = Path(sys.argv[2])

    def write() -> None:
        part = file.with_suffix(".part")
        part.write_text(json.dumps(truth(top)))
        part.replace(file)

    QtCore.QTimer.singleShot(300, write)
    return int(app.exec_() if BINDINGS == "PyQt5" else app.exec())


if __name__ == "__main__":
    raise SystemExit(main())
