"""`targets`: lists what a model can work on, keeps what VNC machines need, and takes snapshots of virtual machines."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.translations import _

if TYPE_CHECKING:
    from operator_console.computers.target_spec import TargetListing

LOGS = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
Use the first column as --target. virtual is an isolated desktop, started for the session; virtual:WxH gives
it another size. browser is a browser, started for the session; browser:URL begins with an address.
vnc:HOST:PORT is a machine whose screen a VNC server shows; key keeps its password.

exit: 0, or 5 if there is no display""")
    parser.add_argument("--json", action="store_true", help=_("print a JSON list"))
    parser.set_defaults(execute=execute)
    verbs = parser.add_subparsers(title=_("verbs"), metavar="VERB")
    key = verbs.add_parser("key", help=_("keep the password of a VNC machine, and accept its certificate"),
                           epilog=_("""\
The password is typed without echo or read from stdin, and kept in the system's keyring; never in a file or on the
command line. OPERATOR_CONSOLE_VNC_PASSWORD in the environment goes before it. A user is kept beside it, for servers
that have users; OPERATOR_CONSOLE_VNC_USER goes before that. Then the machine is logged in to. A certificate that has
not been accepted yet is shown, and accepted if you type yes.

exit: 0 kept, 1 not accepted, 5 it could not be kept, or the machine cannot be logged in to"""),
                           formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    key.add_argument("machine", metavar="vnc:HOST:PORT", help=_("the machine"))
    key.add_argument("--user", metavar="NAME", default="", help=_("whose password it is, where the machine has users"))
    key.add_argument("--delete", action="store_true", help=_("delete the password and the user from the keyring"))
    key.add_argument("--trust", metavar="SHA256", help=_("accept this certificate, and ask for no password"))
    key.set_defaults(execute=_key)
    snapshot = verbs.add_parser("snapshot", help=_("take a snapshot of a virtual machine in QEMU"),
                                epilog=_("""\
Needs the socket of QEMU's QMP monitor, as qmp in the machine's section of the settings, and disks of the format qcow2.
The console keeps one snapshot of its own; a new one replaces it. Those by others are left alone. The machine stands
still meanwhile.

exit: 0 done, 1 not confirmed, 2 no machine, 5 it could not be done"""),
                                formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    restore = verbs.add_parser("restore", help=_("go back to the snapshot of a virtual machine in QEMU"),
                               epilog=_("""\
What happened on the machine since the snapshot is lost: asks you to type yes. With --yes it does not ask, but only if
stdin is not a terminal.

Needs the socket of QEMU's QMP monitor, as qmp in the machine's section of the settings, and disks of the format qcow2.
The console keeps one snapshot of its own; a new one replaces it. Those by others are left alone. The machine stands
still meanwhile.

exit: 0 done, 1 not confirmed, 2 no machine, 5 it could not be done"""),
                               formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    for verb in (snapshot, restore):
        verb.add_argument("machine", metavar="MACHINE", help=_("vnc:HOST:PORT or vm:NAME, as in the settings"))
    restore.add_argument("--yes", action="store_true", help=_("do not ask (only if stdin is not a terminal)"))
    snapshot.set_defaults(execute=_snapshot)
    restore.set_defaults(execute=_restore)

    test = verbs.add_parser("test", help=_("try pointing, typing and the stop on a target"), epilog=_("""\
Shows three marks on a monitor, on an isolated desktop or in a browser of its own, points at them and reads back where
the pointer arrived, types a word and reads it back, and stops in the middle of a long text. On a window or a machine
elsewhere the pointer is only moved: nothing is pressed or typed there. Leave mouse and keyboard alone meanwhile.

It is recorded as a session. It ends with a stop, as every stop does: operator-console reset makes sessions possible
again.

exit: 0 all well, 1 something is not, 2 wrong usage, 3 stopped by somebody else, 5 refused to start"""),
                            formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    test.add_argument("target", metavar="T", help=_("the target, as in the list"))
    # Not "json": the list's own option would be overwritten by this one's default.
    test.add_argument("--json", action="store_true", dest="test_json", help=_("print a JSON object"))
    test.set_defaults(execute=_test)


def execute(args: argparse.Namespace) -> int:
    from operator_console.computers.targets import list_targets
    from operator_console.desktop.own_window_ids import OwnWindows
    from operator_console.domain.display_names import in_wayland_session
    from operator_console.engine.visible_text import shown
    from operator_console.ui.view.target_words import target_title

    found = list_targets(OwnWindows())
    if in_wayland_session(os.environ):
        print(worded(notice(NoticeCode.WAYLAND_TARGETS)), file=sys.stderr)
    if args.json:
        import json

        print(json.dumps([_fields(each) for each in found], indent=2))
        return 0
    width = max((len(each.ref.spec) for each in found), default=0)
    for each in found:
        print(f"{each.ref.spec:<{width}}  {shown(target_title(each.ref))}  ({', '.join(_notes(each))})")
        if each.trouble:
            print(f"{'':<{width}}  {worded(each.trouble)} {worded(each.remedy)}")
    return 0


def _test(args: argparse.Namespace) -> int:
    from operator_console.app import try_target_headless

    report = try_target_headless(args.target)
    if args.test_json:
        import json
        from dataclasses import asdict

        print(json.dumps({**asdict(report), "ok": report.ok}, indent=2))
    else:
        from operator_console.ui.view.target_words import report_text

        print(report_text(report))
    if report.stopped:
        print(worded(notice(NoticeCode.TEST_THEN_RESET)), file=sys.stderr)
    if not report.ok:
        return ExitCode.FAILED
    return ExitCode.FINISHED if report.stopped else ExitCode.STOPPED


def _key(args: argparse.Namespace) -> int:
    from operator_console.cli.key_input import read_key
    from operator_console.computers.targets import parse_target
    from operator_console.domain.frames import TargetKind
    from operator_console.rfb.server_login import address_of, host_and_port
    from operator_console.settings.file_locations import find_paths
    from operator_console.settings.vnc_machines import accept_certificate, delete_password, store_password

    parsed = parse_target(args.machine)
    if parsed.target.kind is not TargetKind.VNC:
        raise OperatorError(
            notice(NoticeCode.VNC_ADDRESS_INVALID, text=args.machine), remedy=notice(NoticeCode.WRITE_VNC_ADDRESS_SO),
            exit_code=ExitCode.USAGE,
        )  # fmt: skip
    address = address_of(*host_and_port(parsed.argument))
    if args.delete:
        gone = delete_password(address)
        print(
            _("The password of {address} was deleted.").format(address=address)
            if gone
            else _("There was no password of {address}.").format(address=address)
        )
        return ExitCode.FINISHED
    if args.trust is not None:
        accept_certificate(find_paths().vnc_certificates, address, args.trust)
        print(_("The certificate of {address} is accepted.").format(address=address))
        return ExitCode.FINISHED
    where = store_password(
        address, read_key(_("Password for {address} (not shown): ").format(address=address)), args.user
    )
    print(_("The password of {address} is kept in the keyring ({where}).").format(address=address, where=where))
    return _log_in(address)


def _log_in(address: str) -> int:
    """Log in as a session would; ask about a certificate that has not been accepted."""
    import asyncio

    from operator_console.app.target_opening import login_to
    from operator_console.rfb.errors import CertificateChanged, CertificateUnknown, RfbError, login_trouble
    from operator_console.rfb.screen import Screen
    from operator_console.settings.file_locations import find_paths
    from operator_console.settings.vnc_machines import accept_certificate

    async def connect() -> None:
        await (await Screen.connect(login)).close()

    while True:
        login = login_to(address)
        try:
            asyncio.run(connect())
        except (CertificateUnknown, CertificateChanged) as error:
            trouble = login_trouble(error, login)
            if not _is_terminal():
                raise trouble from error
            print(f"{worded(trouble.title)}\n{worded(trouble.detail)}", file=sys.stderr)
            if not _yes(_("Compare it on the machine. Type yes to accept it: ")):
                print(_("Not accepted, because the answer was not yes."), file=sys.stderr)
                return ExitCode.FAILED
            accept_certificate(find_paths().vnc_certificates, address, error.fingerprint)
        except RfbError as error:
            raise login_trouble(error, login) from error
        else:
            print(_("{address} can be logged in to.").format(address=address))
            return ExitCode.FINISHED


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _yes(question: str) -> bool:
    if _is_terminal() and sys.platform != "win32":
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)  # discards input typed before the question
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin is not None and sys.stdin.readline().strip() == "yes"


def _snapshot(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.app.machine_snapshots import carry_out
    from operator_console.domain.snapshot_acts import SnapshotAct

    done = asyncio.run(carry_out(SnapshotAct.TAKEN, _monitor(args.machine)))
    print(_("Snapshot taken: {name}.").format(name=done.name))
    return ExitCode.FINISHED


def _restore(args: argparse.Namespace) -> int:
    import asyncio

    from operator_console.app.machine_snapshots import carry_out
    from operator_console.domain.snapshot_acts import SnapshotAct
    from operator_console.qmp.snapshot_jobs import find_snapshot

    path = _monitor(args.machine)
    found = asyncio.run(find_snapshot(path))
    sure = (
        found is None
        or (args.yes and not _is_terminal())
        or _yes(
            _("What happened on the machine since {time} is lost. Type yes to go back: ").format(
                time=_local_time(found.taken_s)
            )
        )
    )
    if not sure:
        print(_("Nothing was done, because the answer was not yes."), file=sys.stderr)
        return ExitCode.FAILED
    done = asyncio.run(carry_out(SnapshotAct.RESTORED, path))
    print(_("The machine is back at the snapshot {name}.").format(name=done.name))
    return ExitCode.FINISHED


def _monitor(machine: str) -> str:
    """The monitor of a machine that no session of this display may be working on. Raises OperatorError."""
    from operator_console.app.machine_snapshots import machine_written, monitor_of
    from operator_console.domain.display_names import display_of_person
    from operator_console.guard.latch import LatchState, read_status
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings
    from operator_console.settings.file_locations import find_paths

    path = monitor_of(load_settings(find_paths().settings, options_of), machine_written(machine))
    if read_status(display_of_person(os.environ)).state is LatchState.RUNNING:
        raise OperatorError(notice(NoticeCode.PAUSE_BEFORE_SNAPSHOT), remedy=notice(NoticeCode.PAUSE_OR_STOP_FIRST))
    return path


def _local_time(seconds: int) -> str:
    import datetime as dt

    return f"{dt.datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M:%S}"


def _notes(each: TargetListing) -> list[str]:
    from operator_console.domain.frames import TargetKind

    if each.ref.spec == "vnc":
        return [_("a machine elsewhere; give its address: vnc:HOST:PORT")]
    if each.ref.kind in (TargetKind.VIRTUAL, TargetKind.BROWSER) and each.trouble:
        return [_("cannot be started here")]
    if each.ref.kind is TargetKind.VIRTUAL:
        return [_("an isolated desktop whose ~/Shared is NAME.files beside NAME.ocsession, started for the session")]
    if each.ref.kind is TargetKind.BROWSER:
        return [_("a browser of its own, started for the session")]
    rect = each.rect
    notes = (
        [_("{width} × {height} at {x}, {y}").format(width=rect.width, height=rect.height, x=rect.x, y=rect.y)]
        if rect is not None
        else []
    )
    notes += [_("primary")] if each.primary else []
    notes += [_state(each.state)] if each.state != "shown" else []
    return notes


def _state(state: str) -> str:
    """Why a window cannot be seen."""
    match state:
        case "minimised":
            return _("minimised")
        case "other_desktop":
            return _("on another workspace")
        case "hidden":
            return _("hidden")
        case _other:
            return state


def _fields(each: TargetListing) -> dict[str, object]:
    from operator_console.domain.frames import target_app, target_display

    rect = each.rect
    return {
        "target": each.ref.spec,
        "kind": each.ref.kind.value,
        "title": each.ref.title,
        "app": target_app(each.ref),
        "pid": each.pid,
        "display": target_display(each.ref),
        "rect": rect and {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height},
        "state": each.state,
        "trouble": " ".join(part for part in (each.trouble, each.remedy) if part),
        "primary": each.primary,
    }
