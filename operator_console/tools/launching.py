"""Starting applications and opening addresses, under a grant, on the target's display. No shell, no input.

What is started lives on: it is a child of nobody here (setsid), and a stop does not end it. It says what was started,
and whether a window of it came; a program that ends at once with an error is a failure, in its own words. Fits
engine's EffectPort by shape; app.py hands it in.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from operator_console.domain.actions import Action, Launch, OpenBrowser
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import ComputerError, RejectedReason
from operator_console.domain.tools import ToolSpec
from operator_console.tools.desktop_entries import Application, Applications, NoSuchApplication
from operator_console.tools.starting import Start, Started, Watch

_OPENED = frozenset({"http", "https", "file"})
# Not for applications, beside secrets: where models' services are, and what makes them believe they are part of us.
_SERVICES = "_BASE_URL"
_KEPT_BACK_NAMES = frozenset({"OPERATOR_CONSOLE_HOME", "PYTHONPATH", "WINDOWID", "QT_QPA_PLATFORM"})


class Launcher:
    """Starts what a Launch or OpenBrowser names.

    Args:
        admission: looks at each grant.
        watch: makes what watches a display for windows.
        environment: what applications are started with, but for DISPLAY.
    """

    def __init__(self, admission: Admission, watch: Watch, environment: Mapping[str, str] | None = None) -> None:
        self._admission = admission
        self._watch = watch
        self._environment = dict(os.environ if environment is None else environment)
        self._applications = Applications(self._environment)

    def handles(self, action: Action) -> bool:
        """Launch and OpenBrowser."""
        return isinstance(action, Launch | OpenBrowser)

    async def describe(self) -> Sequence[ToolSpec]:
        """None: dialects know these actions by themselves."""
        return ()

    async def close(self) -> None:
        """Nothing is held."""

    async def perform(self, grant: Grant) -> Outcome:
        """Start it, once. A refusal says why."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        try:
            command, application, said = self._command(grant.action)
            start = self._start(command, application, grant.target.display)
            try:
                # In a thread: a loop that draws a window can neither fork in no time nor watch children.
                started = await asyncio.to_thread(start.run)
            except asyncio.CancelledError:
                start.cancel()
                raise
        except (NoSuchApplication, ValueError, ComputerError) as error:
            return refused(str(error), RejectedReason.UNSUPPORTED)
        if started.problem:
            return refused(started.problem, RejectedReason.UNSUPPORTED)
        return Outcome(
            result=ActResult.DONE, detail=_words(said, started), method=command[0], delivered=1, total=1,
            duration_s=time.monotonic() - began,
        )  # fmt: skip

    def _command(self, action: Action) -> tuple[tuple[str, ...], Application, str]:
        match action:
            case Launch(url=url) if url.strip():
                address = _address(url)
                browser = self._applications.browser()
                return browser.command(address), browser, f"Opened {address} with {browser.name}."
            case Launch(app=app):
                application = self._applications.find(app)
                return application.command(), application, f"Started {application.name}."
            case _:
                browser = self._applications.browser()
                return browser.command(), browser, f"Started {browser.name}."

    def _start(self, command: tuple[str, ...], application: Application, display: str) -> Start:
        environment = {
            name: value for name, value in without_keys(self._environment).items()
            if not name.endswith(_SERVICES) and name not in _KEPT_BACK_NAMES
        }  # fmt: skip
        environment["DISPLAY"] = display
        return Start(command, application.window_names(), environment, self._watch)


def _words(said: str, started: Started) -> str:
    match started:
        case Started(window=None):
            return f"{said} No window of it came within {started.waited_s:.0f} s."
        case Started(window=title, handed_over=True):
            return f"{said} It handed over to a window that was open already, “{title}”."
        case Started(window=title):
            return f"{said} Its window “{title}” came."


def _address(url: str) -> str:
    """One line without backticks (models quote addresses), with a scheme. Raises ValueError."""
    address = "".join(url.split()).strip("`'\"")
    if "://" not in address and not address.startswith(("about:", "mailto:", "javascript:", "data:")):
        address = f"https://{address}"
    if urlsplit(address).scheme.lower() not in _OPENED:
        raise ValueError(f"Only http, https and file addresses are opened, not “{address[:80]}”.")
    return address
