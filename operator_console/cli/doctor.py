"""`doctor`: prints what works on this computer, and what to do about the rest.

A check that raises an exception is reported as failed. The X extensions that a display needs are in desktop/platform.py
(`check_display`).
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.domain.doctor_check import DoctorCheck
from operator_console.domain.errors import ConsoleError, ExitCode, OperatorError
from operator_console.domain.message_texts import notice, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.translations import _
from operator_console.settings.file_locations import Paths, find_paths, make_folder

if TYPE_CHECKING:
    from operator_console.domain.stopping import StopLiveness
    from operator_console.providers.spec import ProviderSpec
    from operator_console.settings.profiles import Profile

_log = logging.getLogger(__name__)
_NETWORK = frozenset((
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "ceph", "lustre", "fuse.sshfs", "fuse.glusterfs",
    "fuse.rclone", "fuse.davfs", "davfs",
))  # fmt: skip
_MIN_FREE_BYTES = 500_000_000

LOGS = True

# No session can start without these; the others are optional.
ESSENTIAL = frozenset(("python", "settings", "records", "display", "hotkey"))


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
exit: 0 sessions can run here (optional parts may be missing), 1 something required is missing""")
    parser.add_argument("--json", action="store_true", help=_("print a JSON list"))


def execute(args: argparse.Namespace) -> int:
    found: list[DoctorCheck] = []
    for check in all_checks():
        found.append(check)
        if not args.json:
            with suppress(BrokenPipeError):  # the exit code tells the result without a reader, too
                _print(check)
    if args.json:
        import json

        fields = ("name", "ok", "detail", "remedy")
        rows = [{name: getattr(check, name) for name in fields} for check in found]
        print(json.dumps([{**row, "essential": row["name"] in ESSENTIAL} for row in rows], indent=2))
    missing = [check for check in found if not check.ok and check.name in ESSENTIAL]
    return ExitCode.FAILED if missing else ExitCode.FINISHED


def _print(check: DoctorCheck) -> None:
    mark = "ok" if check.ok else ("NO" if check.name in ESSENTIAL else "--")
    print(f"{mark:<3} {check.name:<14} {worded(check.detail)}")
    if not check.ok and check.remedy:
        print(f"{'':<18} {worded(check.remedy)}")
    sys.stdout.flush()


def all_checks() -> Iterator[DoctorCheck]:
    """Run all checks and yield their results one by one."""
    paths = find_paths()
    sources: tuple[tuple[str, Callable[[], Iterable[DoctorCheck]]], ...] = (
        ("python", _python),
        ("settings", lambda: _settings(paths)),
        ("records", lambda: _records(paths)),
        ("disk", lambda: _disk(paths)),
        ("display", _display),
        ("hotkey", lambda: _hotkey(paths)),
        ("keyring", _keyring),
        ("models", _models),
        ("profiles", lambda: _profiles(paths)),
        ("proxy", lambda: _proxies(paths)),
        ("ocr", _ocr),
        ("scripts", _scripts),
        ("accessibility", _accessibility),
        ("mcp", lambda: _mcp(paths)),
        ("sandbox", lambda: _sandbox(paths)),
        ("browser", lambda: _browser(paths)),
        ("virtual", _virtual),
        ("vnc", lambda: _vnc(paths)),
    )
    for name, check in sources:
        try:
            yield from check()
        except ConsoleError as error:
            text = " ".join(worded(part) for part in (error.title, error.detail) if part)
            yield DoctorCheck(name=name, ok=False, detail=text, remedy=worded(error.remedy))
        except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
            _log.exception("the check %s failed", name)
            text = _("The check failed ({error}).").format(error=type(error).__name__)
            yield DoctorCheck(
                name=name,
                ok=False,
                detail=text,
                remedy=_("For details, see the log: {log_file}").format(log_file=paths.log_file),
            )


def _python() -> Iterable[DoctorCheck]:
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13)
    detail = _("Python {python_version} on {system} {machine}").format(
        python_version=platform.python_version(), system=platform.system(), machine=platform.machine()
    )
    yield DoctorCheck(name="python", ok=fits, detail=detail, remedy="" if fits else _("Use Python 3.11, 3.12 or 3.13."))


def _settings(paths: Paths) -> Iterable[DoctorCheck]:
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings

    load_settings(paths.settings, options_of)
    detail = (
        str(paths.settings)
        if paths.settings.exists()
        else _("defaults ({settings} does not exist)").format(settings=paths.settings)
    )
    yield DoctorCheck(name="settings", ok=True, detail=detail)


def _records(paths: Paths) -> Iterable[DoctorCheck]:
    """Write a session to the sessions folder and verify it."""
    from operator_console.domain.events import Warned
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.journal.verify import Finding, verify
    from operator_console.journal.write import SessionJournal

    for folder in (paths.sessions, paths.anchors):
        make_folder(folder)
    with (
        tempfile.TemporaryDirectory(prefix=".doctor-", dir=paths.sessions) as files,
        tempfile.TemporaryDirectory(prefix=".doctor-", dir=paths.anchors) as anchors,
    ):
        file = Path(files) / "doctor.ocsession"
        with SessionJournal.create(file, Path(anchors)) as journal:
            journal.append(Warned(title=notice(NoticeCode.DOCTOR_TEST)))
            journal.flush()
        fine = verify(file, Path(anchors)).finding is Finding.INTACT
    yield DoctorCheck(
        name="records",
        ok=fine,
        detail=_("Sessions can be written in {sessions}").format(sessions=paths.sessions)
        if fine
        else _("A test session was written, but its verification failed."),
        remedy="" if fine else _("Check the disk, or set OPERATOR_CONSOLE_HOME to a folder on another disk."),
    )


def _disk(paths: Paths) -> Iterable[DoctorCheck]:
    free = shutil.disk_usage(paths.sessions).free
    if (kind := network_file_system(paths.sessions, _mounts())) is not None:
        yield DoctorCheck(
            name="disk",
            ok=False,
            detail=_("{sessions} is on a network file system ({kind}), which may lose or lock records.").format(
                sessions=paths.sessions, kind=kind
            ),
            remedy=_("Set OPERATOR_CONSOLE_HOME to a folder on a disk of this computer."),
        )
        return
    fine = free >= _MIN_FREE_BYTES
    remedy = "" if fine else _("Free some space: a long session can take several hundred megabytes.")
    yield DoctorCheck(
        name="disk",
        ok=fine,
        detail=_("{gigabytes:.1f} GB free for sessions").format(gigabytes=free / 1e9),
        remedy=remedy,
    )


def _mounts() -> str:
    """What is mounted where, as Linux tells it; "" elsewhere."""
    try:
        return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def network_file_system(folder: Path, mounts: str) -> str | None:
    """The kind of network file system that a folder is on, on which SQLite's write-ahead log is not safe; None: none.

    `mounts` is the text of /proc/self/mountinfo (proc(5)), with the mount point fifth and the kind after " - ".
    """
    found = ("", "")
    for line in mounts.splitlines():
        where, dash, what = line.partition(" - ")
        words = where.split()
        if not dash or len(words) < 5:
            continue
        point = words[4].encode().decode("unicode_escape")  # spaces are written as \\040
        if folder.resolve().is_relative_to(point) and len(point) >= len(found[0]):
            found = (point, what.split()[0])
    return found[1] if found[1] in _NETWORK else None


def _display() -> Iterable[DoctorCheck]:
    from operator_console.app.qt_failures import missing_library
    from operator_console.desktop.platform import check_display

    yield check_display()
    if (missing := missing_library()) is not None:
        title, detail, remedy = missing.worded
        yield DoctorCheck(name="window", ok=False, detail=f"{title} {detail}", remedy=remedy)


def _hotkey(paths: Paths) -> Iterable[DoctorCheck]:
    """Start a guard briefly, which tests whether the stop hotkey is detected."""
    import asyncio

    from operator_console.domain.display_names import NO_DISPLAY, display_of_person, in_wayland_session
    from operator_console.domain.hotkeys import chord_words
    from operator_console.guard.latch import LatchState, read_status
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings

    hotkeys = load_settings(paths.settings, options_of).hotkeys
    display = display_of_person(os.environ)
    wayland = in_wayland_session(os.environ)
    if display == NO_DISPLAY and not wayland:
        remedy = _("Run operator-console doctor in a terminal on the desktop.")
        yield DoctorCheck(name="hotkey", ok=False, detail=_("There is no display to listen on."), remedy=remedy)
        return
    status = read_status(display)
    if status.state is LatchState.STOPPED:
        what = _("This Wayland session") if wayland else display
        detail = _("{what} is stopped ({reason}), so the hotkey was not tested.").format(
            what=what, reason=status.reason.replace("_", " ")
        )
        yield DoctorCheck(name="hotkey", ok=False, detail=detail, remedy=_("Run operator-console reset first."))
        return
    liveness, devices_told = asyncio.run(_liveness(display, (hotkeys.stop, hotkeys.pause, hotkeys.approve)))
    live, problem = liveness.live, liveness.detail
    if wayland:
        if live:
            detail = _("Wayland session: no stop keys are heard. The Stop button and operator-console stop work.")
        else:
            detail = _(
                "Wayland session: no stop keys are heard. "
                "The Stop button and operator-console stop do NOT work: {problem}"
            ).format(problem=worded(problem))
        yield DoctorCheck(name="hotkey", ok=live, detail=detail, remedy="" if live else _("Sessions need them."))
        return
    stop = chord_words(hotkeys.stop)
    detail = _("{keys} works.") if live else _("{keys} does NOT work: {problem}")
    detail = detail.format(keys=stop, problem=worded(problem))
    if devices_told is False:
        detail = f"{detail} {worded(notice(NoticeCode.INPUT_NOT_TOLD_FROM_PROGRAMS))}"
    elif liveness.viewed:
        detail = f"{detail} {worded(notice(NoticeCode.INPUT_OF_X11VNC_NOT_TOLD))}"
    remedy = "" if live else _("Sessions need it. Choose another hotkey in the settings, or restart the X session.")
    yield DoctorCheck(name="hotkey", ok=live, detail=detail, remedy=remedy)


async def _liveness(display: str, hotkeys: tuple[str, str, str]) -> tuple[StopLiveness, bool | None]:
    """Whether the stop works, and whether the display tells a person's input from that of programs."""
    from operator_console.guard.client import open_guard
    from operator_console.injector.client import InjectorClient

    guard = await open_guard(display, InjectorClient(), hotkeys=hotkeys)
    try:
        return guard.liveness, guard.devices_told
    finally:
        await guard.close()


def _keyring() -> Iterable[DoctorCheck]:
    from operator_console.settings.api_keys import checks

    yield from checks()


def _models() -> Iterable[DoctorCheck]:
    from operator_console.domain.api_keys import KeyUnusable
    from operator_console.providers.registry import broken, specs
    from operator_console.settings.api_keys import find_key

    for spec in specs():
        try:
            key = find_key(spec)
        except KeyUnusable as error:
            text = f"{spec.worded_title}: {worded(error.title)} {worded(error.detail)}"
            yield DoctorCheck(name="models", ok=False, detail=text, remedy=worded(error.remedy))
            continue
        if not spec.needs_key:
            continue
        remedy = _("Set {key_env}, or: operator-console models key {name}").format(
            key_env=spec.key_env[-1], name=spec.name
        )
        if key is None:
            yield DoctorCheck(
                name="models", ok=False, detail=_("No key for {title}.").format(title=spec.worded_title), remedy=remedy
            )
        else:
            detail = _("{title}: key from {source} (not tried; `models check {name}` does)").format(
                title=spec.worded_title, source=key.source, name=spec.name
            )
            yield DoctorCheck(name="models", ok=True, detail=detail)
    for one in broken():
        remedy = _("Update or uninstall the package that provides it.")
        yield DoctorCheck(
            name="models",
            ok=False,
            detail=_("The provider {name!r}: {problem}").format(name=one.name, problem=worded(one.problem)),
            remedy=remedy,
        )


def _profiles(paths: Paths) -> Iterable[DoctorCheck]:
    """Find the providers of the model profiles."""
    from operator_console.app.profile_setup import provider_of
    from operator_console.domain.errors import OperatorError
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings

    for name, profile in load_settings(paths.settings, options_of).profiles.items():
        try:
            spec = provider_of(name, profile)
        except OperatorError as error:
            text = " ".join(worded(part) for part in (error.title, error.detail) if part)
            yield DoctorCheck(name="profiles", ok=False, detail=text, remedy=worded(error.remedy))
        else:
            detail = _("The profile {name} of {title} (not tried; `models check {quoted}` does)").format(
                name=name, title=spec.worded_title, quoted=shlex.quote(name)
            )
            yield DoctorCheck(name="profiles", ok=True, detail=detail)


def _proxies(paths: Paths) -> Iterable[DoctorCheck]:
    """What pictures go through on their way to the models that have a key or a profile; one check for each proxy."""
    from operator_console.app.profile_setup import addresses_of, provider_of, service_of
    from operator_console.domain.api_keys import KeyUnusable
    from operator_console.domain.errors import OperatorError
    from operator_console.environment_proxies import is_usable
    from operator_console.providers.registry import options_of, specs
    from operator_console.settings.api_keys import find_key
    from operator_console.settings.file import load_settings

    settings = load_settings(paths.settings, options_of)
    used: list[tuple[str, ProviderSpec, Profile | None]] = []
    for spec in specs():
        with suppress(KeyUnusable):
            if find_key(service_of(settings, spec)) is not None:
                used.append((spec.worded_title, spec, None))
    for name, profile in settings.profiles.items():
        with suppress(OperatorError):
            used.append((_("the profile {name}").format(name=name), provider_of(name, profile), profile))
    reached: list[tuple[str, tuple[str, ...], str]] = []
    for title, spec, of_profile in used:
        service, addresses = service_of(settings, spec, of_profile), addresses_of(settings, spec, of_profile)
        reached.append((title, addresses or (service.url,), service.proxies(addresses)))
    if not any(proxy for _title, _addresses, proxy in reached):
        yield DoctorCheck(name="proxy", ok=True, detail=_("Models are reached directly, without a proxy."))
    for proxy in dict.fromkeys(proxy for _title, _addresses, proxy in reached if proxy):
        through = [(title, addresses) for title, addresses, other in reached if other == proxy]
        usable = all(is_usable(address) for _title, addresses in through for address in addresses)
        detail = _("The proxy {proxy} of the environment is used for: {services}. Models on this computer are not.")
        if not usable:
            detail = _("The proxy {proxy} of the environment cannot be used for: {services}.")
        yield DoctorCheck(
            name="proxy",
            ok=usable,
            detail=detail.format(proxy=proxy, services=", ".join(title for title, _addresses in through)),
            remedy=_("Correct or unset HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, also in lower case."),
        )


def _ocr() -> Iterable[DoctorCheck]:
    """Start the OCR process."""
    import asyncio

    from operator_console.perception.picture_reader import OcrReader

    async def start() -> None:
        reader = OcrReader()
        try:
            await reader.warm_up()
        finally:
            await reader.close()

    asyncio.run(start())
    yield DoctorCheck(name="ocr", ok=True, detail=_("Text on the screen can be read, without network access."))


def _scripts() -> Iterable[DoctorCheck]:
    """Which scripts can be read besides those of the shipped models."""
    from operator_console.perception.ocr.tesseract_fallback import COMMON, installed_packs

    packs = installed_packs()
    lacking = [script for script in COMMON if script not in packs]
    readable = ", ".join(("Latin", "Chinese", "Japanese", *packs))
    detail = _("Can be read: {readable}.").format(readable=readable) + (
        " " + _("Cannot be read: {lacking}.").format(lacking=", ".join(lacking)) if lacking else ""
    )
    packages = " ".join(["tesseract-ocr", *(f"tesseract-ocr-script-{COMMON[script]}" for script in lacking)])
    remedy = _(
        "Where you need them, install Tesseract and their packs (Debian, Ubuntu: apt-get "
        "install {packages}). Controls whose text cannot be read are asked about more "
        "often."
    ).format(packages=packages)
    yield DoctorCheck(name="scripts", ok=not lacking, detail=detail, remedy=remedy if lacking else "")


def _accessibility() -> Iterable[DoctorCheck]:
    """Ask whether applications describe their controls."""
    from operator_console.perception.accessibility.atspi.service_check import check_service

    yield check_service()


def _mcp(paths: Paths) -> Iterable[DoctorCheck]:
    """Start the enabled MCP servers and list their tools."""
    from operator_console.app.mcp_setup import chosen_servers
    from operator_console.cli.mcp import try_servers
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings

    settings = load_settings(paths.settings, options_of).mcp
    chosen = chosen_servers(settings)
    if not settings.enabled:
        yield DoctorCheck(name="mcp", ok=True, detail=_("No MCP servers are enabled."))
        return
    # None is required here: each is reported.
    tools, problems = try_servers([replace(server, required=False) for server in chosen.servers])
    for server in dict.fromkeys(tool.server for tool in tools):
        offered = sum(tool.server == server for tool in tools)
        yield DoctorCheck(
            name="mcp",
            ok=True,
            detail=_("The server {server} works; tools: {offered}.").format(server=server, offered=offered),
        )
    for problem in (*chosen.problems, *problems):
        text = " ".join(worded(part) for part in (problem.title, problem.detail) if part)
        yield DoctorCheck(name="mcp", ok=False, detail=text, remedy=worded(problem.remedy))


def _sandbox(paths: Paths) -> Iterable[DoctorCheck]:
    """Run a program in the sandbox of bash and the text editor, with the limits of the settings."""
    from operator_console.app.sandbox_setup import sandbox_limits
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings
    from operator_console.tools.sandbox import Sandbox, SandboxUnavailable

    limits = sandbox_limits(load_settings(paths.settings, options_of).sandbox)
    try:
        sandbox = Sandbox(limits)
    except SandboxUnavailable as error:
        detail = _("bash and the text editor cannot be offered to a model: {why}").format(why=worded(error.why))
        yield DoctorCheck(name="sandbox", ok=False, detail=detail, remedy=worded(error.remedy))
        return
    sandbox.close()
    detail = (
        _("bash and the text editor can be offered to a model, limited by a control group.")
        if sandbox.grouped
        else _("bash and the text editor can be offered to a model, limited by resource limits.")
    )
    yield DoctorCheck(name="sandbox", ok=True, detail=detail)


def _virtual() -> Iterable[DoctorCheck]:
    """Start an isolated desktop and end it: whether its programs are in a sandbox, with a network."""
    import asyncio

    from operator_console.desktop.platform import start_virtual_desktop
    from operator_console.domain.geometry import Size

    async def start() -> Sequence[OperatorError]:
        desktop = await start_virtual_desktop(Size(320, 320))
        await desktop.close()
        return desktop.programs.problems

    problems = asyncio.run(start())
    for problem in problems:
        detail = " ".join(worded(part) for part in (problem.title, problem.detail) if part)
        yield DoctorCheck(name="virtual", ok=False, detail=detail, remedy=worded(problem.remedy))
    if not problems:
        detail = _("The programs of an isolated desktop run in a sandbox, with a network.")
        yield DoctorCheck(name="virtual", ok=True, detail=detail)


def _vnc(paths: Paths) -> Iterable[DoctorCheck]:
    """Say what is kept of VNC machines: nothing has to be installed for them."""
    from operator_console.settings.vnc_machines import PASSWORD_VARIABLE, accepted_certificates

    accepted = len(accepted_certificates(paths.vnc_certificates))
    detail = _("Machines are driven as vnc:HOST:PORT; accepted certificates: {accepted}.").format(accepted=accepted)
    if os.environ.get(PASSWORD_VARIABLE):
        detail += " " + _("{variable} is set, and is the password of all of them.").format(variable=PASSWORD_VARIABLE)
    yield DoctorCheck(name="vnc", ok=True, detail=detail)


def _browser(paths: Paths) -> Iterable[DoctorCheck]:
    """Start the browser of the target `browser` without a window, and end it."""
    import asyncio

    from operator_console.computers.browser.target import BrowserStart, open_browser
    from operator_console.domain.frames import BrowserTarget
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings

    program = load_settings(paths.settings, options_of).browser.program

    async def start() -> str:
        computer = await open_browser(
            BrowserTarget(spec="browser", title=""), BrowserStart(program=program, headless=True), ""
        )
        try:
            return computer.version
        finally:
            await computer.close()

    yield DoctorCheck(
        name="browser",
        ok=True,
        detail=_("{browser} starts, for the target browser.").format(browser=asyncio.run(start())),
    )
