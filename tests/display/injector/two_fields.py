"""A Qt window in a process of its own with two fields side by side. Writes both to a JSON file at each change.

`python two_fields.py FILE`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QWidget


def main(file: Path) -> int:
    """Show the fields until the window is closed."""
    app = QApplication(sys.argv[:1])
    window = QWidget()
    row = QHBoxLayout(window)
    fields = [QLineEdit(), QLineEdit()]

    def keep() -> None:
        draft = file.with_suffix(".new")
        draft.write_text(json.dumps([field.text() for field in fields]), encoding="utf-8")
        draft.replace(file)

    for field in fields:
        row.addWidget(field)
        field.textChanged.connect(keep)
    window.setWindowTitle("Two fields")
    window.resize(1000, 80)
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
