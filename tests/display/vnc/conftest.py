"""Machines over VNC: Xvnc, one for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from Xlib.protocol import display as protocol
from Xlib.protocol import event

from tests.display.rig.vnc_servers import password_file
from tests.display.vnc.machine import SECRET, Machine


@pytest.fixture(scope="session", autouse=True)
def event_classes_of_each_connection() -> Iterator[None]:
    """python-xlib keeps the numbers of extensions' events for all connections together. Xvnc has others than Xvfb."""
    begin = protocol.Display.__init__

    def begin_with_own(self: Any, *args: Any, **options: Any) -> None:
        self.event_classes = event.event_class.copy()
        begin(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol.Display, "__init__", begin_with_own)
        yield


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine without a password, American keyboard."""
    made = Machine(folder=tmp_path / "machine")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Machine]:
    """A machine with the password SECRET."""
    folder = tmp_path / "locked"
    folder.mkdir()
    options = ("-rfbauth", str(password_file(folder, SECRET)))
    made = Machine(folder=folder, security="VncAuth", options=options, password=SECRET)
    made.start()
    yield made
    made.stop()
