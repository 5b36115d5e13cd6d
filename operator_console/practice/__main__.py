"""`python -m operator_console.practice --log FILE`: the practice window in a process of its own.

With --follow it ends when its standard input does, that is, with whoever started it.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from pathlib import Path


def main() -> int:
    """Show the window until it is closed."""
    parser = argparse.ArgumentParser(prog="operator_console.practice", description="A window to practise on.")
    parser.add_argument("--log", type=Path, required=True, help="the file that gets a line for everything done here")
    parser.add_argument("--ambiguous", action="store_true", help="two buttons that say Save")
    parser.add_argument("--follow", action="store_true", help="end when standard input ends")
    options = parser.parse_args()

    from PySide6.QtWidgets import QApplication

    from operator_console.practice.log import PracticeLog
    from operator_console.practice.window import PracticeWindow

    try:
        log = PracticeLog(options.log)
    except OSError as error:
        print(f"The practice log cannot be written: {error}. Choose another --log.", file=sys.stderr)
        return 2
    application = QApplication(["plant-diary"])
    application.setApplicationName("plant-diary")  # no name of the console's: what names the console is asked about
    application.setStyle("Fusion")
    window = PracticeWindow(log, ambiguous=options.ambiguous)
    window.show()
    if options.follow:
        threading.Thread(target=_end_with_stdin, name="follow", daemon=True).start()
    return application.exec()


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
