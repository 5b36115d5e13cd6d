"""The live picture of a target for the preview: grabbed when something was painted, up to 60 times a second.

The same eye and the same capture path as the model's, on a thread and a connection of its own, so that neither waits
for the other. Nothing is grabbed while nothing changes. Called by app.py for the window's preview.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from collections.abc import Callable, Iterator

from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.computers.succession import Succession
from operator_console.desktop.x11.damage import DamageWatch
from operator_console.desktop.x11.display import losing
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds

LEAST_GAP_S = 1 / 60
_POLL_S = 0.1  # without XDamage
_RETRY_S = 0.5  # while the target cannot be seen
_LOOK_AGAIN_S = 1.0  # without any event: whether the target is still there, and under which title
_FOR_GOOD = frozenset({UnavailableReason.GONE, UnavailableReason.NO_DISPLAY})

SomeEye = MonitorEye | WindowEye
OnFrame = Callable[[Frame], None]
OnLost = Callable[[ConsoleError], None]

_log = logging.getLogger(__name__)


class LiveSource:
    """Frames of one target, handed to callbacks in this source's own thread.

    `on_frame(Frame)`: whenever the picture may have changed. `on_lost(ConsoleError)`: once when the target cannot be
    seen (minimised, gone ...); frames go on when it can be seen again. A gone target ends the source.
    `on_same(Frame)`: it was looked at again, about once a second, and the picture is still the same.
    """

    def __init__(self, make_eye: Callable[[], SomeEye]) -> None:
        self._make_eye = make_eye
        self._thread: threading.Thread | None = None
        self._wake_fd, self._bell = -1, -1
        self._stopping = False
        self._on_same: OnFrame | None = None

    def start(self, on_frame: OnFrame, on_lost: OnLost, on_same: OnFrame | None = None) -> None:
        """Begin. The callbacks must be quick and must not raise."""
        assert self._thread is None, "a source starts once"
        self._on_same = on_same
        self._wake_fd, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, args=(on_frame, on_lost), name="live", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it and wait for its thread (some milliseconds); afterwards no callback comes. Twice is once."""
        if self._thread is None or self._stopping:
            return
        self._stopping = True
        os.write(self._bell, b"!")
        if self._thread is not threading.current_thread():
            self._thread.join()
            os.close(self._wake_fd)
            os.close(self._bell)

    def _run(self, on_frame: OnFrame, on_lost: OnLost) -> None:
        try:
            eye = self._make_eye()
        except ConsoleError as error:
            on_lost(error)
            return
        try:
            self._look(eye, on_frame, on_lost)
        except ConsoleError as error:
            on_lost(error)
        except Exception:  # noqa: BLE001
            # A supervisor: the preview may fail, the session must not.
            _log.exception("the live picture stopped")
            on_lost(ConsoleError("The live picture stopped.", remedy="Choose the target again."))
        finally:
            eye.close()

    def _look(self, eye: SomeEye, on_frame: OnFrame, on_lost: OnLost) -> None:
        said = False
        while not self._stopping:
            try:
                with losing(eye.display):
                    for frame in self._frames(eye):
                        said = False
                        on_frame(frame)
            except ComputerUnavailable as error:
                if error.reason in _FOR_GOOD:
                    raise
                if not said:
                    on_lost(error)
                said = True
                self._idle(_RETRY_S)

    def _frames(self, eye: SomeEye) -> Iterator[Frame]:
        """Frames while the target can be seen, each time the picture changed."""
        watch, needs, last_id = eye.watch(), ImageNeeds(), ""
        row = Succession(eye, watch)
        try:
            while not self._stopping:
                version, began = eye.capture.scene.version, time.monotonic()
                frame = row.next(needs)
                if frame.frame_id != last_id:
                    last_id = frame.frame_id
                    yield frame
                elif self._on_same is not None:
                    self._on_same(frame)
                self._idle(LEAST_GAP_S - (time.monotonic() - began))
                self._await_change(eye, watch, version)
        finally:
            watch.close()

    def _await_change(self, eye: SomeEye, watch: DamageWatch, version: int) -> None:
        if not watch.available:
            self._idle(_POLL_S)
            return
        deadline = time.monotonic() + _LOOK_AGAIN_S
        eye.display.pump()
        while not (self._stopping or watch.pending or eye.capture.scene.version != version):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            eye.display.wait(left, also=self._wake_fd)

    def _idle(self, seconds: float) -> None:
        if seconds > 0:
            select.select([self._wake_fd], [], [], seconds)
