"""Typing through an input method, with a fake one: what is committed, what is typed by keys, what is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import InputMethodLost
from operator_console.injector.input_method.client import InputMethod, InputMethodTypist
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.typist import Typist
from operator_console.injector.progress import METHODS, Method, Progress


class Field:
    """Replaces sender, typist and input method, and the field that gets the text: committed parts in brackets.

    It accepts `takes` commits.
    """

    engine_active = True

    def __init__(self, takes: int = 1000, *, comes_through: bool = True) -> None:
        self.held = ""
        self._takes = takes
        self._comes_through = comes_through
        self.lost = False

    def has_client(self) -> bool:
        return True

    def lacks_key_for(self, text: str) -> bool:
        return not text.isascii()

    def keys_passed(self) -> bool:
        return self._comes_through

    def press_unmapped_key(self) -> bool:
        return True

    def daemon(self) -> int:
        return 1

    def wait_until_idle_after(self, pid: int, window_id: int | None) -> bool:
        return True

    def wait_until_read(self, window_id: int | None) -> None: ...

    def wait_for(self, condition: Callable[[], bool], _seconds: float) -> bool:
        return condition()

    def wait(self, seconds: float) -> None: ...

    def check(self) -> None:
        if self.lost:
            raise InputMethodLost(notice(NoticeCode.INPUT_METHOD_SILENT))

    def commit(self, characters: str) -> bool:
        self._takes -= 1
        if self._takes < 0:
            return False
        self.held += f"[{characters}]"
        return True

    def type_text(self, text: str, *, progress: Progress, recheck: Callable[[], object], **_: Any) -> None:
        recheck()
        self.held += text
        progress.typed(Method.LENT, len(text))


@pytest.fixture
def progress(ledger: Ledger) -> Progress:
    return Progress(ledger=ledger)


def type_into(field: Field, text: str, progress: Progress, delay_s: float = 0.0) -> InputMethodTypist:
    typist = InputMethodTypist(cast(InputSender, field), cast(Typist, field), cast(InputMethod, field))
    typist.type_text(text, window_id=7, delay_s=delay_s, progress=progress, recheck=lambda: None)
    return typist


def test_words_are_committed_and_line_ends_are_keys(progress: Progress) -> None:
    field = Field()
    type_into(field, "你好\n世界\t", progress)
    assert field.held == "[你好]\n[世界]\t"
    assert progress.methods == {Method.COMMITTED: 4, Method.LENT: 2}
    assert progress.ledger.typed[: len(METHODS)] == (0, 2, 4, 0)


def test_with_a_delay_characters_are_committed_one_by_one(progress: Progress) -> None:
    field = Field()
    type_into(field, "你好", progress, delay_s=0.1)
    assert field.held == "[你][好]"


def test_a_long_text_is_committed_in_pieces(progress: Progress) -> None:
    field = Field()
    type_into(field, "好" * 70, progress)
    assert field.held == f"[{'好' * 32}][{'好' * 32}][{'好' * 6}]"


def test_a_field_that_stops_accepting_commits_gets_the_rest_by_keys(progress: Progress) -> None:
    field = Field(takes=1)
    type_into(field, "你\n好吗\n", progress)
    assert field.held == "[你]\n好吗\n"
    assert str(progress.methods) == "temporary mapping 4, input method 1"


def test_a_window_through_which_no_key_comes_gets_keys(progress: Progress) -> None:
    field = Field(comes_through=False)
    type_into(field, "你好", progress)
    assert field.held == "你好"


def test_the_loss_of_our_engine_is_reported(progress: Progress) -> None:
    field = Field(takes=0)
    field.lost = True
    with pytest.raises(InputMethodLost):
        type_into(field, "你好", progress)
    assert field.held == ""


def test_short_texts_of_the_layout_are_typed_by_keys(progress: Progress) -> None:
    field = Field()
    typist = type_into(field, "", progress)
    assert not typist.serves("plain")
    assert typist.serves("plain " * 9)
    assert typist.serves("é")
    field.engine_active = False
    assert not typist.serves("é")
