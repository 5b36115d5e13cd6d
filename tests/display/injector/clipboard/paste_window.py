"""A Qt window in a process of its own that receives typed text, and reads the clipboard only when told to.

`python paste_window.py FILE ASK`. FILE: what it got, as JSON, at each change. ASK: it asks when this file comes, and
takes the file away.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget


class Window(QWidget):
    def __init__(self, file: Path, ask: Path) -> None:
        super().__init__()
        self._file, self._ask = file, ask
        self._got: dict[str, str | int | None] = {"typed": "", "told": 0, "asked": 0, "pasted": None}
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._timer.start(20)
        self.setWindowTitle("Own paste")
        self.resize(500, 200)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._got["told"] = int(self._got["told"] or 0) + (event.key() == Qt.Key.Key_V)
        else:
            self._got["typed"] = f"{self._got['typed']}{event.text()}"
        self._keep()

    def _look(self) -> None:
        if self._ask.exists():
            self._ask.unlink()
            self._got["asked"] = int(self._got["asked"] or 0) + 1
            self._got["pasted"] = QApplication.clipboard().text()
            self._keep()

    def _keep(self) -> None:
        draft = self._file.with_suffix(".new")
        draft.write_text(json.dumps(self._got), encoding="utf-8")
        draft.replace(self._file)


def main(file: Path, ask: Path) -> int:
    """Show the window until it is closed."""
    app = QApplication(sys.argv[:1])
    window = Window(file, ask)
    window._keep()
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
