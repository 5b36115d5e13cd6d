"""What sort of application policy takes a window for."""

from __future__ import annotations

import re

import pytest

from operator_console.policy import applications
from operator_console.policy.applications import is_chat, is_file_manager, is_mail, is_terminal
from operator_console.policy.word_tables import fold


@pytest.mark.parametrize(
    "app",
    [
        "XTerm", "URxvt", "kgx", "org.gnome.Ptyxis", "com.mitchellh.ghostty", "Gnome-terminal", "Gnome-terminal-server",
        "konsole", "kitty", "Alacritty", "foot", "org.wezfurlong.wezterm", "Tilix", "Guake", "Yakuake", "st", "Tilda",
        "dev.warp.Warp", "Hyper", "Rio", "com.raggesilver.BlackBox", "Terminator", "terminology", "cool-retro-term",
        "SomeNewTerm",
    ],
)  # fmt: skip
def test_terminals_are_known_by_name(app: str) -> None:
    assert is_terminal(app, "")


@pytest.mark.parametrize("app", ["Mousepad", "Chromium", "Determinator", "Thermometer", "", "Files"])
def test_others_are_none(app: str) -> None:
    assert not is_terminal(app, "")


def test_a_shells_prompt_as_the_title_tells_too() -> None:
    assert is_terminal("python3", "me@here: ~/work")
    assert not is_terminal("python3", "Notes")


@pytest.mark.parametrize(
    "title", ["Документы — Файлы", "Загрузки — Проводник", "Зображення — Файли", "Comptabilité — Explorateur",
              "Documentos - Gestor de archivos", "Downloads – Dateiverwaltung"],
)  # fmt: skip
def test_a_file_manager_is_known_by_the_end_of_its_title_in_other_languages(title: str) -> None:
    assert is_file_manager("plain", title)


@pytest.mark.parametrize("title", ["Входящие – Почта", "Odebrane - Poczta", "Entrada - Correio", "受信 - メール"])
def test_mail_is_known_by_its_title_in_other_languages(title: str) -> None:
    assert is_mail("plain", title)


@pytest.mark.parametrize(
    "title",
    ["카카오톡", "텔레그램", "微信", "钉钉", "Вайбер", "Телеграм", "Сім'я – Месенджер", "واتساب", "メッセンジャー"],
)
def test_chats_are_known_by_their_names_in_other_scripts(title: str) -> None:
    assert is_chat("plain", title)


def test_the_words_that_tell_applications_are_written_as_titles_are_compared() -> None:
    for name, pattern in vars(applications).items():
        if isinstance(pattern, re.Pattern) and name not in ("_CHANNEL", "_PROMPT", "_SHELL_TITLE"):
            cyrillic = re.findall(r"[\u0400-\u04ff]+", pattern.pattern)
            assert [word for word in cyrillic if fold(word) != word] == [], name
