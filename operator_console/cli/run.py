"""`run`: runs one task in the terminal, without the window."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from operator_console.domain.translations import _

if TYPE_CHECKING:
    from decimal import Decimal

    from operator_console.domain.events import SessionStarted
    from operator_console.domain.prices import Price
    from operator_console.domain.risk import Autonomy, Category
    from operator_console.domain.session_request import SessionRequest
    from operator_console.domain.tools import SandboxTool
    from operator_console.settings.model import Settings
    from operator_console.settings.profiles import Profile

LOGS = True

AUTONOMY = ("observe", "step", "guarded", "auto")
ALLOWABLE = (
    "send", "post", "delete", "terminal", "install", "download-run", "upload", "login", "personal-data", "system",
    "unknown",
)  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _("""\
TASK describes in your words what the model should do. With --provider runbook it is the steps
to run, or @FILE.

examples:
  operator-console run "Compute 12*34 in the calculator"
  operator-console run "Fill in the form" --target "window:Expense report" --autonomy step
  operator-console run @steps.txt --provider runbook
  operator-console run "Sort the inbox" --autonomy auto --allow delete --max-minutes 10
  operator-console run "Look around" --autonomy observe --json > events.jsonl
  operator-console run "Sort the inbox" --price 0.30/2.50 --max-cost 1
  operator-console run "Tidy the list" --profile "My endpoint"
  operator-console run "Find the opening hours" --target browser:example.org --site "*.example.org"

targets (operator-console targets lists those on this computer):
  monitor:1         a whole monitor, numbered as in the list of targets (default)
  window:REGEX      the window whose title matches; there must be only one
  window:0xID       the window with this ID
  virtual[:WxH]     a new, isolated desktop
  vnc:HOST:PORT     another computer over VNC; operator-console targets key keeps its password
  browser[:URL]     a browser of its own, without a window where there is no display

autonomy:
  observe   sends no input; shows what the model would do
  step      asks before every action
  guarded   runs ordinary actions; asks before sending, deleting, installing, paying ... (default)
  auto      like guarded, but also runs the categories given with --allow
  Categories for --allow: {categories},
                          {more_categories}
  Payments, secrets, permissions and security, and legal terms always need your confirmation.

Questions are printed to stderr. Answering needs a terminal on stdin and stderr. Input before a
question and within its first second is ignored. yes or y confirms, what is risky (C3, C4) the whole
word yes alone; no or n declines. Without a terminal, or with --answer deny, every question is
declined, and the third in a row ends the run.

To stop at once, press Ctrl+Alt+X, push the pointer into a corner of the screen, or run
operator-console stop. New sessions are then blocked until operator-console reset. Ctrl-C in this
terminal ends the run without blocking new ones. Without a display, keys and corners do not stop.

The session file records every action, with pictures and what was typed, except into password fields.

exit: 0 finished   1 failed   2 wrong usage   3 stopped   4 a limit was reached
      5 refused to start (stopped before, stop not working, no display, no target or several,
        no key, another console is running)""").format(
        categories=", ".join(ALLOWABLE[:6]), more_categories=", ".join(ALLOWABLE[6:])
    )
    parser.add_argument("task", metavar="TASK", help=_("the task, in your words"))
    what = parser.add_argument_group(_("model and target"))
    what.add_argument(
        "--target", default="monitor:1", metavar="T", help=_("where the model works (default: monitor:1)")
    )
    what.add_argument(
        "--provider", default="", metavar="P", help=_("provider of the model: gemini (default), anthropic, openai, ...")
    )
    what.add_argument(
        "--model",
        default="",
        metavar="M",
        help=_("the model (default: that of the provider); can imply the provider"),
    )
    what.add_argument(
        "--profile",
        default="",
        metavar="NAME",
        help=_("a model profile of the settings, instead of --provider and --model; its limits hold unless given here"),
    )
    what.add_argument(
        "--site",
        action="append",
        default=[],
        metavar="HOST",
        help=_(
            "a site in scope: HOST, *.HOST or HOST:PORT (repeatable). --target browser reaches no other one (default: "
            "allowed_sites of the settings); elsewhere another one is asked about once"
        ),
    )
    what.add_argument(
        "--app",
        action="append",
        default=[],
        metavar="NAME",
        help=_("an application in scope (repeatable); another one is asked about once"),
    )
    what.add_argument(
        "--hide",
        action="append",
        default=[],
        metavar="WHAT",
        help=_(
            "what no picture shows: region:X,Y,WxH, window:TITLE or app:NAME (repeatable; those of the settings too)"
        ),
    )
    how = parser.add_argument_group(_("autonomy and limits"))
    how.add_argument(
        "--autonomy",
        choices=AUTONOMY,
        default="guarded",
        metavar="A",
        help=_("{levels} (default: guarded)").format(levels=", ".join(AUTONOMY)),
    )
    how.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="CATEGORY",
        help=_("with auto: also run this category (repeatable)"),
    )
    how.add_argument(
        "--mcp",
        action="append",
        metavar="NAME",
        help=_("use this MCP server of the settings, and not those enabled there (repeatable; none: no server)"),
    )
    how.add_argument(
        "--sandbox",
        action="append",
        choices=("bash", "editor", "none"),
        metavar="TOOL",
        help=_("offer this tool to the model, in a sandbox: bash, editor (repeatable; default: those of the settings)"),
    )
    how.add_argument("--folder", metavar="DIR", help=_("working folder of the sandboxed tools (default: a new one)"))
    how.add_argument("--max-steps", type=int, metavar="N", help=_("end after N steps (default: 100)"))
    how.add_argument(
        "--max-minutes", type=float, metavar="N", help=_("end after N minutes, not counting questions (30)")
    )
    how.add_argument(
        "--max-cost",
        metavar="AMOUNT",
        help=_("ask before more than this is spent, else end; in the currency of the price"),
    )
    how.add_argument(
        "--price",
        metavar="IN/OUT",
        help=_("prices of a million input and output tokens; also IN/OUT/CACHED, and IN/OUT/CACHED/WRITTEN to a cache"),
    )
    how.add_argument("--currency", default="USD", metavar="NAME", help=_("currency of the price (default: USD)"))
    record = parser.add_argument_group(_("recording")).add_mutually_exclusive_group()
    record.add_argument("--session", metavar="NEWFILE", help=_("record to this new file"))
    record.add_argument("--resume", metavar="FILE", help=_("continue this session, with its model unless one is named"))
    talk = parser.add_argument_group(_("output and questions"))
    talk.add_argument("--json", action="store_true", help=_("print one JSON object per event"))
    talk.add_argument(
        "--answer",
        choices=("ask", "deny"),
        default="ask",
        help=_("ask here (default), or decline all"),
    )
    talk.add_argument("--verbose", action="store_true", help=_("write log lines to stderr, too"))


def execute(args: argparse.Namespace) -> int:
    from operator_console.providers.registry import options_of
    from operator_console.settings.file import load_settings
    from operator_console.settings.file_locations import find_paths

    _check_usage(args)
    request = request_of(args, load_settings(find_paths().settings, options_of))
    from operator_console.app import run_headless
    from operator_console.cli.terminal import AnswerMode, RunOptions  # with all that is printed

    options = RunOptions(json=args.json, answer=AnswerMode(args.answer), verbose=args.verbose)
    return run_headless(request, options)


def request_of(args: argparse.Namespace, settings: Settings) -> SessionRequest:
    """Build the session request from a checked command line.

    Missing options get the documented defaults, not the last choices in the app, so that a script does the same
    everywhere. From the settings come only the allowed categories, the lead time, and the profile that is named.
    """
    from operator_console.app.profile_setup import with_price
    from operator_console.computers.targets import parse_target
    from operator_console.domain.risk import Autonomy
    from operator_console.domain.scope import ScopeSource
    from operator_console.domain.session_request import DEFAULT_MAX_MINUTES, DEFAULT_MAX_STEPS, SessionRequest
    from operator_console.settings.file_locations import find_paths

    autonomy = Autonomy(args.autonomy)
    parse_target(args.target)
    resumed = find_paths().session(args.resume) if args.resume else None
    before = _last_start(resumed) if resumed is not None else None
    named = _named_model(args, before)
    provider, model, profile = _chosen_model(named, settings)
    max_steps = (profile and profile.max_steps) or DEFAULT_MAX_STEPS
    max_minutes = (profile and profile.max_minutes) or DEFAULT_MAX_MINUTES
    limit_of_profile = profile.max_cost if profile else None
    request = SessionRequest(
        task=args.task,
        target=args.target,
        provider=provider,
        model=model,
        profile=named.profile,
        autonomy=autonomy,
        allow=_allowed(args.allow, autonomy, settings.session.allow),
        max_steps=max_steps if args.max_steps is None else args.max_steps,
        max_minutes=max_minutes if args.max_minutes is None else args.max_minutes,
        price=price_of(args.price, args.currency) if args.price else None,
        max_cost=_amount("--max-cost", args.max_cost) if args.max_cost else limit_of_profile,
        lead_time_s=settings.timing.lead_time_run_s,
        mcp_servers=_servers(args.mcp, settings),
        sandbox_tools=_tools(args.sandbox),
        sandbox_folder=Path(args.folder).expanduser().absolute() if args.folder else None,
        sites=_sites(args.site, before),
        apps=tuple(dict.fromkeys(args.app)) or (before.apps if before is not None else ()),
        effects=before.effects if before is not None else None,
        scope_by=before.scope_by if before is not None else ScopeSource.OPERATOR,
        hide=_hidden(args.hide, before),
        record=Path(args.session).expanduser().absolute() if args.session else None,
        resume=resumed,
    )
    return with_price(settings, request)


class _NamedModel(NamedTuple):
    provider: str
    model: str
    profile: str


def _last_start(path: Path) -> SessionStarted | None:
    """How the last run of a session began; None if the file does not say."""
    from operator_console.domain.events import SessionStarted
    from operator_console.journal.read import Reader

    with Reader(path) as reader:
        starts = [record.event for record in reader.records(kinds=("session_started",))]
    return starts[-1] if starts and isinstance(starts[-1], SessionStarted) else None


def _named_model(args: argparse.Namespace, before: SessionStarted | None) -> _NamedModel:
    """What the command line names; where it names nothing and continues a session, the session's own."""
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    for option in ("provider", "model") if args.profile else ():
        if getattr(args, option):
            raise _usage(
                notice(NoticeCode.PROFILE_WITH_MODEL, option=f"--{option}"),
                notice(NoticeCode.LEAVE_OUT_ONE_OR_MAKE_PROFILE),
            )
    named = _NamedModel(args.provider, args.model, args.profile)
    if before is None or any(named):
        return named
    return _NamedModel(before.provider, before.model, before.profile)


def _chosen_model(named: _NamedModel, settings: Settings) -> tuple[str, str, Profile | None]:
    """The provider and the model, and the profile that names them."""
    from operator_console.providers.registry import resolve

    if not named.profile:
        provider, model = resolve(named.provider, named.model)
        return provider.name, model, None
    from operator_console.app.profile_setup import find_profile, provider_of

    profile = find_profile(settings, named.profile)
    provider, model = resolve(provider_of(named.profile, profile).name, profile.model)
    return provider.name, model, profile


def _check_usage(args: argparse.Namespace) -> None:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if not args.task.strip():
        raise _usage(notice(NoticeCode.TASK_EMPTY), notice(NoticeCode.DESCRIBE_TASK))
    if args.max_steps is not None and args.max_steps < 1:
        raise _usage(notice(NoticeCode.MAX_STEPS_TOO_SMALL, steps=args.max_steps), notice(NoticeCode.USE_ONE_OR_MORE))
    if args.max_minutes is not None and not 0 < args.max_minutes < 1e9:
        raise _usage(
            notice(NoticeCode.MAX_MINUTES_INVALID, minutes=args.max_minutes), notice(NoticeCode.USE_POSITIVE_NUMBER)
        )
    if args.session:
        _check_new(Path(args.session).expanduser())
    if args.resume:
        from operator_console.journal.read import check_is_session
        from operator_console.settings.file_locations import find_paths

        check_is_session(find_paths().session(args.resume))


def _check_new(path: Path) -> None:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if path.exists() or path.is_symlink():
        raise _usage(
            notice(NoticeCode.SESSION_PATH_TAKEN, path=str(path)), notice(NoticeCode.CHOOSE_NEW_FILE_OR_RESUME)
        )
    if not path.absolute().parent.is_dir():
        raise _usage(
            notice(NoticeCode.SESSION_FOLDER_MISSING, path=str(path)), notice(NoticeCode.CREATE_OR_CHOOSE_FOLDER)
        )


def _sites(names: list[str], before: SessionStarted | None) -> tuple[str, ...]:
    """What the command line names; where it names nothing and continues a session, the session's own."""
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.settings.model import check_site

    for name in names:
        try:
            check_site(name)
        except ValueError as error:
            raise _usage(notice(NoticeCode.NOT_A_SITE, site=name), notice(NoticeCode.WRITE_SITE_SO)) from error
    if not names and before is not None:
        return before.sites
    return tuple(dict.fromkeys(names))


def _hidden(texts: list[str], before: SessionStarted | None) -> tuple[str, ...]:
    """The shutters of the command line, and those of the session that is continued: a shutter stays."""
    from operator_console.domain.shutters import parse_shutters, shutter_text

    kept = before.hide if before is not None else ()
    return tuple(map(shutter_text, parse_shutters((*kept, *texts))))


def price_of(text: str, currency: str) -> Price:
    """The price that `--price` and `--currency` give. Raises OperatorError (usage) if it is malformed."""
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.domain.prices import Price

    parts = text.split("/")
    if not 2 <= len(parts) <= 4:
        raise _usage(notice(NoticeCode.PRICE_INVALID, price=text), notice(NoticeCode.WRITE_PRICE_SO))
    if not re.fullmatch(r"[^\s\d]{1,8}", currency):
        raise _usage(notice(NoticeCode.CURRENCY_INVALID, currency=currency), notice(NoticeCode.WRITE_CURRENCY_SO))
    amounts = [_amount("--price", part) for part in parts]
    cached, written = (*amounts[2:], None, None)[:2]
    return Price(input=amounts[0], output=amounts[1], cached=cached, cache_write=written, currency=currency)


def _amount(option: str, text: str) -> Decimal:
    from decimal import Decimal

    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text.strip(), re.ASCII):
        raise _usage(notice(NoticeCode.AMOUNT_INVALID, option=option, amount=text), notice(NoticeCode.WRITE_AMOUNT_SO))
    return Decimal(text.strip())


def _allowed(names: list[str], autonomy: Autonomy, from_settings: tuple[Category, ...]) -> tuple[Category, ...]:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category

    one_of = notice(NoticeCode.USE_ONE_OF, names=", ".join(ALLOWABLE))
    chosen: list[Category] = []
    for name in names:
        if name not in {category.value for category in Category}:
            raise _usage(notice(NoticeCode.ALLOW_UNKNOWN_CATEGORY, category=name), one_of)
        category = Category(name)
        if category in ALWAYS_ASKED:
            raise _usage(notice(NoticeCode.ALLOW_NEVER_POSSIBLE, category=name), one_of)
        chosen.append(category)
    if autonomy is not Autonomy.AUTO:
        if chosen:
            raise _usage(notice(NoticeCode.ALLOW_NEEDS_AUTO), notice(NoticeCode.ADD_AUTO_OR_REMOVE_ALLOW))
        return ()
    return tuple(dict.fromkeys((*chosen, *from_settings)))


def _servers(names: list[str] | None, settings: Settings) -> tuple[str, ...] | None:
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode

    if names is None:
        return None
    chosen = tuple(name for name in dict.fromkeys(names) if name != "none")
    for name in chosen:
        if name not in settings.mcp.servers:
            raise _usage(
                notice(NoticeCode.MCP_SERVER_UNKNOWN, server=name),
                notice(NoticeCode.WRITE_MCP_SECTION, server=name),
            )
    return chosen


def _tools(names: list[str] | None) -> tuple[SandboxTool, ...] | None:
    from operator_console.domain.tools import SandboxTool

    return None if names is None else tuple(SandboxTool(name) for name in dict.fromkeys(names) if name != "none")


def _usage(title: str, remedy: str) -> Exception:
    from operator_console.domain.errors import ExitCode, OperatorError

    return OperatorError(title, remedy=remedy, exit_code=ExitCode.USAGE)
