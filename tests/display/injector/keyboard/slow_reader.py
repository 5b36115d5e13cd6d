"""A Qt window that takes 2 ms for each key, and writes a character to a file for each one that it has handled.

Enter closes it.

`python slow_reader.py FILE`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

_KEY_S = 0.002


class _Reader(QWidget):
    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file.open("w", buffering=1, encoding="utf-8")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's own name
        time.sleep(_KEY_S)
        if event.key() == Qt.Key.Key_Return:
            self.close()
            return
        self._file.write(event.text())
        self._file.flush()


def main(file: Path) -> int:
    """Show the window until it is closed."""
    app = QApplication(sys.argv[:1])
    window = _Reader(file)
    window.setWindowTitle("Slow reader")
    window.resize(400, 80)
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
