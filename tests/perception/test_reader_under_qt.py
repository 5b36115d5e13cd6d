"""`OcrReader` on the event loop of the window (qasync): its process starts, is replaced after a kill, and ends."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import asyncio, os, signal, sys
import qasync
from PySide6.QtCore import QCoreApplication
from operator_console.perception.picture_reader import OcrReader
from tests.perception.drawing import frame, picture

async def main():
    if watcher is not None:
        watcher.attach_loop(asyncio.get_running_loop())
    reader = OcrReader()
    seen = frame(picture([("Save", 20, 20), ("Cancel", 120, 20)]))
    print([box.text for box in await reader.read(seen)])
    os.kill(reader._process.pid, signal.SIGKILL)
    other = frame(picture([("Open", 20, 20)]))
    print([box.text for box in await reader.read(other)])
    await reader.close()

watcher = None
if sys.version_info < (3, 12):
    # The default watcher waits in a thread that can outlive Qt and crash at exit.
    watcher = asyncio.PidfdChildWatcher()
    asyncio.set_child_watcher(watcher)
application = QCoreApplication([])
with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(application)) as runner:
    runner.run(main())
"""


def test_reading_works_on_the_qt_event_loop() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["['Save', 'Cancel']", "['Open']"]
    assert "Traceback" not in done.stderr
