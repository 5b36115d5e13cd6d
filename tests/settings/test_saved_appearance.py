"""The appearance is read before the other settings, ignoring errors in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.settings.file import save_settings
from operator_console.settings.file_locations import HOME_VARIABLE, find_paths
from operator_console.settings.model import Appearance, Contrast, Settings, Theme
from operator_console.settings.saved_appearance import SavedAppearance, saved_appearance


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    return find_paths().settings


def test_the_word_that_was_saved(file: Path) -> None:
    save_settings(file, Settings(appearance=Appearance(theme=Theme.DARK, text_size=1.5, contrast=Contrast.HIGH)))
    assert saved_appearance() == SavedAppearance("dark", "high", 1.5)


@pytest.mark.parametrize(
    "text",
    [
        None,
        b"",
        b"[appearance]\n",
        b"appearance = 3\n",
        b"[appearance]\ntheme = 3\ntext_size = 'big'\n",
        b"[[",
        b"\xff\xfe",
    ],
)
def test_nothing_where_there_is_none_to_read(file: Path, text: bytes | None) -> None:
    if text is not None:
        file.write_bytes(text)
    assert saved_appearance() == SavedAppearance()
