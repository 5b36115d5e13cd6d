"""Starts applications and opens URLs on the display of the target, with a grant. Implements the engine's `EffectPort`.

Applications are started without a shell, in a session of their own, and continue to run after a stop. The outcome tells
what was started and whether a window appeared. A program that ends at once with an error is a failure.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from operator_console.domain.actions import Action, Launch, OpenBrowser
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import ComputerError, OperatorError, RejectedReason
from operator_console.domain.frames import target_display
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.programs import ProgramDoor
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
        programs: Starts them on a desktop of their own, in its environment; None: they are started as the person's.
    """

    def __init__(
        self, admission: Admission, watch: Watch, environment: Mapping[str, str] | None = None,
        *, programs: ProgramDoor | None = None,
    ) -> None:  # fmt: skip
        self._admission = admission
        self._watch = watch
        self._programs = programs
        if programs is not None:
            environment = programs.environment
        self._environment = dict(os.environ if environment is None else environment)
        self._applications = Applications(self._environment, installed_by_ns=time.time_ns())

    def handles(self, action: Action) -> bool:
        """Whether the action is Launch or OpenBrowser."""
        return isinstance(action, Launch | OpenBrowser)

    async def describe(self) -> Sequence[ToolSpec]:
        """Returns nothing: providers know these actions."""
        return ()

    @property
    def problems(self) -> Sequence[OperatorError]:
        """What a desktop of its own lacks on this computer."""
        return () if self._programs is None else self._programs.problems

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
        environment["DISPLAY"] = display
        return Start(command, application.window_names(), environment, self._watch, self._programs)


def start_programs(names: Sequence[str], programs: ProgramDoor, watch: Watch) -> None:
    """Start applications on a desktop of their own, one after the other, and wait for the window of each. Blocking.

    Raises OperatorError (there is none of a name, or it ended at once), ComputerError (the desktop is gone).
    """
    applications = Applications(programs.environment)
    for name in names:
        try:
            application = applications.find(name)
        except NoSuchApplication as error:
            raise _not_started(name, error.text) from error
        started = Start(
            application.command(), application.window_names(), programs.environment, watch, programs
        ).run()  # fmt: skip
        if started.problem:
            raise _not_started(name, started.problem)


def _not_started(name: str, detail: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.DESKTOP_PROGRAM_NOT_STARTED, name=name), detail=detail,
        remedy=notice(NoticeCode.CORRECT_DESKTOP_PROGRAMS),
    )  # fmt: skip


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
