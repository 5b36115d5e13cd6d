"""PySide6 6.12.0 on Python 3.11 loses a reference to True at each Signal.emit() and soon aborts the process.

pyproject.toml pins it away; this would see it come back, there or in a later release.
"""

from __future__ import annotations

import os
import subprocess
import sys

_EMIT = """
from PySide6.QtCore import QCoreApplication, QObject, Signal

class Source(QObject):
    happened = Signal(object)

class Sink(QObject):
    count = 0
    def take(self, value):
        self.count += 1

app = QCoreApplication([])
source, sink = Source(), Sink()
source.happened.connect(sink.take)
before = __import__("sys").getrefcount(True)
for number in range(20_000):
    source.happened.emit(number)
lost = before - __import__("sys").getrefcount(True)
print(sink.count, abs(lost) < 1_000)
"""


def test_thousands_of_signals_do_no_harm() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _EMIT], capture_output=True, text=True, env=dict(os.environ), timeout=100
    )
    assert done.returncode == 0, f"Qt's process ended with {done.returncode}: {done.stderr[-500:]}"
    assert done.stdout.split() == ["20000", "True"]
