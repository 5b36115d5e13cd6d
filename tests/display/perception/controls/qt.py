"""A Qt window with controls, and their places as Qt has them: `qt.py FILE`. Not imported by tests.

FILE gets a JSON list of role, name and box (x, y, width, height from the window's content).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QRadioButton,
    QSlider,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

TRUTH: list[tuple[str, str, QWidget]] = []


def told(role: str, name: str, widget: QWidget) -> QWidget:
    TRUTH.append((role, name, widget))
    return widget


def row(column: QVBoxLayout, *widgets: QWidget) -> None:
    made = QHBoxLayout()
    made.setSpacing(12)
    for widget in widgets:
        made.addWidget(widget)
    made.addStretch()
    column.addLayout(made)


def window() -> QWidget:
    made = QWidget()
    made.setWindowTitle("Controls of Qt")
    made.resize(520, 460)
    column = QVBoxLayout(made)
    column.setSpacing(14)
    row(column, *(told("button", name, QPushButton(name)) for name in ("Save", "Delete everything", "Send to all")))
    label, field, secret = QLabel("Recipient"), QLineEdit("ada"), QLineEdit("hidden words")
    label.setBuddy(field)
    secret.setEchoMode(QLineEdit.EchoMode.Password)
    secret.setAccessibleName("Key")
    row(column, told("label", "Recipient", label), told("text field", "Recipient", field))
    row(column, told("password field", "Key", secret), told("check box", "Remember me", QCheckBox("Remember me")))
    dead = QPushButton("Unavailable")
    dead.setEnabled(False)
    choice = QComboBox()
    choice.addItems(["by post", "by mail"])
    row(column, told("button", "Unavailable", dead), told("combo box", "by post", choice))
    group = QGroupBox("Delivery")
    inside = QVBoxLayout(group)
    row(inside, told("radio button", "Today", QRadioButton("Today")))
    row(inside, told("radio button", "Tomorrow", QRadioButton("Tomorrow")))
    column.addWidget(group)
    slider = QSlider()
    slider.setAccessibleName("Loudness")
    row(column, told("slider", "Loudness", slider))
    pages = QTabWidget()
    hidden = QListWidget()
    hidden.addItems(["folded away"])
    pages.addTab(told("button", "Pay 25 euros", QPushButton("Pay 25 euros")), "Payment")
    pages.addTab(hidden, "History")
    column.addWidget(pages)
    column.addWidget(told("label", "Nothing was saved yet", QLabel("Nothing was saved yet")))
    return made


def truth(top: QWidget) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for role, name, widget in TRUTH:
        at = widget.mapTo(top, QPoint(0, 0))
        found.append({"role": role, "name": name, "box": [at.x(), at.y(), widget.width(), widget.height()]})
    return found


def main() -> int:
    app = QApplication(sys.argv)
    top = window()
    top.show()
    file = Path(sys.argv[1])

    def write() -> None:
        part = file.with_suffix(".part")
        part.write_text(json.dumps(truth(top)))
        part.replace(file)

    QTimer.singleShot(300, write)
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
