"""One QApplication for the tests of the window's beginning, offscreen."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication


@pytest.fixture
def app() -> Iterator[QApplication]:
    """The one application of this test process; what a test deleted later is gone afterwards."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    found = QApplication.instance()
    made = found if isinstance(found, QApplication) else QApplication(["tests"])
    made.setQuitOnLastWindowClosed(False)
    gc.freeze()  # see tests/ui/conftest.py
    yield made
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
