"""A Qt window of one button: `wizard_window.py TITLE NAME FILE X Y`. Each press adds a line to FILE. Not imported."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget


def main() -> int:
    title, name, file, x, y = sys.argv[1:]
    app = QApplication(sys.argv)
    window = QWidget()
    window.setWindowTitle(title)
    push = QPushButton(name)
    push.setMinimumSize(160, 60)

    def pressed() -> None:
        with Path(file).open("a", encoding="utf-8") as written:
            written.write(f"{title}\n")

    push.clicked.connect(pressed)
    QVBoxLayout(window).addWidget(push)
    window.setGeometry(int(x), int(y), 260, 140)
    window.show()
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
