"""Finds an installed browser, and starts it with a profile of its own and a pipe that speaks the DevTools protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operator_console.browser.fence.browser_arguments import DISABLED_FEATURES
from operator_console.private_files import make_private_folder, open_private

PROGRAMS = (
    "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge-stable",
)  # fmt: skip
"""Browsers that speak the DevTools protocol, by the names of their programs, in the order in which they are taken."""
_POLL_S = 0.01
_UNWANTED = (
    *DISABLED_FEATURES, "FedCm", "GlobalMediaControls", "HttpsUpgrades", "InterestFeedContentSuggestions",
    "PaintHolding",
)  # fmt: skip
# Chromium's own requests, first-run pages, password bubbles and background work, none of which is the model's.
_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-breakpad",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    "--deny-permission-prompts",
    # Timers and painting go on where the window is covered.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    f"--disable-features={','.join(_UNWANTED)}",
    # They open windows that no picture of a page shows.
    "--disable-blink-features=EyeDropperAPI,DocumentPictureInPictureAPI",
)
_ALLOW, _REFUSE = 1, 2
PREFERENCES: Mapping[str, Any] = {
    "credentials_enable_service": False,
    "profile": {
        "password_manager_enabled": False,
        "default_content_setting_values": {
            "automatic_downloads": _ALLOW,
            "notifications": _REFUSE,
            "usb_guard": _REFUSE,
            "serial_guard": _REFUSE,
            "hid_guard": _REFUSE,
            "bluetooth_guard": _REFUSE,
            "window_placement": _REFUSE,
        },
    },
    "printing": {"enabled": False},
    "hardware": {"screen_capture_enabled": False},
    "ssl": {"error_override_allowed": False},
    "browser": {"has_seen_welcome_page": True},
    "translate": {"enabled": False},
    "download": {"prompt_for_download": False},
    "search": {"suggest_enabled": False},
}
"""Of each new profile: no saved passwords, no bubbles, no requests of the browser's own; no dialog for printing, and no
way past a wrong certificate."""


def find_browser(program: str = "") -> Path | None:
    """The program, or the first of `PROGRAMS` on PATH; None where there is none."""
    found = (shutil.which(name) for name in ((program,) if program else PROGRAMS))
    return next((Path(path) for path in found if path), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """How a browser is started.

    Attributes:
        program: its program.
        profile: the folder of its profile, which is made where it does not exist.
        width, height: of the page, in CSS pixels.
        scale: pixels for each CSS pixel.
        headless: without a window.
        arguments: further arguments.
        preferences: further preferences of the profile, merged into `PREFERENCES`.
    """

    program: Path
    profile: Path
    width: int
    height: int
    scale: float = 1.0
    headless: bool = False
    arguments: tuple[str, ...] = ()
    preferences: Mapping[str, Any] | None = None


def arguments_of(options: LaunchOptions, *, root: bool) -> list[str]:
    """The command line. `root`: the browser's own sandbox does not work for root, so it is switched off."""
    return [
        str(options.program),
        *_QUIET,
        "--remote-debugging-pipe",
        f"--user-data-dir={options.profile}",
        f"--window-size={options.width},{options.height}",
        f"--force-device-scale-factor={options.scale:g}",
        *(["--headless"] if options.headless else ["--window-position=0,0"]),
        # An infobar about the missing sandbox would move the page.
        *(["--no-sandbox", "--test-type"] if root else []),
        *options.arguments,
        "about:blank",
    ]


def write_preferences(profile: Path, more: Mapping[str, Any]) -> None:
    """Write the preferences of a new profile."""
    folder = profile / "Default"
    make_private_folder(folder)
    with os.fdopen(open_private(folder / "Preferences", os.O_WRONLY | os.O_CREAT), "w", encoding="utf-8") as file:
        json.dump(_merged(PREFERENCES, more), file)


class BrowserProcess:
    """A started browser, the leader of a session of its own."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._exit_code: int | None = None

    def poll(self) -> int | None:
        """The exit code (negative: the signal that ended it); None while it runs. Its children end with it."""
        if self._exit_code is None and os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            self._kill_group()  # as long as its number is its own
            _, status = os.waitpid(self.pid, 0)
            self._exit_code = os.waitstatus_to_exitcode(status)
        return self._exit_code

    async def ended(self, within_s: float) -> bool:
        """Whether it ends in time."""
        deadline = time.monotonic() + within_s
        while self.poll() is None:
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    def kill(self) -> None:
        """Kill it with its children."""
        if self.poll() is None:
            self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


async def launch(
    options: LaunchOptions, environment: Mapping[str, str], log: Path
) -> tuple[BrowserProcess, asyncio.StreamReader, asyncio.StreamWriter]:
    """Start a browser; the process, and the two ends of its pipe. It ends when the pipe is closed.

    Args:
        options: how it is started.
        environment: its environment.
        log: the file that its error output goes to.

    Raises:
        OSError: it cannot be started.
    """
    write_preferences(options.profile, options.preferences or {})
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    command = arguments_of(options, root=os.name == "posix" and os.geteuid() == 0)
    try:
        process = _started(command, theirs_in, theirs_out, environment, log)
    except BaseException:
        os.close(ours_out)
        os.close(ours_in)
        raise
    finally:
        os.close(theirs_in)
        os.close(theirs_out)
    return process, *await _streams(ours_in, ours_out)


def _started(
    command: Sequence[str], reads: int, writes: int, environment: Mapping[str, str], log: Path
) -> BrowserProcess:
    import fcntl  # not on every platform, and the browser is looked for on all

    # Chromium has its pipe at the descriptors 3 and 4, where subprocess cannot put it. The copies are out of the way.
    high_in, high_out = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 16) for fd in (reads, writes))
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        (os.POSIX_SPAWN_DUP2, high_in, 3),
        (os.POSIX_SPAWN_DUP2, high_out, 4),
    ]
    try:
        return BrowserProcess(os.posix_spawn(command[0], list(command), environment, file_actions=actions, setsid=True))
    finally:
        os.close(high_in)
        os.close(high_out)


async def _streams(reads: int, writes: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reads, "rb", 0))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(writes, "wb", 0)
    )
    return reader, asyncio.StreamWriter(transport, protocol, None, loop)


def _merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in more.items():
        known = merged.get(key)
        merged[key] = _merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return merged
