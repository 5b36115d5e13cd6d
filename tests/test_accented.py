"""The artificial language, the messages that are extracted, and the catalogue with which a process finds it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from extract_messages import ROOT, catalogue, write
from tests.accented import LANGUAGE, accented, in_english, write_accented
from tests.cli.command import operator_console


@pytest.mark.parametrize(
    ("message", "stays"),
    [
        ("{count:,} steps of <b>{name}</b>", "{count:,} <b> {name} </b>"),
        ("invalid choice: %(value)r, 100%% of %s", "%(value)r %% %s"),
        ("Press Ctrl+Alt+X, or Esc, to stop.", "Ctrl+Alt+X Esc"),
        ("Run operator-console reset first.", "operator-console reset"),
        ("with --allow CATEGORY and $DISPLAY", "--allow CATEGORY $DISPLAY"),
    ],
)
def test_what_is_no_word_stays(message: str, stays: str) -> None:
    assert all(part in accented(message) for part in stays.split())
    assert sorted(in_english(accented(message))) == sorted(in_english(stays))


@pytest.mark.parametrize("message", ["Save", "Stop the session at once", "Check and save"])
def test_it_is_longer(message: str) -> None:
    assert len(message) * 1.3 < len(accented(message)) < len(message) * 1.6


@pytest.fixture(scope="module")
def messages() -> Catalog:
    return catalogue()


@pytest.fixture(scope="module")
def locale(messages: Catalog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("locale")
    write_accented(folder, messages)
    return folder


def test_the_template_has_what_each_keyword_marks_and_no_path_of_this_machine(
    messages: Catalog, tmp_path: Path
) -> None:
    file = tmp_path / "messages.pot"
    write(messages, file)
    text = file.read_text("utf-8")
    assert str(ROOT) not in text and sys.prefix not in text
    found = messages
    one = ("Check and save", "Continue?", "show this help message and exit")
    assert [message for message in one if message not in found] == []
    forms = found["The limit of {minutes:g} minute is reached."]
    assert forms.id == ("The limit of {minutes:g} minute is reached.", "The limit of {minutes:g} minutes is reached.")


def test_a_translator_can_tell_what_each_placeholder_is(messages: Catalog) -> None:
    """Placeholders have names, the same in each form, or a comment; argparse's have neither."""
    unclear, unlike = [], []
    for message in messages:
        forms = [message.id] if isinstance(message.id, str) else list(map(str, message.id))
        ours = not all(place == "argparse.py" for place, _ in message.locations)
        if ours and any(re.search(r"(?<!\$)\{[^a-z{]|%[sd]", form) for form in forms) and not message.auto_comments:
            unclear.append(forms)
        names = [set(re.findall(r"\{(\w+)", form)) for form in forms]
        if names[0] - names[-1]:
            unlike.append(forms)
    assert unclear == []
    assert unlike == []


def test_comments_for_translators_are_in_the_template(messages: Catalog) -> None:
    assert messages[" or "].auto_comments == ["Translators: between two keys. The spaces stay."]


def test_a_process_finds_its_language_in_the_environment(locale: Path) -> None:
    """By LANG, which counts last; gettext itself decides among the variables."""
    environment = dict.fromkeys(("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"), "")
    environment |= {"TEXTDOMAINDIR": str(locale), "LANG": f"{LANGUAGE}.UTF-8"}
    assert accented("show this help message and exit") in operator_console("stop", "--help", **environment).out


@pytest.mark.parametrize("content", [b"", b"no catalogue of gettext", b"\xde\x12\x04\x95\0\0"])
def test_a_catalogue_that_cannot_be_read_changes_nothing(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "de" / "LC_MESSAGES" / "operator-console.mo"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    result = operator_console("stop", "--help", TEXTDOMAINDIR=str(tmp_path), LANGUAGE="de")
    assert "show this help message and exit" in result.out and not result.err
