"""What the terminal says is in the person's language: all of it is accented, but names, values and paths."""

from __future__ import annotations

import argparse
import gettext
import hashlib
import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from operator_console.cli.run import ALLOWABLE
from operator_console.cli.subcommands import _COMMANDS
from operator_console.cli.terminal_questions import _prompt_of, question_lines
from operator_console.computers.target_spec import TargetListing
from operator_console.desktop.values import WindowState
from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.events import (
    Answered,
    Blocked,
    BlockedBy,
    Decided,
    Downloaded,
    Ended,
    EndedOutcome,
    Event,
    HandedBack,
    HandedOver,
    Message,
    Observed,
    Paused,
    PermissionRevoked,
    Proposed,
    Reset,
    Resumed,
    Snapshot,
    Stopped,
    Warned,
)
from operator_console.domain.frames import BrowserTarget, MonitorTarget, VirtualTarget, VncTarget, WindowTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.permissions import Coverage, PermissionOffer, PermittedAct, RevokedBy
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import RiskClass
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.domain.target_tests import TargetReport, Tried, TriedLine
from operator_console.domain.translations import ENGLISH, use
from operator_console.engine.operator_channel import BY_GUARD
from operator_console.journal.write import SessionJournal
from operator_console.settings.file_locations import find_paths
from tests.accented import Accented, in_english
from tests.cli.command import Result, command
from tests.cli.test_question_lines import asked
from tests.ui.reading_page.recorded_session import full_session
from tests.ui.reading_page.test_page import TOLD

# Names: of commands and verbs, options and their values, providers; they are the same in every language.
_NAMES = re.compile(
    r"operator-console(\s[a-z]+)?|Ctrl\+Alt\+X|--?[a-z][\w-]*|\{[^}]*\}|/\S+|\bvnc:\S+|\bvm:\S+"
    r"|^ +(run|practice|targets|models|mcp|secrets|sessions|stop|status|reset|doctor|list|show|verify|export|replay"
    r"|delete|check|key|profile|add|set|snapshot|restore|test)\b",
    re.MULTILINE,
)
_WORDS = {
    "monitor", "observe", "step", "guarded", "auto", "ask", "deny", "bash", "editor", "none", "gemini", "anthropic",
    "openai", "nobody", "kB", "html", "jsonl", "zip", *" ".join(ALLOWABLE).replace("-", " ").split(),
}  # fmt: skip


def run(*words: str) -> Result:
    """The command in this language, of which no catalogue is made: that takes seconds."""
    language = Accented()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gettext, "translation", lambda *_: language)
        patch.setattr(argparse, "_", lambda text: text and language.gettext(text))
        patch.setattr(argparse, "ngettext", language.ngettext)
        try:
            return command(*words, TEXTDOMAINDIR="/", COLUMNS="100")
        finally:
            use(ENGLISH)
            gettext.textdomain("messages")


def escaped(text: str) -> list[str]:
    return [word for word in in_english(_NAMES.sub(" ", text)) if word not in _WORDS]


@pytest.mark.parametrize("words", [(), *((name,) for name in _COMMANDS)], ids=lambda words: " ".join(words) or "all")
def test_help(words: tuple[str, ...]) -> None:
    out = run(*words, "--help").out
    usage, _, rest = out.partition("\n\n")
    assert usage and escaped(rest) == []


SAID = (
    ("status",), ("reset",), ("reset", "--yes"), ("mcp",), ("sessions", "list"), ("run",), ("targets",), ("stop",),
    ("models", "profile", "list"), ("models", "check", "nobody"), ("sessions", "export", "/a", "--to", "/b.html"),
    ("sessions", "replay", "/a"), ("sessions", "delete", "/a"),
)  # fmt: skip


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_what_a_command_says(words: tuple[str, ...]) -> None:
    result = run(*words)
    said = result.out + result.err.rpartition("\n\n")[2]
    assert said and escaped(said) == []


_OF_OTHERS = re.compile(
    r"^(ok |NO |-- ) +\S+|DISPLAY|[A-Z]+_API_KEY|models \S+ \S+|(Google |Anthropic )?(Gemini|Claude|OpenAI)"
    r"|(Latin|Chinese|Japanese|Arabic|Cyrillic|Devanagari|Greek|Hangul|Hebrew|Thai)\b|Linux x86_64|Chrome",
    re.MULTILINE,
)
"""Of `doctor`: the names of its checks, of services, scripts and this system."""


def test_what_doctor_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    out = run("doctor").out
    assert out and escaped(_OF_OTHERS.sub(" ", out)) == []


def test_errors_are_worded() -> None:
    result = run("run", "t", "--max-steps", "0")
    assert result.code == 2 and escaped(result.err) == []


def test_what_models_says() -> None:
    for words in ((), ("check", "runbook")):
        out = run("models", *words).out
        assert out and escaped(OF_MODELS.sub(" ", out)) == []


OF_MODELS = re.compile(r"^\w+ |^ {8,}[\w./-]+(?= \(|$)|\w+=\w+", re.MULTILINE)
"""Names of providers and of models, and options."""


def test_what_targets_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    missing, remedy = notice(NoticeCode.BROWSER_NOT_FOUND), notice(NoticeCode.INSTALL_BROWSER)
    size, window = Rect(0, 0, 1280, 800), WindowTarget(spec="window:0x7", title="“Notes”", window_id=7)
    found = [
        TargetListing(ref=MonitorTarget(spec="monitor:1", title="Monitor 1 · 1280 × 800"), rect=size, primary=True),
        *(TargetListing(ref=window, rect=size, state=state.value) for state in WindowState),
        TargetListing(ref=VirtualTarget(spec="virtual", title="Virtual desktop · 1280 × 800")),
        TargetListing(ref=BrowserTarget(spec="browser", title="Browser"), trouble=missing, remedy=remedy),
        TargetListing(ref=VncTarget(spec="vnc", title="VNC machine")),
    ]
    monkeypatch.setattr("operator_console.computers.targets.list_targets", lambda _own: found)
    out = run("targets").out
    rows = [re.sub(r"^\S*|“Notes”|\bvnc:\S+|~/Shared|NAME\.\w+", "", line) for line in out.splitlines()]
    assert len(rows) == len(found) + 1
    assert escaped("\n".join(rows)) == []


def test_what_a_test_of_a_target_says(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = tuple(
        TriedLine(name=notice(NoticeCode.TEST_OF_WORD), outcome=each, said=notice(NoticeCode.TEST_NO_PRESS),
                  remedy=notice(NoticeCode.TEST_POINTED_WRONG)) for each in Tried
    )  # fmt: skip
    report = TargetReport(title="“Notes”", stopped=True, lines=lines)
    monkeypatch.setattr("operator_console.app.try_target_headless", lambda _target: report)
    result = run("targets", "test", "monitor:1")
    assert escaped((result.out + result.err).replace("“Notes”", "")) == []


def test_a_recorded_session(tmp_path: Path) -> None:
    """What `run` prints is what `replay` prints."""
    file = tmp_path / "a.ocsession"
    with SessionJournal.create(file, find_paths().anchors) as journal:
        source = full_session()
        source.records[:] = [record for record in source.records if not isinstance(record.event, Ended)]
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in source.blobs.items()}
        for name, data in source.blobs.items():
            journal.put_blob(digests[name], data, "image/png")
        for record in source.records:
            match record.event:
                case Observed(picture=name) as seen:
                    journal.append(replace(seen, picture=digests[name]))
                case Proposed(raw=name) as answered:
                    journal.append(replace(answered, raw=digests[name]))
                case event:
                    journal.append(event)
        for event in MORE_EVENTS:
            journal.append(event)
    for verb in ("show", "verify", "replay"):
        result = run("sessions", verb, str(file))
        assert result.code == 0
        assert escaped(OF_OTHERS.sub(" ", result.out + result.err)) == [], verb
    result = run("sessions", "export", str(file), "--to", str(tmp_path / "a.html"))
    assert result.code == 0 and escaped(result.out) == []
    result = run("sessions", "list")
    assert result.code == 0 and escaped(OF_OTHERS.sub(" ", result.out)) == []


OF_OTHERS = re.compile(rf"{TOLD.pattern}|<script>alert\(1\)</script>|Allow\?|\byes$|x\.example:443", re.MULTILINE)
"""What models, sites and people say in these sessions."""
MORE_EVENTS: tuple[Event, ...] = (
    Warned(title=notice(NoticeCode.DOCTOR_TEST)),
    *(Stopped(reason=cause, latched=True, in_flight="“x”", delivered=1, total=2) for cause in StopCause),
    *(Paused(by=cause) for cause in PauseCause),
    *(Decided(step=9, call=call, decision=kind, by=by, rule="by-label") for call, (kind, by) in
      enumerate(itertools.product(DecisionKind, DecidedBy))),
    *(Answered(question_id="q", answer="“x”", by=by) for by in DecidedBy),
    Resumed(by="human"), Resumed(by=f"{BY_GUARD}lease"), Reset(by="human"), HandedOver(), HandedBack(),
    Message(text="“x”"), Message(text="“x”", by="console"), Blocked(site="x.example:443", by=BlockedBy.LOCAL_ADDRESS),
    Downloaded(name="“x”", folder="/a/b", url="https://x.example", size_bytes=9),
    *(Snapshot(act=act, name="“x”") for act in SnapshotAct),
    *(PermissionRevoked(permission_id="p", by=by) for by in RevokedBy),
    *(Ended(outcome=each, steps=3, usage=Usage(input_tokens=8, output_tokens=9), elapsed_s=1.0, message="“x”")
      for each in EndedOutcome),
)  # fmt: skip


OFFER = PermissionOffer(
    coverage=Coverage(act=PermittedAct.PRESS, risk=RiskClass.C1, name="x", window="x", app="x"), covered=2, of=9
)


@pytest.mark.parametrize("kind", QuestionKind)
def test_a_question(kind: QuestionKind) -> None:
    use(Accented())
    try:
        question = replace(asked("“Which?”", typed="ls", kind=kind), offer=OFFER)
        said = f"{question_lines(question, 100, focused=False)}\n{_prompt_of(question)}"
    finally:
        use(ENGLISH)
    assert (
        escaped(
            re.sub(
                r"“[^”]*”|\(command-submitted\)|shell — XTerm|It runs a command\.|\bls\b|left|Allow|terminal"
                r"|yes|session",
                "",
                said,
                flags=re.MULTILINE,
            )
        )
        == []
    )
