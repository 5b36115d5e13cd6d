"""A Qt window in a process of its own with one field, whose contents it writes to a file at each change.

`python qt_fields.py KIND FILE`, KIND is `line` or `text`. Enter in the line is written as ⏎ after the text.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit


def main(kind: str, file: Path) -> int:
    """Show the field until the window is closed."""
    app = QApplication(sys.argv[:1])
    field: QLineEdit | QPlainTextEdit = QLineEdit() if kind == "line" else QPlainTextEdit()

    def keep(after: str) -> None:
        text = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        file.write_text(text + after, encoding="utf-8")

    field.textChanged.connect(lambda: keep(""))
    if isinstance(field, QLineEdit):
        field.returnPressed.connect(lambda: keep("⏎"))
    field.setWindowTitle(f"Qt {kind}")
    field.resize(700, 60 if kind == "line" else 300)
    field.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
