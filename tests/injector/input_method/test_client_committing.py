"""Text that is handed to an input method, without one: what is committed, what goes by keys, and what is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.injector.input_method.client import Committing, InputMethod, Lost
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.typist import METHODS, Method, Progress, Typist


class Field:
    """Stands for hands, typist and input method, and for the field that gets the text: committed in brackets.

    It takes part for `takes` commits.
    """

    stands_in = True

    def __init__(self, takes: int = 1000, *, comes_through: bool = True) -> None:
        self.held = ""
        self._takes = takes
        self._comes_through = comes_through
        self.lost = False

    def reaches(self) -> bool:
        return True

    def lacks(self, text: str) -> bool:
        return not text.isascii()

    def passed(self) -> bool:
        return self._comes_through

    def press_silent(self) -> bool:
        return True

    def daemon(self) -> int:
        return 1

    def rest_after(self, pid: int, window_id: int | None) -> bool:
        return True

    def seen(self, window_id: int | None) -> None: ...

    def wait_for(self, condition: Callable[[], bool], _seconds: float) -> bool:
        return condition()

    def wait(self, seconds: float) -> None: ...

    def check(self) -> None:
        if self.lost:
            raise Lost("gone")

    def commit(self, characters: str) -> bool:
        self._takes -= 1
        if self._takes < 0:
            return False
        self.held += f"[{characters}]"
        return True

    def type_text(self, text: str, *, progress: Progress, still: Callable[[], object], **_: Any) -> None:
        still()
        self.held += text
        progress.typed(Method.LENT, len(text))


@pytest.fixture
def progress(ledger: Ledger) -> Progress:
    return Progress(ledger=ledger)


def type_into(field: Field, text: str, progress: Progress, delay_s: float = 0.0) -> Committing:
    committing = Committing(cast(InputSender, field), cast(Typist, field), cast(InputMethod, field))
    committing.type_text(text, window_id=7, delay_s=delay_s, progress=progress, still=lambda: None)
    return committing


def test_words_are_committed_and_lines_are_keys(progress: Progress) -> None:
    field = Field()
    type_into(field, "你好\n世界\t", progress)
    assert field.held == "[你好]\n[世界]\t"
    assert progress.methods == {Method.COMMITTED: 4, Method.LENT: 2}
    assert progress.ledger.typed[: len(METHODS)] == (0, 2, 4, 0)


def test_at_a_pace_it_is_one_character_after_another(progress: Progress) -> None:
    field = Field()
    type_into(field, "你好", progress, delay_s=0.1)
    assert field.held == "[你][好]"


def test_a_long_text_is_stopped_between_pieces(progress: Progress) -> None:
    field = Field()
    type_into(field, "好" * 70, progress)
    assert field.held == f"[{'好' * 32}][{'好' * 32}][{'好' * 6}]"


def test_a_field_that_ceases_to_take_part_gets_the_rest_by_keys(progress: Progress) -> None:
    field = Field(takes=1)
    type_into(field, "你\n好吗\n", progress)
    assert field.held == "[你]\n好吗\n"
    assert str(progress.methods) == "temporary mapping 4, input method 1"


def test_a_window_through_which_no_key_comes_gets_keys(progress: Progress) -> None:
    field = Field(comes_through=False)
    type_into(field, "你好", progress)
    assert field.held == "你好"


def test_an_engine_of_ours_that_is_gone_is_said(progress: Progress) -> None:
    field = Field(takes=0)
    field.lost = True
    with pytest.raises(Lost):
        type_into(field, "你好", progress)
    assert field.held == ""


def test_short_texts_that_keys_type_go_by_keys(progress: Progress) -> None:
    field = Field()
    committing = type_into(field, "", progress)
    assert not committing.serves("plain")
    assert committing.serves("plain " * 9)
    assert committing.serves("é")
    field.stands_in = False
    assert not committing.serves("é")
