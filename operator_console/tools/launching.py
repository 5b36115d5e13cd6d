"""Starting applications and opening addresses, under a grant, on the target's display. No shell, no input.

What is started lives on: it is a child of nobody here (setsid), and a stop does not end it. It says what was started,
never that a window came: the next picture shows that. Fits engine's EffectPort by shape; app.py hands it in.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from operator_console.domain.actions import Action, Launch, OpenBrowser
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.tools.admission import Admission, failed
from operator_console.tools.desktop_entries import Applications, NoSuchApplication

_SETSID = ("setsid", "--fork")
_OPENED = frozenset({"http", "https", "file"})
# Not for applications: keys of models' services, and what makes them believe they are part of this program.
_KEPT_BACK = ("_API_KEY", "_BASE_URL")
_KEPT_BACK_NAMES = frozenset({"OPERATOR_CONSOLE_HOME", "PYTHONPATH", "WINDOWID", "QT_QPA_PLATFORM"})
_STARTS_WITHIN_S = 10.0


class Launcher:
    """Starts what a Launch or OpenBrowser names.

    Args:
        admission: looks at each grant.
        environment: what applications are started with, but for DISPLAY.
    """

    def __init__(self, admission: Admission, environment: Mapping[str, str] | None = None) -> None:
        self._admission = admission
        self._environment = dict(os.environ if environment is None else environment)
        self._applications = Applications(self._environment)

    def handles(self, action: Action) -> bool:
        """Launch and OpenBrowser."""
        return isinstance(action, Launch | OpenBrowser)

    async def perform(self, grant: Grant) -> Outcome:
        """Start it, once. A refusal says why."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        try:
            command, said = self._command(grant.action)
            # In a thread: a loop that draws a window can neither fork in no time nor watch children.
            problem = await asyncio.to_thread(self._start, command, grant.target.display)
        except (NoSuchApplication, ValueError) as error:
            return failed(str(error), RejectedReason.UNSUPPORTED)
        if problem:
            return failed(problem, RejectedReason.UNSUPPORTED)
        return Outcome(
            result=ActResult.DONE, detail=f"{said} Its window may take a moment.", method=command[0], delivered=1,
            total=1, duration_s=time.monotonic() - began,
        )  # fmt: skip

    def _command(self, action: Action) -> tuple[tuple[str, ...], str]:
        match action:
            case Launch(url=url) if url.strip():
                address = _address(url)
                browser = self._applications.browser()
                return browser.command(address), f"Opened {address} with {browser.name}."
            case Launch(app=app):
                application = self._applications.find(app)
                return application.command(), f"Started {application.name}."
            case _:
                browser = self._applications.browser()
                return browser.command(), f"Started {browser.name}."

    def _start(self, command: tuple[str, ...], display: str) -> str:
        """Start it in a session of its own; what went wrong, "" for nothing. Blocks for a fork."""
        environment = {
            name: value for name, value in self._environment.items()
            if not name.endswith(_KEPT_BACK) and name not in _KEPT_BACK_NAMES
        }  # fmt: skip
        environment["DISPLAY"] = display
        home = Path(environment.get("HOME", "/"))
        try:
            # It forks and ends at once, so nobody here has to wait for the application.
            done = subprocess.run(
                [*_SETSID, *command], env=environment, cwd=home if home.is_dir() else "/", stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_STARTS_WITHIN_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "It could not be started in time."
        except OSError as error:
            return f"It could not be started: {error.strerror}."
        return "" if done.returncode == 0 else f"It could not be started (setsid ended with {done.returncode})."


def _address(url: str) -> str:
    """One line without backticks (models quote addresses), with a scheme. Raises ValueError."""
    address = "".join(url.split()).strip("`'\"")
    if "://" not in address and not address.startswith(("about:", "mailto:", "javascript:", "data:")):
        address = f"https://{address}"
    if urlsplit(address).scheme.lower() not in _OPENED:
        raise ValueError(f"Only http, https and file addresses are opened, not “{address[:80]}”.")
    return address
