"""`run`: the same loop as the app's, without its window."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.domain.requests import SessionRequest
    from operator_console.domain.risk import Autonomy, Category
    from operator_console.settings.model import Settings

LOGS = True

AUTONOMY = ("observe", "step", "guarded", "auto")
ALLOWABLE = (
    "send", "post", "delete", "terminal", "install", "download-run", "upload", "login", "personal-data", "system",
)  # fmt: skip

_EPILOG = f"""\
TASK is what the model shall do, in your words. With --provider runbook it is the steps
themselves, or @FILE.

examples:
  operator-console run "Compute 12*34 in the calculator"
  operator-console run "Fill in the form" --target "window:Expense report" --autonomy step
  operator-console run @steps.txt --provider runbook
  operator-console run "Sort the inbox" --autonomy auto --allow delete --max-minutes 10
  operator-console run "Look around" --autonomy observe --json > events.jsonl

targets (`operator-console targets` lists what is here):
  monitor:1         a whole monitor, in the order of `targets` (the default)
  window:REGEX      the one window whose title matches
  window:0xID       a window by its id
  virtual[:WxH]     an isolated desktop of its own
  vnc:HOST:PORT     a machine over VNC
  browser[:URL]     a managed browser

autonomy:
  observe   nothing is sent; you see what the model would do
  step      every action waits for your yes
  guarded   ordinary actions run; what sends, deletes, installs, pays ... asks (the default)
  auto      as guarded, and the categories named by --allow run too
  --allow takes: {", ".join(ALLOWABLE[:6])},
                 {", ".join(ALLOWABLE[6:])}
  Paying, filling in secrets, permissions and security, and legal terms are always asked.

questions go to stderr, and need a terminal on stdin and stderr. What was typed before does not
count, a second passes first, and only the word yes confirms. Without a terminal, or with
--answer deny, every question is declined at once, and three in a row end the run.

stopping: Ctrl+Alt+X anywhere, the pointer pushed into a screen corner, or `operator-console stop`
stop at once and stay stopped until `operator-console reset`. Ctrl-C here ends the run in order.

What was done is recorded in a session file, with pictures; what was typed is stored as it was.

exit: 0 finished   1 failed   2 wrong usage   3 stopped   4 a limit was reached
      5 refused to start (stopped before, no live stop, no display, no target or several,
        no key, a second console)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its options."""
    parser.epilog = _EPILOG
    parser.add_argument("task", metavar="TASK", help="what to do")
    what = parser.add_argument_group("what works on what")
    what.add_argument("--target", default="monitor:1", metavar="T", help="what is worked (default: monitor:1)")
    what.add_argument(
        "--provider", default="", metavar="P", help="whose model: gemini (default), runbook, scripted, ..."
    )
    what.add_argument(
        "--model", default="", metavar="M", help="which model (default: the provider's); may also name the provider"
    )
    how = parser.add_argument_group("how much it may do")
    how.add_argument(
        "--autonomy",
        choices=AUTONOMY,
        default="guarded",
        metavar="A",
        help=f"{', '.join(AUTONOMY)} (default: guarded)",
    )
    how.add_argument(
        "--allow", action="append", default=[], metavar="CATEGORY", help="with auto: run this too (repeatable)"
    )
    how.add_argument("--max-steps", type=int, metavar="N", help="end after N steps (default: 100)")
    how.add_argument("--max-minutes", type=float, metavar="N", help="end after N minutes, questions not counted (30)")
    record = parser.add_argument_group("its record").add_mutually_exclusive_group()
    record.add_argument("--session", metavar="NEWFILE", help="record into this new file")
    record.add_argument("--resume", metavar="FILE", help="go on with this session")
    talk = parser.add_argument_group("how it talks")
    talk.add_argument("--json", action="store_true", help="one JSON object per event on stdout")
    talk.add_argument("--answer", choices=("ask", "deny"), default="ask", help="ask here (default), or decline all")
    talk.add_argument("--verbose", action="store_true", help="say on stderr what goes into the log")


def execute(args: argparse.Namespace) -> int:
    """Check what was asked for, and run it."""
    from operator_console.cli.options import AnswerMode, RunOptions
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings
    from operator_console.settings.paths import find_paths

    _check_usage(args)
    request = request_of(args, load_settings(find_paths().settings, options_of))
    options = RunOptions(json=args.json, answer=AnswerMode(args.answer), verbose=args.verbose)
    from operator_console.app import run_headless

    return run_headless(request, options)


def request_of(args: argparse.Namespace, settings: Settings) -> SessionRequest:
    """The request of a checked command line.

    What it leaves open has the documented defaults, not what was last chosen in the app: a script must mean the same
    everywhere. The settings' list of allowed categories and the lead time do count.
    """
    from operator_console.computers.targets import parse_target
    from operator_console.domain.requests import DEFAULT_MAX_MINUTES, DEFAULT_MAX_STEPS, SessionRequest
    from operator_console.domain.risk import Autonomy
    from operator_console.providers.registry import resolve
    from operator_console.settings.paths import find_paths

    autonomy = Autonomy(args.autonomy)
    parse_target(args.target)
    provider, model = resolve(args.provider, args.model)
    return SessionRequest(
        task=args.task,
        target=args.target,
        provider=provider.name,
        model=model,
        autonomy=autonomy,
        allow=_allowed(args.allow, autonomy, settings.session.allow),
        max_steps=DEFAULT_MAX_STEPS if args.max_steps is None else args.max_steps,
        max_minutes=DEFAULT_MAX_MINUTES if args.max_minutes is None else args.max_minutes,
        lead_time_s=settings.timing.lead_time_run_s,
        record=Path(args.session).expanduser().absolute() if args.session else None,
        resume=find_paths().session(args.resume) if args.resume else None,
    )


def _check_usage(args: argparse.Namespace) -> None:
    if not args.task.strip():
        raise _usage("There is no task.", 'Say what is to be done: operator-console run "Open the calculator".')
    if args.max_steps is not None and args.max_steps < 1:
        raise _usage(f"--max-steps {args.max_steps} leaves nothing to do.", "Give at least 1.")
    if args.max_minutes is not None and not 0 < args.max_minutes < 1e9:
        raise _usage(f"--max-minutes {args.max_minutes} is no time.", "Give a number above 0.")
    if args.session:
        _check_new(Path(args.session).expanduser())
    if args.resume:
        from operator_console.journal.opening import check_is_session
        from operator_console.settings.paths import find_paths

        check_is_session(find_paths().session(args.resume))


def _check_new(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise _usage(
            f"“{path}” exists already, and a new session never writes into an old file.",
            "Give --session a new name, or go on with that session by --resume.",
        )
    if not path.absolute().parent.is_dir():
        raise _usage(f"The folder of “{path}” does not exist.", "Create it, or give --session another place.")


def _allowed(names: list[str], autonomy: Autonomy, kept: tuple[Category, ...]) -> tuple[Category, ...]:
    from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category

    chosen: list[Category] = []
    for name in names:
        if name not in {category.value for category in Category}:
            raise _usage(f"--allow {name}: there is no such category.", f"Known: {', '.join(ALLOWABLE)}.")
        category = Category(name)
        if category in ALWAYS_ASKED:
            raise _usage(f"--allow {name}: this is always asked.", f"What can be allowed: {', '.join(ALLOWABLE)}.")
        chosen.append(category)
    if autonomy is not Autonomy.AUTO:
        if chosen:
            raise _usage("--allow counts only with --autonomy auto.", "Add --autonomy auto, or leave --allow out.")
        return ()
    return tuple(dict.fromkeys((*chosen, *kept)))


def _usage(title: str, remedy: str) -> Exception:
    from operator_console.domain.errors import ExitCode, OperatorError

    return OperatorError(title, remedy=remedy, exit_code=ExitCode.USAGE)
