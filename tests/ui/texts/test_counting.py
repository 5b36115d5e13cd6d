"""Plural forms."""

from __future__ import annotations

import gettext

from operator_console.domain.translations import ENGLISH, use
from operator_console.ui.texts.counting import counted


class Polish(gettext.NullTranslations):
    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        assert (msgid1, msgid2) == ("{} step", "{} steps")
        return "{} krok" if n == 1 else "{} kroki" if n in (2, 3, 4) else "{} kroków"


def test_english_has_two_forms() -> None:
    assert [counted(n, "{} step", "{} steps") for n in (0, 1, 2)] == ["0 steps", "1 step", "2 steps"]


def test_a_catalogue_chooses_its_own_form() -> None:
    use(Polish())
    try:
        texts = [counted(n, "{} step", "{} steps") for n in (1, 3, 5)]
    finally:
        use(ENGLISH)
    assert texts == ["1 krok", "3 kroki", "5 kroków"]
