"""The table of sub-commands: parses the command line, runs one, and reports errors with a remedy and an exit code.

`--help`, `status` and `stop` must start within a few hundredths of a second, so this module imports little, and of
the commands only those on the command line. Each command is a module of the same name with `configure(parser)`,
`execute(args)` and `LOGS`: whether the log file is opened before `execute`. Without one, `window` is run.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace

from operator_console import __version__
from operator_console.cli import log
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, ExitCode, OperatorError
from operator_console.domain.translations import DOMAIN, _, use

TYPE_CHECKING = False  # importing typing takes longer than this module
if TYPE_CHECKING:
    import argparse

_COMMANDS = ("run", "practice", "targets", "models", "mcp", "secrets", "sessions", "stop", "status", "reset", "doctor")


def _summaries() -> dict[str, str]:
    """What each command does, as a sentence without its full stop."""
    return {
        "run": _("let a model do one task, without the window"),
        "practice": _("try the console on a built-in practice window; no key, no network"),
        "targets": _("list the monitors and windows that a model can work on"),
        "models": _("list models, make profiles of them, check one, or store a key"),
        "mcp": _("list MCP servers, try one, or store a key for them"),
        "secrets": _("list, store or delete secrets that can be typed by name"),
        "sessions": _("list, show, verify, export, replay or delete recorded sessions"),
        "stop": _("stop all sessions at once, and block new ones until reset"),
        "status": _("show whether a session is running, paused or stopped"),
        "reset": _("clear a stop, so that sessions can start again"),
        "doctor": _("check what works on this computer, and what to do about the rest"),
    }


# These command lines skip argparse, because a stop must be fast.
_FAST_PATHS: dict[tuple[str, ...], dict[str, object]] = {
    (): {"session": None, "verbose": False},  # the window must appear fast, too
    ("stop",): {},
    ("status",): {"json": False, "display": None},
    ("status", "--json"): {"json": True, "display": None},
}


def build_parser(named: Sequence[str]) -> argparse.ArgumentParser:
    """The parser, with the options of the commands in `named` only."""
    import argparse

    from operator_console.cli import window

    parser = argparse.ArgumentParser(
        prog="operator-console",
        description=_("""\
Supervise a computer-use model on a real desktop: see each action before it runs, approve,
edit or skip it, take over, and stop it at any time.

Without a command, the desktop app opens."""),
        epilog=_("""\
examples:
  operator-console practice                try it: no key, no network
  operator-console run "Tidy the list"     run one task without the window
  operator-console stop                    stop all sessions, from any terminal
  operator-console doctor                  check this computer

For the options of a command: operator-console COMMAND --help. Ctrl+Alt+X stops at any time.
Help pages: {help_pages}""").format(help_pages=_help_pages()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"operator-console {__version__}",
        help=_("show program's version number and exit"),
    )
    window.configure(parser)
    parser.set_defaults(execute=window.execute, logs=window.LOGS, verbose=False)
    commands = parser.add_subparsers(title=_("commands"), metavar="COMMAND")
    for name, summary in _summaries().items():
        command = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name in named:
            module = importlib.import_module(f"operator_console.cli.{name}")
            command.set_defaults(execute=module.execute, logs=module.LOGS)
            module.configure(command)
    return parser


def _help_pages() -> str:
    from operator_console.resource_files import resource_path

    try:
        return str(resource_path("help", "index.md"))
    except FileNotFoundError:  # an incomplete installation can still be stopped and reset
        return _("missing, please reinstall the program")


def run_command_line(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. Usage errors and --help raise SystemExit (2 and 0)."""
    _use_language_of_environment()
    _write_any_text()
    words = sys.argv[1:] if argv is None else list(argv)
    args = _fast_path(words) or build_parser(words).parse_args(words)
    try:
        return _execute(args)
    except ConsoleError as error:
        print(error.for_terminal, file=sys.stderr)
        return _exit_code(error)
    except KeyboardInterrupt:
        return ExitCode.STOPPED


def _use_language_of_environment() -> None:
    """Set the language of this process, and of argparse's own words, as gettext finds it: from LANGUAGE, LC_ALL,
    LC_MESSAGES or LANG, where there is a catalogue for it."""
    from operator_console.resource_files import resource_path

    try:
        folder = os.environ.get("TEXTDOMAINDIR") or str(resource_path("locale"))
    except FileNotFoundError:
        return  # no catalogue is shipped
    import gettext
    import struct

    try:
        use(gettext.translation(DOMAIN, folder))
    except (
        OSError,
        ValueError,
        struct.error,
    ):  # none for it, or one that cannot be read: a stop must work nevertheless
        return
    gettext.bindtextdomain(DOMAIN, folder)
    gettext.textdomain(DOMAIN)


def _write_any_text() -> None:
    """Have characters that the encoding of a terminal or file lacks written as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fast_path(words: list[str]) -> SimpleNamespace | None:
    options = _FAST_PATHS.get(tuple(words))
    if options is None:
        return None
    module = importlib.import_module(f"operator_console.cli.{words[0] if words else 'window'}")
    return SimpleNamespace(execute=module.execute, logs=module.LOGS, **options)


def _execute(args: argparse.Namespace | SimpleNamespace) -> int:
    if args.logs:
        log.start(verbose=args.verbose)
    try:
        code = int(args.execute(args))
        _output_was_closed()  # what the command found out holds, read or not
        return code
    except ConsoleError as error:  # no fault of the program: its words say what happened
        log.add(f"the command ended with an error: {error} (from {type(error.__cause__).__name__})")
        raise
    except Exception as error:
        if isinstance(error, BrokenPipeError) and (_output_was_closed() or _has_no_reader()):
            return ExitCode.FINISHED
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            raise _unwritten(error) from error
        path = log.add_error("the command failed")
        from operator_console.domain.message_texts import notice
        from operator_console.domain.notices import NoticeCode

        raise ConsoleError(
            notice(NoticeCode.COMMAND_FAILED),
            detail=notice(NoticeCode.COMMAND_NOT_COMPLETED, error=type(error).__name__),
            remedy=notice(NoticeCode.SEE_LOG_FILE, path=str(path)),
        ) from error
    finally:
        log.stop()


def _output_was_closed() -> bool:
    """Flush the output; whether its reader was closed (`| head`), which is no error. Raises OSError for any other."""
    closed = False
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError as error:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())  # Python flushes the rest at its exit
            os.close(null)
            if not isinstance(error, BrokenPipeError):
                raise
            closed = True
    return closed


def _unwritten(error: OSError) -> ConsoleError:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    return ConsoleError(
        notice(NoticeCode.OUTPUT_NOT_WRITTEN),
        detail=f"{error.strerror}.",
        remedy=notice(NoticeCode.FREE_SPACE_FOR_OUTPUT),
    )


def _has_no_reader() -> bool:
    """Whether the reader of stdout or stderr has closed it: of output that is not buffered, no flush tells."""
    import select

    if sys.platform == "win32":
        return False
    poll = select.poll()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            poll.register(stream.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _exit_code(error: ConsoleError) -> int:
    if isinstance(error, OperatorError):
        return error.exit_code
    if isinstance(error, ComputerUnavailable):
        return ExitCode.REFUSED
    if type(error).__name__ == "NotASession":  # by name: importing the journal would slow down `stop`
        return ExitCode.USAGE
    return ExitCode.FAILED
