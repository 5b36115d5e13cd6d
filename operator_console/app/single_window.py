"""One window a display: a second start hands its file to the first, which comes forward, and ends.

The first start holds a lock for as long as it lives, so nothing that a killed one left behind can keep a later one from
starting. It listens on a Unix socket in the run folder (0600, same user) for JSON lines, one for each later start.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from operator_console.domain.display_names import display_key
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.private_files import lock_file, make_private_folder

WAIT_S = 20.0
"""How long the first start may take until it listens, or until it has ended if it is closing."""
ANSWER_S = 5.0
RETRY_S = 0.05


class WindowClaim:
    """The right to be the one window of a display, from `claim_window` until `release`."""

    def __init__(self, descriptor: int | None, socket_path: Path) -> None:
        self._descriptor = descriptor
        self._socket_path = socket_path

    @property
    def socket_path(self) -> Path | None:
        """Where to listen for later starts; None where that is not possible."""
        return self._socket_path if self._descriptor is not None else None

    def release(self) -> None:
        """Another start may open a window from now on."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def claim_window(run: Path, display: str, record: Path | None, *, practice: bool) -> WindowClaim | None:
    """Claim a display's window; None: another process has it, came forward, and opens `record` or the practice window.

    Blocks while another start is still opening or closing its window.

    Raises:
        OperatorError: The other process does not answer.
    """
    lock = run / f"{display_key(display)}.window"
    listening = run / f"{display_key(display)}.window.sock"
    if sys.platform != "linux":  # the guard's sockets are Linux's, too
        return WindowClaim(None, listening)
    deadline_s = time.monotonic() + WAIT_S
    while time.monotonic() < deadline_s:
        try:
            make_private_folder(run)
            descriptor = lock_file(lock)
        except OSError:  # starting the guard reports it
            return WindowClaim(None, listening)
        if descriptor is not None:
            return WindowClaim(descriptor, listening)
        from operator_console.app.window_requests import ask_for_window

        if ask_for_window(listening, record, practice=practice, timeout_s=ANSWER_S):
            return None
        time.sleep(RETRY_S)
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    raise OperatorError(
        notice(NoticeCode.WINDOW_DOES_NOT_ANSWER),
        remedy=notice(NoticeCode.CLOSE_OR_END_OTHER_WINDOW),
        exit_code=ExitCode.REFUSED,
    )
