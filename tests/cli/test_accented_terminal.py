"""What the terminal says is in the person's language: all of it is accented, but names, values and paths."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest

from operator_console.cli.run import ALLOWABLE
from operator_console.cli.subcommands import _COMMANDS
from operator_console.domain.events import Warned
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.translations import ENGLISH, use
from operator_console.journal.write import SessionJournal
from operator_console.settings.file_locations import find_paths
from tests.accented import LANGUAGE, in_english, write_accented
from tests.cli.command import Result, command

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


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    write_accented(folder)
    return folder


def run(catalogues: Path, *words: str, stdin: str = "") -> Result:
    try:
        return command(*words, stdin=stdin, TEXTDOMAINDIR=str(catalogues), LANGUAGE=LANGUAGE, COLUMNS="100")
    finally:
        use(ENGLISH)
        gettext.textdomain("messages")


def escaped(text: str) -> list[str]:
    return [word for word in in_english(_NAMES.sub(" ", text)) if word not in _WORDS]


@pytest.mark.parametrize("words", [(), *((name,) for name in _COMMANDS)], ids=lambda words: " ".join(words) or "all")
def test_help(words: tuple[str, ...], catalogues: Path) -> None:
    out = run(catalogues, *words, "--help").out
    usage, _, rest = out.partition("\n\n")
    assert usage and escaped(rest) == []


SAID = (
    ("status",), ("reset",), ("reset", "--yes"), ("mcp",), ("sessions", "list"), ("run",), ("targets",), ("stop",),
    ("models", "profile", "list"), ("models", "check", "nobody"), ("sessions", "export", "/a", "--to", "/b.html"),
    ("sessions", "replay", "/a"), ("sessions", "delete", "/a"),
)  # fmt: skip


@pytest.mark.parametrize("words", SAID, ids=" ".join)
def test_what_a_command_says(words: tuple[str, ...], catalogues: Path) -> None:
    result = run(catalogues, *words)
    said = result.out + result.err.rpartition("\n\n")[2]
    assert said and escaped(said) == []


_OF_OTHERS = re.compile(
    r"^(ok |NO |-- ) +\S+|DISPLAY|[A-Z]+_API_KEY|models \S+ \S+|(Google |Anthropic )?(Gemini|Claude|OpenAI)"
    r"|(Latin|Chinese|Japanese|Arabic|Cyrillic|Devanagari|Greek|Hangul|Hebrew|Thai)\b|Linux x86_64|Chrome",
    re.MULTILINE,
)
"""Of `doctor`: the names of its checks, of services, scripts and this system."""


def test_what_doctor_says(catalogues: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    out = run(catalogues, "doctor").out
    assert out and escaped(_OF_OTHERS.sub(" ", out)) == []


def test_errors_are_worded(catalogues: Path) -> None:
    result = run(catalogues, "run", "t", "--max-steps", "0")
    assert result.code == 2 and escaped(result.err) == []


def test_a_recorded_session(catalogues: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.ocsession"
    with SessionJournal.create(file, find_paths().anchors) as journal:
        journal.append(Warned(title=notice(NoticeCode.DOCTOR_TEST)))
    for verb in ("show", "verify"):
        result = run(catalogues, "sessions", verb, str(file))
        assert result.code == 0 and escaped(result.out) == []
