"""Starts applications and opens URLs on the display of the target, with a grant. Implements the engine's `EffectPort`.

Applications are started without a shell, in a session of their own, and continue to run after a stop. The outcome tells
what was started and whether a window appeared. A program that ends at once with an error is a failure.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from operator_console.domain.actions import Action, Launch, OpenBrowser
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.environment import isolated, without_keys
from operator_console.domain.errors import ComputerError, OperatorError, RejectedReason
from operator_console.domain.frames import target_display
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.tools import ToolSpec
from operator_console.tools.detached_program import Start, Started, Watch
from operator_console.tools.installed_applications import Application, Applications, NoSuchApplication

_SCHEMES = frozenset({"http", "https", "file"})
# Not passed to applications, like secrets: addresses of services, and variables that are only for the console.
_SERVICE_ADDRESS = "_BASE_URL"
_OWN_VARIABLES = frozenset({"OPERATOR_CONSOLE_HOME", "PYTHONPATH", "WINDOWID", "QT_QPA_PLATFORM"})


class AddressNotAllowed(ValueError):
    """An address of a scheme that is not opened. `text` names it."""

    def __init__(self, text: NoticeText) -> None:
        super().__init__(text)
        self.text = text


class Launcher:
    """Performs Launch and OpenBrowser, of what was installed when the launcher was made: a session makes its own.

    Args:
        admission: Checks each grant.
        watch: Watches a display for new windows.
        environment: The environment of applications, except for DISPLAY.
        home: Their home folder, on an isolated desktop; None: that of the environment.
    """

    def __init__(
        self, admission: Admission, watch: Watch, environment: Mapping[str, str] | None = None,
        *, home: Path | None = None,
    ) -> None:  # fmt: skip
        self._admission = admission
        self._watch = watch
        self._environment = dict(os.environ if environment is None else environment)
        self._home = home
        self._applications = Applications(self._environment, installed_by_ns=time.time_ns())

    def handles(self, action: Action) -> bool:
        """Whether the action is Launch or OpenBrowser."""
        return isinstance(action, Launch | OpenBrowser)

    async def describe(self) -> Sequence[ToolSpec]:
        """Returns nothing: providers know these actions."""
        return ()

    @property
    def problems(self) -> Sequence[OperatorError]:
        """None."""
        return ()

    async def close(self) -> None:
        """Does nothing."""

    async def perform(self, grant: Grant) -> Outcome:
        """Start the application once. Failures are outcomes."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        try:
            command, application, description = self._command(grant.action)
            if changed := self._applications.changed(command):
                raise NoSuchApplication(notice(NoticeCode.NOT_INSTALLED_WHEN_SESSION_BEGAN, name=changed))
            start = self._start(command, application, target_display(grant.target))
            try:
                # In a thread, because forking would block the event loop.
                started = await asyncio.to_thread(start.run)
            except asyncio.CancelledError:
                start.cancel()
                raise
        except (NoSuchApplication, AddressNotAllowed, ComputerError) as error:
            return refused(error.text, RejectedReason.UNSUPPORTED)
        except ValueError as error:
            return refused(str(error), RejectedReason.UNSUPPORTED)
        if started.problem:
            return refused(started.problem, RejectedReason.UNSUPPORTED)
        return Outcome(
            result=ActResult.DONE, detail=_words(description, started), method=command[0], delivered=1, total=1,
            duration_s=time.monotonic() - began,
        )  # fmt: skip

    def _command(self, action: Action) -> tuple[tuple[str, ...], Application, str]:
        match action:
            case Launch(url=url) if url.strip():
                address = _address(url)
                browser = self._applications.browser()
                return (
                    browser.command(address),
                    browser,
                    notice(NoticeCode.ADDRESS_OPENED, address=address, application=browser.name),
                )
            case Launch(app=app):
                application = self._applications.find(app)
                return (
                    application.command(),
                    application,
                    notice(NoticeCode.APPLICATION_STARTED, application=application.name),
                )
            case _:
                browser = self._applications.browser()
                return browser.command(), browser, notice(NoticeCode.APPLICATION_STARTED, application=browser.name)

    def _start(self, command: tuple[str, ...], application: Application, display: str) -> Start:
        environment = {
            name: value for name, value in without_keys(self._environment).items()
            if not name.endswith(_SERVICE_ADDRESS) and name not in _OWN_VARIABLES
        }  # fmt: skip
        if self._home is not None:
            environment = isolated(environment, self._home)
        environment["DISPLAY"] = display
        return Start(command, application.window_names(), environment, self._watch)


def _words(description: str, started: Started) -> str:
    if started.window is None:
        return joined(description, notice(NoticeCode.NO_WINDOW_APPEARED, seconds=started.waited_s))
    code = NoticeCode.WINDOW_WAS_OPEN if started.handed_over else NoticeCode.WINDOW_APPEARED
    return joined(description, notice(code, window=started.window))


def _address(url: str) -> str:
    """The URL with a scheme, without white space and the quotes that models add. Raises ValueError."""
    address = "".join(url.split()).strip("`'\"")
    if "://" not in address and not address.startswith(("about:", "mailto:", "javascript:", "data:")):
        address = f"https://{address}"
    if urlsplit(address).scheme.lower() not in _SCHEMES:
        raise AddressNotAllowed(notice(NoticeCode.ADDRESS_NOT_ALLOWED, address=address[:80]))
    return address
