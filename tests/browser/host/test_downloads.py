"""Names of downloaded files, and what becomes of those that are not complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from operator_console.browser.host.downloads import Downloads, safe_name


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("C:\\Windows\\x.dll", "x.dll"), ("/", "download"),
        (".bashrc", "bashrc"), ("..", "download"), ("", "download"), ("  a  b.txt ", "a b.txt"),
        ("a\x00b\n.sh", "a b .sh"),
        ("x\u202egpj.exe", "x gpj.exe"), ("é.txt", "é.txt"), ("日本.txt", "日本.txt"), ("a.", "a"),
    ],
)  # fmt: skip
def test_a_name_is_plain(suggested: str, name: str) -> None:
    assert safe_name(suggested) == name


@pytest.mark.parametrize("suggested", ["n" * 500 + ".pdf", "長" * 500 + ".pdf", "a." + "e" * 500, "." + "x" * 500])
def test_a_name_is_not_longer_than_a_file_system_takes(suggested: str) -> None:
    assert 1 <= len(safe_name(suggested).encode()) <= 200


def test_what_is_not_complete_at_the_end_is_removed_and_what_is_stays(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    downloads = Downloads(tmp_path / "d", lambda _, params: told.append(params))
    downloads.prepare()
    for guid in ("1", "2"):
        downloads.begun({"guid": guid, "suggestedFilename": "a.txt", "url": "https://a.org/a"})
        (tmp_path / "d" / guid).write_text(guid)
    downloads.progress({"guid": "1", "state": "inProgress", "receivedBytes": 1})
    downloads.progress({"guid": "1", "state": "completed", "receivedBytes": 1})
    downloads.end()
    assert [each.name for each in (tmp_path / "d").iterdir()] == ["a.txt"]
    assert [(each["name"], each["bytes"], each["complete"]) for each in told] == [("a.txt", 1, True)]


def test_a_folder_with_nothing_in_it_is_removed(tmp_path: Path) -> None:
    downloads = Downloads(tmp_path / "d", lambda *_: None)
    downloads.prepare()
    downloads.end()
    assert not (tmp_path / "d").exists()
