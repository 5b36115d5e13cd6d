"""`run`: one session in the terminal, on a plain asyncio loop."""

from __future__ import annotations

import asyncio
import os

from operator_console.app.services import open_services, our_windows, terminal_window
from operator_console.app.session_ports import SessionServices
from operator_console.app.session_setup import RunMode, check_request, pausing_on_lock, preload, prepare
from operator_console.app.target_opening import open_target, target_warning, with_record
from operator_console.app.target_trial import request_of_test, run_target_test
from operator_console.app.terminal_focus import TerminalFocus
from operator_console.cli.run_to_end import interrupts, run_to_end
from operator_console.cli.terminal import RunOptions, Terminal
from operator_console.domain.display_names import NO_DISPLAY, display_of_person, in_wayland_session, normal_display
from operator_console.domain.frames import target_display
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.domain.target_tests import TargetReport
from operator_console.engine.ports import Computer
from operator_console.guard.latch import refuse_if_stopped
from operator_console.settings.file_locations import find_paths


def run_session(request: SessionRequest, options: RunOptions) -> int:
    """Run a session. Returns the exit code; raises ConsoleError if it is refused before it starts."""
    return asyncio.run(_run(request, options))


async def _run(request: SessionRequest, options: RunOptions) -> int:
    # First: other faults may follow from the stop, for instance a target that was closed by it.
    display = display_of_person(os.environ)
    refuse_if_stopped([display])
    await asyncio.to_thread(check_request, request)
    own = our_windows()
    request = await asyncio.to_thread(with_record, request, find_paths())
    opened = await open_target(request, own, display)
    computer = opened.computer
    try:
        # Without any display of the human's own, the stop is heard on the isolated one just created, if there is one.
        if display == NO_DISPLAY and not in_wayland_session(os.environ):
            display = target_display(computer.target) or NO_DISPLAY
        async with open_services(display, own) as services:
            services.guard.login = opened.login
            services.guard.resume_after_hand = services.settings.approval.resume_after_hand
            return await work(services, request, computer, options)
    finally:
        await computer.close()


def try_target(target: str) -> TargetReport:
    """Test a target. Raises ConsoleError if it is refused."""
    return asyncio.run(_try_target(target))


async def _try_target(target: str) -> TargetReport:
    display = display_of_person(os.environ)
    refuse_if_stopped([display])
    own, request = our_windows(), request_of_test(target, find_paths())
    opened = await open_target(request, own, display)
    try:
        if display == NO_DISPLAY and not in_wayland_session(os.environ):
            display = target_display(opened.computer.target) or NO_DISPLAY
        async with open_services(display, own) as services:
            services.guard.login = opened.login
            services.guard.resume_after_hand = services.settings.approval.resume_after_hand
            running = asyncio.ensure_future(run_target_test(services, request, opened, StopCause.COMMAND))

            def interrupt(_: str) -> None:
                running.cancel()

            with interrupts(interrupt):
                return await running
    finally:
        await opened.computer.close()


async def work(services: SessionServices, request: SessionRequest, computer: Computer, options: RunOptions) -> int:
    """Run one session with the terminal as its audience, and close the computer. Returns the exit code."""
    focus = await _terminal_focus(services, computer)
    terminal = Terminal(options, focus=focus)
    if services.display == NO_DISPLAY:
        wayland = in_wayland_session(os.environ)
        terminal.note(notice(NoticeCode.STOP_IN_WAYLAND_SESSION if wayland else NoticeCode.STOP_WITHOUT_DISPLAY))
    elif services.guard.devices_told is False:
        terminal.note(notice(NoticeCode.INPUT_NOT_TOLD_FROM_PROGRAMS))
    elif services.guard.liveness.viewed:
        terminal.note(notice(NoticeCode.INPUT_OF_X11VNC_NOT_TOLD))
    if warning := target_warning(computer.target):
        terminal.note(warning)
    mode = RunMode(answerable=terminal.answerable, continue_question=True)
    # Without anybody to answer, a hand on the mouse would end the run.
    services.guard.resume_after_hand = services.guard.resume_after_hand or not terminal.answerable
    try:
        # Importing the vendor's client takes a second: not on this loop, which will answer the lease.
        await asyncio.to_thread(preload, request)
        prepared = await prepare(services, request, computer, (terminal,), mode)
    except BaseException:
        await terminal.close()
        raise
    try:
        async with pausing_on_lock(prepared.session.post):
            return await run_to_end(prepared.session, terminal)
    finally:
        await prepared.close()


async def _terminal_focus(services: SessionServices, computer: Computer) -> TerminalFocus | None:
    """What gives the terminal the focus back; None where the agent works another display and cannot take it."""
    if normal_display(target_display(computer.target)) != normal_display(services.display):
        return None
    focus = TerminalFocus(services.display, terminal_window(), lambda: services.guard.human_input_s)
    await focus.begin()
    computer.watch_console_focus(focus.before_input)
    return focus
