"""`python -m operator_console.practice --log FILE`: the practice window in its own process, or that of the marks.

With --follow the process ends when its standard input closes, and so with its parent.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path


def main() -> int:
    """Show the window until it is closed. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="operator_console.practice", description="A practice window for the console.")
    parser.add_argument("--log", type=Path, required=True, help="log file; one JSON line for each input")
    parser.add_argument("--ambiguous", action="store_true", help="show two buttons labelled Save")
    parser.add_argument("--follow", action="store_true", help="end when standard input closes")
    parser.add_argument(
        "--at", type=int, nargs=4, metavar=("X", "Y", "WIDTH", "HEIGHT"), help="its place on the screen"
    )
    parser.add_argument("--fill", action="store_true", help="cover the whole screen, without a frame")
    parser.add_argument("--marks", action="store_true", help="show the marks of a target's Test instead")
    options = parser.parse_args()

    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    from operator_console.practice.event_log import PracticeLog
    from operator_console.practice.marks_window import MarksWindow
    from operator_console.practice.window import PracticeWindow

    try:
        log = PracticeLog(options.log)
    except OSError as error:
        print(f"Cannot write the practice log: {error}. Choose another file with --log.", file=sys.stderr)
        return 2
    application = QApplication(["plant-diary"])
    # Not the console's name: policy asks about every action on a window with that name.
    application.setApplicationName("target-test" if options.marks else "plant-diary")
    application.setStyle("Fusion")
    window = MarksWindow(log) if options.marks else PracticeWindow(log, ambiguous=options.ambiguous)
    if options.fill:
        window.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        window.setGeometry(window.screen().geometry())
    elif options.at is not None:
        window.setGeometry(*options.at)
    window.show()
    if options.follow:
        threading.Thread(target=_end_with_stdin, name="follow", daemon=True).start()
    return application.exec()


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
