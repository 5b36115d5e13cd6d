"""A Qt window that shares the clipboard as viewers do, and writes what its machine would paste.

`python sharing_viewer.py FILE at-once|when-pasted`: when something is copied, it fetches the text as viewers of VNC do,
or asks for the formats alone as those of SPICE do. At Ctrl+V it writes to FILE what it has fetched, or fetches it then.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget


class Viewer(QWidget):
    def __init__(self, file: Path, *, at_once: bool) -> None:
        super().__init__()
        self._file, self._at_once = file, at_once
        self._fetched = ""
        self._clipboard = QApplication.clipboard()
        self._clipboard.dataChanged.connect(self._look)
        self.setWindowTitle("Sharing viewer")
        self.resize(500, 200)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  Qt's name
        if event.key() == Qt.Key.Key_V and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            draft = self._file.with_suffix(".draft")
            draft.write_text(self._fetched if self._at_once else self._clipboard.text(), encoding="utf-8")
            draft.rename(self._file)  # whoever waits for the file finds all of it

    def _look(self) -> None:
        if self._at_once:
            self._fetched = self._clipboard.text()
        else:
            self._clipboard.mimeData().formats()


def main(file: Path, *, at_once: bool) -> int:
    """Show the window until it is closed."""
    app = QApplication(sys.argv[:1])
    viewer = Viewer(file, at_once=at_once)
    viewer.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), at_once=sys.argv[2] == "at-once"))
