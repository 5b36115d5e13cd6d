"""Restarts a browser that was open before accessibility came on, so that it tells its controls.

Nothing is killed. The window is asked to close, as its own button does: a page with unsaved input asks then, and the
browser stays open. Only what is opened again by the browser itself is restarted: one window of a Chromium.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import shlex
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from operator_console.desktop.platform import open_display
from operator_console.desktop.protocols import Desktop
from operator_console.desktop.values import Window
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import OperatorError
from operator_console.domain.translations import _

_CHROMIUM = frozenset((
    "brave", "chrome", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
    "msedge", "opera", "vivaldi", "vivaldi-bin",
))  # fmt: skip
"""The executables of Chromium and of browsers made of it, as their packages for Linux name them."""
_TELLS_CONTROLS, _RESTORES = "--force-renderer-accessibility", "--restore-last-session"
"""Chromium's command line (content_switches.cc, chrome_switches.cc)."""
_FORGETS = frozenset(("--incognito", "--guest", "--app", "--headless"))
"""With these, windows are not opened again."""
_CLOSES_WITHIN_S, _OPENS_WITHIN_S = 15.0, 15.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningProgram:
    """A program as it was started.

    Attributes:
        arguments: its command line. A Chromium shows it as one text: that is taken apart at its options.
        folder: where it works.
    """

    pid: int
    arguments: tuple[str, ...]
    folder: str

    @classmethod
    def of(cls, pid: int, proc: Path = Path("/proc")) -> RunningProgram | None:
        """What a process runs; None where that cannot be read."""
        process = proc / str(pid)
        try:
            arguments = _words(process / "cmdline")
            folder = str((process / "cwd").readlink())
        except OSError:
            return None
        if not arguments:
            return None
        if len(arguments) == 1:
            arguments = _options(arguments[0])
        return cls(pid=pid, arguments=arguments, folder=folder)

    @property
    def is_chromium(self) -> bool:
        """Whether it is a Chromium."""
        return Path(self.arguments[0]).name in _CHROMIUM

    @property
    def again(self) -> tuple[str, ...]:
        """The command line that starts it again, so that it tells its controls. A Chromium opens its pages again by
        itself."""
        if not self.is_chromium:
            return self.arguments
        name, *others = self.arguments
        kept = [each for each in others if each.startswith("-") and each not in (_TELLS_CONTROLS, _RESTORES)]
        return (name, _TELLS_CONTROLS, _RESTORES, *kept)

    @property
    def command(self) -> str:
        """The same for a terminal."""
        return shlex.join(self.again)

    @property
    def is_whole(self) -> bool:
        """Whether it is certain where each option ends: several words are the value of one, and no address."""
        parts = (each.partition(" ") for each in self.arguments)
        return all(not rest or ("=" in first and "://" not in rest) for first, _space, rest in parts)

    def may_be_restarted(self, windows: Sequence[Window]) -> bool:
        """Whether a restart loses nothing. `windows`: all that there are."""
        if not self.is_chromium or not self.is_whole:
            return False
        if any(each.partition("=")[0] in _FORGETS for each in self.arguments):
            return False
        return sum(window.pid == self.pid for window in windows) == 1


def restart_command(pid: int) -> str:
    """The command for a terminal that starts a program again so that it tells its controls; "" if not known."""
    running = RunningProgram.of(pid)
    return running.command if running is not None else ""


def may_be_restarted(pid: int, display: str = "") -> bool:
    """Whether `restart` may be offered. Blocks."""
    running = RunningProgram.of(pid)
    if running is None:
        return False
    with contextlib.closing(open_display(display or None)) as desktop:
        return running.may_be_restarted(desktop.all_windows())


def restart(pid: int, display: str = "") -> None:
    """Ask a browser's window to close, wait for the end of its process, and start it again. Blocks.

    Raises:
        OperatorError: it may not be restarted, or did not close; nothing was started then.
    """
    running = RunningProgram.of(pid)
    with contextlib.closing(open_display(display or None)) as desktop:
        windows = desktop.all_windows()
        if running is None or not running.may_be_restarted(windows):
            raise OperatorError(
                _("The browser cannot be restarted from here."),
                remedy=_("Close it, and start it again with the command."),
            )
        ending = os.pidfd_open(pid)
        try:
            desktop.ask_to_close(next(window for window in windows if window.pid == pid))
            ended, _writable, _failed = select.select([ending], [], [], _CLOSES_WITHIN_S)
        finally:
            os.close(ending)
        if not ended:
            raise OperatorError(
                _("The browser did not close."),
                remedy=_("It may ask something. Answer it, then start it again with: {command}").format(
                    command=running.command
                ),
            )
        # A Chromium writes its title over its own variables, so that they cannot be read.
        environment = {**without_keys(os.environ), **({"DISPLAY": display} if display else {})}
        child = subprocess.Popen(
            running.again, cwd=running.folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=child.wait, name="restarted browser", daemon=True).start()
        _wait_for_window(desktop, child.pid)


def _wait_for_window(desktop: Desktop, pid: int) -> None:
    deadline_s = time.monotonic() + _OPENS_WITHIN_S
    while time.monotonic() < deadline_s:
        if any(window.pid == pid for window in desktop.all_windows()):
            return
        time.sleep(_POLL_S)
    raise OperatorError(_("The browser was started again, but shows no window yet."))


def _options(line: str) -> tuple[str, ...]:
    """A command line that was made one text. What follows the last option are addresses, which are left out."""
    name, *options = re.split(r" (?=-)", line)
    if options:
        options[-1] = options[-1].partition(" ")[0]
    return (name.partition(" ")[0] if not options else name, *options)


def _words(file: Path) -> tuple[str, ...]:
    text = file.read_bytes().decode("utf-8", "surrogateescape")
    return tuple(each for each in text.split("\0") if each)
