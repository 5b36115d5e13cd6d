"""Opens the target of a request: a desktop, a browser as the settings say, or a machine over VNC."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.browser.kept_profile import new_key
from operator_console.computers.browser.target import BrowserStart, open_browser
from operator_console.computers.live_preview import PreviewSource
from operator_console.computers.target_spec import UNKNOWN_GUEST, Guest
from operator_console.computers.targets import connect, open_computer, resolve
from operator_console.computers.vnc.target import open_machine
from operator_console.computers.what_is_hidden import Hidden
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import new_windows
from operator_console.desktop.values import DesktopPlan
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.frames import BrowserTarget, TargetRef, VmTarget, VncTarget, machine_name, target_address
from operator_console.domain.geometry import Size
from operator_console.domain.hand_input import Hand
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide
from operator_console.domain.session_request import MachinePassword, SessionRequest
from operator_console.domain.shutters import parse_shutters, shutters_for
from operator_console.engine.ports import Computer
from operator_console.journal.database import DOWNLOADS_SUFFIX, FILES_SUFFIX, HAR_SUFFIX
from operator_console.providers.registry import options_of
from operator_console.rfb.server_login import Login, host_and_port
from operator_console.settings.api_keys import browser_profile_key
from operator_console.settings.file import load_settings
from operator_console.settings.file_locations import Paths, find_paths, make_folder
from operator_console.settings.model import Settings
from operator_console.settings.vnc_machines import accepted_certificates, find_password, find_user, store_password
from operator_console.tools.launching import start_programs

if TYPE_CHECKING:
    from operator_console.computers.desktop_computer import DesktopComputer


def with_record(request: SessionRequest, paths: Paths) -> SessionRequest:
    """The request with the name of its session file. Raises OperatorError."""
    if request.record is not None or request.resume is not None:
        return request
    return replace(request, record=paths.new_session())


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTarget:
    """A target that was opened for a session; the computer's `close` ends it.

    Attributes:
        computer: what the session uses.
        hidden: what its pictures do not show.
        preview: makes a source of its live frames; None: it is captured as what stands on a desktop.
        hand: takes the operator's own input; None: it is used on its desktop.
        bring_forward: raises its window and gives it the focus, and tells whether it has it; None: by its id.
        login: how what acts on it, and what releases what is held there, log in; None: they do not.
    """

    computer: Computer
    hidden: Hidden = field(default_factory=Hidden)
    preview: Callable[[], PreviewSource] | None = None
    hand: Hand | None = None
    bring_forward: Callable[[], Awaitable[bool]] | None = None
    login: Login | None = None


async def open_target(
    request: SessionRequest,
    own: OwnWindows,
    display: str,
    settings: Callable[[], Settings] = lambda: load_settings(find_paths().settings, options_of),
    password: MachinePassword | None = None,
) -> OpenedTarget:
    """Connect to the target, starting it first if its kind needs that.

    Args:
        request: names it, and the session file.
        own: the console's windows.
        display: the person's display, or NO_DISPLAY.
        settings: read where a browser or an isolated desktop is started, or a machine is logged in to; may block.
        password: of the machine, as typed; None: the one that is kept.

    Raises:
        LoginRefused: the machine takes another password, or its certificate has to be accepted.
        OperatorError: no such target, it does not start, its monitor cannot be used, or the password cannot be kept.
        ComputerUnavailable: it cannot be seen, or does not run.
    """
    extra = parse_shutters(request.hide)  # raises before anything is opened
    opened = await _opened(request, own, display, settings, password)
    try:
        kept = (await asyncio.to_thread(settings)).privacy.hide
        opened.hidden.shutters = tuple(dict.fromkeys((*shutters_for(kept, request.target), *extra)))
    except BaseException:
        await asyncio.shield(opened.computer.close())
        raise
    return opened


async def _opened(
    request: SessionRequest, own: OwnWindows, display: str, settings: Callable[[], Settings],
    password: MachinePassword | None,
) -> OpenedTarget:  # fmt: skip
    kind = request.target.partition(":")[0]
    if kind == "virtual":
        desktop = await _open_virtual(request, own, display, settings)
        return OpenedTarget(computer=desktop, hidden=desktop.hidden, hand=desktop.hand)
    if kind not in ("browser", "vnc", "vm"):
        computer = await open_computer(request.target, own, display)
        return OpenedTarget(computer=computer, hidden=computer.hidden)
    ref = await asyncio.to_thread(resolve, request.target, own, display)
    if isinstance(ref, VmTarget):
        kept = (await asyncio.to_thread(settings)).machine(machine_name(ref))
        guest = await _running_guest(kept.qmp, ref.name, pointer=True)
        screen = await connect(replace(ref, layout=kept.layout), own, guest=guest)
        return OpenedTarget(computer=screen, hidden=screen.hidden)
    if isinstance(ref, VncTarget):
        address = target_address(ref)
        login = await asyncio.to_thread(login_to, address, password)
        kept = (await asyncio.to_thread(settings)).machine(machine_name(ref))
        guest = await _running_guest(kept.qmp, address, pointer=False)  # its server tells that by itself
        machine = await open_machine(replace(ref, layout=kept.layout), login, guest)
        try:
            if password is not None and password.keep:
                await asyncio.to_thread(store_password, address, password.value, password.user)
        except BaseException:
            await asyncio.shield(machine.close())
            raise
        return OpenedTarget(
            computer=machine, hidden=machine.hidden, preview=machine.preview, hand=machine.hand, login=login
        )
    assert isinstance(ref, BrowserTarget)
    start = await asyncio.to_thread(lambda: _browser_start(settings(), request, joins=bool(ref.joins)))
    browser = await open_browser(ref, start, "" if display == NO_DISPLAY else display)
    return OpenedTarget(
        computer=browser, hidden=browser.hidden, preview=browser.preview, hand=browser.hand,
        bring_forward=browser.bring_forward,
    )  # fmt: skip


async def _running_guest(qmp: str, name: str, *, pointer: bool) -> Guest:
    """What tells of a virtual machine by its monitor at `qmp`, "" for none, once it is known to run.

    `pointer`: it must take positions. Raises OperatorError, ComputerUnavailable.
    """
    if not qmp:
        return UNKNOWN_GUEST
    from operator_console.qmp.monitor import MonitoredGuest  # loads a library that most sessions do without

    guest = MonitoredGuest(qmp, name)
    await guest.check(pointer=pointer)
    return guest


def login_to(address: str, typed: MachinePassword | None = None) -> Login:
    """How to log in to a VNC machine, with its password, its user and its accepted certificate. Blocking.

    `typed`: instead of what is kept. Raises KeyringUnusable if the keyring cannot be read.
    """
    host, port = host_and_port(address)
    accepted = accepted_certificates(find_paths().vnc_certificates)
    if typed is None:
        typed = MachinePassword(value=find_password(address))
    hide(typed.value)
    return Login(
        host=host, port=port, password=typed.value, user=typed.user or find_user(address),
        certificate=accepted.get(address, ""),
    )  # fmt: skip


def target_warning(target: TargetRef) -> str:
    """What a person should know of a target before a session works on it; "" for nothing."""
    if isinstance(target, BrowserTarget) and target.joins:
        return notice(NoticeCode.OPEN_BROWSER_IS_OPEN_TO_ALL)
    return ""


async def _open_virtual(
    request: SessionRequest, own: OwnWindows, display: str, settings: Callable[[], Settings]
) -> DesktopComputer:
    virtual = (await asyncio.to_thread(settings)).virtual
    record = request.resume or request.record
    plan = DesktopPlan(
        home=find_paths().virtual_homes / virtual.keep if virtual.keep else None,
        shared=None if record is None else record.absolute().with_suffix(FILES_SUFFIX),
        network=virtual.network,
    )
    computer = await open_computer(request.target, own, display, plan)
    try:
        assert computer.programs is not None
        await asyncio.to_thread(start_programs, virtual.programs, computer.programs, new_windows)
    except BaseException:
        await asyncio.shield(computer.close())
        raise
    return computer


def _browser_start(settings: Settings, request: SessionRequest, *, joins: bool) -> BrowserStart:
    """Blocking. Raises OperatorError: the profile cannot be kept."""
    kept = settings.browser
    width, height = map(int, kept.viewport.split("x"))
    record = request.resume or request.record
    return BrowserStart(
        program=kept.program, viewport=Size(width, height), scale=kept.scale, mobile=kept.mobile,
        headless=kept.headless, allowed=request.sites or kept.allowed_sites, blocked=kept.blocked_sites,
        upload_folder=kept.upload_folder,
        kept_profile=str(_profile_file(kept.profile)) if kept.profile and not joins else "",
        profile_key=browser_profile_key(kept.profile, new_key) if kept.profile and not joins else "",
        har="" if record is None or not kept.har else str(record.absolute().with_suffix(HAR_SUFFIX)),
        downloads="" if record is None else str(record.absolute().with_suffix(DOWNLOADS_SUFFIX)),
    )  # fmt: skip


def _profile_file(name: str) -> Path:
    folder = find_paths().browser_profiles
    make_folder(folder)
    return folder / f"{name}.profile"
