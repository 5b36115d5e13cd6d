"""Parses the command line, runs one command, and turns every error into a sentence, a remedy and an exit code.

Nothing heavy is imported here: `--help`, `status` and `stop` must start in a few hundredths of a second. Each command
is a module of its name with `configure(parser)`, `execute(args)` and `LOGS` (whether the log file is opened before; the
window opens it when it is drawn); only those that the command line names are imported.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace

from operator_console import __version__
from operator_console.cli import log
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, ExitCode, OperatorError

TYPE_CHECKING = False  # importing typing takes longer than this module
if TYPE_CHECKING:
    import argparse

_COMMANDS = {
    "run": "let a model do one task, here in the terminal",
    "practice": "try everything on a small window of our own: no key, no network",
    "targets": "list the monitors and windows that can be worked here",
    "models": "list models, check a key, or store one",
    "sessions": "list, show, verify, export, replay or delete what was recorded",
    "stop": "stop whatever runs, at once; it stays stopped until reset",
    "status": "say what runs or is stopped",
    "reset": "end a stop, so that a session may be started again",
    "doctor": "say what works here, and what to do about the rest",
}

_DESCRIPTION = """\
Supervise a computer-use model that works a real desktop: see where each action will
land, approve, edit or skip it, take over, and stop it at any time.

Without a command the desktop app opens."""

_EPILOG = """\
examples:
  operator-console practice                try it: no key, no network
  operator-console run "Tidy the list"     the same loop without the window
  operator-console stop                    stop whatever runs, from any terminal
  operator-console doctor                  what works here, and what to do

`operator-console COMMAND --help` says more. Ctrl+Alt+X stops a run everywhere.
Help pages: {help_pages}"""


# An emergency does not wait for a grammar: these exact command lines need none.
_AT_ONCE: dict[tuple[str, ...], dict[str, object]] = {
    (): {"session": None, "verbose": False},  # nor does the window
    ("stop",): {},
    ("status",): {"json": False, "display": None},
    ("status", "--json"): {"json": True, "display": None},
}


def build_parser(named: Sequence[str]) -> argparse.ArgumentParser:
    """The grammar, with the options of those commands that are `named`."""
    import argparse

    from operator_console.cli import app

    parser = argparse.ArgumentParser(
        prog="operator-console",
        description=_DESCRIPTION,
        epilog=_EPILOG.format(help_pages=_help_pages()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"operator-console {__version__}")
    app.configure(parser)
    parser.set_defaults(execute=app.execute, logs=app.LOGS, verbose=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, summary in _COMMANDS.items():
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
        return "missing; install the program again"


def run_command_line(argv: Sequence[str] | None = None) -> int:
    """Run it. Usage errors and --help leave through SystemExit (2 and 0), as argparse does it."""
    words = sys.argv[1:] if argv is None else list(argv)
    args = _at_once(words) or build_parser(words).parse_args(words)
    try:
        return _execute(args)
    except ConsoleError as error:
        _complain(error)
        return _exit_code(error)
    except KeyboardInterrupt:
        return ExitCode.STOPPED
    except BrokenPipeError:
        # The reader of stdout has gone (`| head`): nothing more to say, and nothing to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED


def _at_once(words: list[str]) -> SimpleNamespace | None:
    options = _AT_ONCE.get(tuple(words))
    if options is None:
        return None
    module = importlib.import_module(f"operator_console.cli.{words[0] if words else 'app'}")
    return SimpleNamespace(execute=module.execute, logs=module.LOGS, **options)


def _execute(args: argparse.Namespace | SimpleNamespace) -> int:
    if args.logs:
        log.start(verbose=args.verbose)
    try:
        code = int(args.execute(args))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except (ConsoleError, BrokenPipeError):
        if log.is_open():
            log.add_error("the command ended with an error")
        raise
    except Exception as error:
        path = log.add_error("the command failed")
        raise ConsoleError(
            "Something went wrong inside the console itself.",
            detail=f"{type(error).__name__}; nothing more is done.",
            remedy=f"The log says more: {path}",
        ) from error
    finally:
        log.stop()


def _complain(error: ConsoleError) -> None:
    lines = [f"operator-console: {error.title}"]
    lines += [f"  {part}" for part in (error.detail, error.remedy) if part]
    print("\n".join(_plain(line) for line in lines), file=sys.stderr)


def _plain(text: str) -> str:
    """Text that may quote files, windows or services, without anything that a terminal would obey."""
    return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text)


def _exit_code(error: ConsoleError) -> int:
    if isinstance(error, OperatorError):
        return error.exit_code
    if isinstance(error, ComputerUnavailable):
        return ExitCode.REFUSED
    if type(error).__name__ == "NotASession":  # by name: importing the journal is dear, and this path is `stop`'s too
        return ExitCode.USAGE
    return ExitCode.FAILED
