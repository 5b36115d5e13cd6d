"""A small Qt window with which the rig's accessibility client is tested; run as a program, not imported."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)


def main() -> int:
    app = QApplication(sys.argv)
    window = QWidget()
    window.setWindowTitle("Sample")
    form = QFormLayout(window)
    line = QLineEdit()
    line.setAccessibleName("Task")
    target = QComboBox()
    target.addItems(["first", "second"])
    target_label = QLabel("Target")
    target_label.setBuddy(target)
    group = QGroupBox("Autonomy")
    row = QHBoxLayout(group)
    for name in ("Observe", "Step"):
        row.addWidget(QRadioButton(name))
    result = QLabel("nothing yet")
    result.setObjectName("result")
    button = QPushButton("Start")
    button.clicked.connect(lambda: result.setText(f"started {line.text()}"))
    form.addRow("Task text", line)
    form.addRow(target_label, target)
    form.addRow(group)
    form.addRow(button)
    form.addRow(result)
    window.show()
    return app.exec()


if __name__ == "__main__":
    raise SystemExit(main())
