"""A Qt window that writes down what it received: `qt.py FILE`. Not imported by tests.

FILE gets a JSON line for each press, tick, choice and text. SIGUSR1 gives the first button another name, SIGUSR2
moves it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

COUNTRIES = ("Iceland", "Norway", "Sweden")


def log(what: str, value: str) -> None:
    with Path(sys.argv[1]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([what, value]) + "\n")


def ask(window: QWidget) -> None:
    """A dialog in an event loop of its own: the press is not over before it is closed."""
    log("pressed", "Ask first")
    QMessageBox.question(window, "A question", "Really?")


def main() -> int:
    app = QApplication(sys.argv)
    window = QWidget()
    window.setWindowTitle(f"Elements of Qt {os.getpid()}")  # no two look the same
    window.resize(420, 420)
    column = QVBoxLayout(window)
    first, pay, question = QPushButton("Save draft"), QPushButton("Pay 25 euros"), QPushButton("Ask first")
    first.clicked.connect(lambda: log("pressed", first.text()))
    pay.clicked.connect(lambda: log("pressed", pay.text()))
    question.clicked.connect(lambda: ask(window))
    tick = QCheckBox("Remember me")
    tick.toggled.connect(lambda on: log("ticked", str(on)))
    countries, cities = QComboBox(), QListWidget()
    countries.addItems(COUNTRIES)
    countries.setAccessibleName("Country")
    countries.currentTextChanged.connect(lambda text: log("chosen", text))
    cities.addItems(["Bergen", "Oslo", "Tromsø"])
    cities.setAccessibleName("City")
    cities.itemSelectionChanged.connect(lambda: log("city", cities.selectedItems()[0].text()))
    note = QLineEdit()
    note.setAccessibleName("Note")
    note.textChanged.connect(lambda text: log("typed", text))
    for widget in (first, pay, question, tick, countries, cities, note):
        column.addWidget(widget)
    signal.signal(signal.SIGUSR1, lambda *_: first.setText("Delete everything"))
    signal.signal(signal.SIGUSR2, lambda *_: column.insertSpacing(0, 40))
    timer = QTimer()
    timer.timeout.connect(lambda: None)  # signals are handled only while Python runs
    timer.start(50)
    window.show()
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
