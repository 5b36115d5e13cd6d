"""Codes, words and plural forms of what the program says in a record, and what other versions' files hold."""

from __future__ import annotations

import gettext
import json
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from operator_console.domain.actions import AskOperator, Choice, Finish
from operator_console.domain.codec import decode, encode
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ActionError, OutOfRange, RecordError
from operator_console.domain.events import Event, Paused, Proposed, ProposedCall, Warned
from operator_console.domain.keys import UnknownKey
from operator_console.domain.message_texts import (
    NoticeText,
    from_wire,
    joined,
    lines,
    listed,
    notice,
    notices_of,
    to_wire,
    trimmed,
    with_words,
    worded,
)
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.proposals import Usage
from operator_console.domain.stopping import PauseCause
from operator_console.domain.translations import ENGLISH, use
from tests.domain.words import value_names


class German(gettext.NullTranslations):
    """A catalogue of a few messages."""

    _SINGLE: ClassVar = {"the desktop": "der Desktop"}
    _PLURAL: ClassVar = {
        "The limit of {count} steps is reached.": ("Die Grenze von {count} Schritt", "… {count} Schritten")
    }

    def gettext(self, message: str) -> str:
        return self._SINGLE.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        one, many = self._PLURAL.get(msgid2, (msgid1, msgid2))
        return one if n == 1 else many


@pytest.fixture
def german() -> Iterator[None]:
    use(German())
    yield
    use(ENGLISH)


def test_a_code_is_its_name_in_lower_case() -> None:
    assert [code.value for code in NoticeCode] == [name.lower() for name in NoticeCode.__members__]
    assert NoticeCode("paused_for_cause") is NoticeCode.PAUSED_FOR_CAUSE


@pytest.mark.parametrize(
    "code",
    [
        NoticeCode.STOP_KEYS_FROM_PROGRAM, NoticeCode.STOP_COMMAND, NoticeCode.STOP_IN_WINDOW,
        NoticeCode.POINTER_IN_CORNER, NoticeCode.CONSOLE_CLOSED, NoticeCode.ACTION_BEING_EDITED,
        NoticeCode.SCREEN_LOCKED, NoticeCode.PAUSE_KEYS_PRESSED,
    ],
)  # fmt: skip
def test_what_is_said_after_the_cause_of_a_stop_or_pause_is_a_sentence(code: NoticeCode) -> None:
    text = notice(code, **dict.fromkeys(value_names(code.words), "It"))
    assert text[0].isupper() and text.endswith(".")


def test_the_words_take_their_values_and_no_others() -> None:
    for code in NoticeCode:
        values: dict[str, Any] = dict.fromkeys(value_names(code.words), 3)
        text = notice(code, **values)
        assert text and "{" not in text.replace("{{secret:NAME}}", ""), code
        assert text.notices == (Notice(code=code, values=values),)
        for name in values:
            with pytest.raises(LookupError):
                notice(code, **{key: value for key, value in values.items() if key != name})


@pytest.mark.parametrize("code", [code for code in NoticeCode if code.words.many])
def test_both_forms_of_a_plural_are_chosen_by_its_number(code: NoticeCode) -> None:
    words = code.words
    values: dict[str, Any] = dict.fromkeys(value_names(words), 7)
    assert notice(code, **{**values, words.by: 1}) == words.one.format(**{**values, words.by: 1})
    for number in (0, 2, 5):
        assert notice(code, **{**values, words.by: number}) == words.many.format(**{**values, words.by: number})


def test_a_hotkey_is_recorded_in_the_notation_of_the_settings_and_worded_as_people_write_it() -> None:
    text = notice(NoticeCode.PAUSE_KEYS_PRESSED, keys="<ctrl>+<alt>+<page_up>")
    assert text == "Ctrl+Alt+Page Up was pressed."
    assert notices_of(text)[0].values == {"keys": "<ctrl>+<alt>+<page_up>"}
    kept = NoticeText("<ctrl>+<alt>+<page_up> was pressed.", notices_of(text))  # as older versions recorded it
    assert worded(kept) == text


def test_plural_forms_in_english() -> None:
    assert notice(NoticeCode.STEP_LIMIT_REACHED, count=1) == "The limit of 1 step is reached."
    assert notice(NoticeCode.STEP_LIMIT_REACHED, count=100) == "The limit of 100 steps is reached."
    assert notice(NoticeCode.TIME_LIMIT_REACHED, minutes=1.0) == "The limit of 1 minute is reached."
    assert notice(NoticeCode.TIME_LIMIT_REACHED, minutes=0.5) == "The limit of 0.5 minutes is reached."
    assert notice(NoticeCode.INPUT_RELEASED, count=1).endswith("1 key or button that was held down.")
    assert notice(NoticeCode.INPUT_RELEASED, count=2).endswith("2 keys or buttons that were held down.")


@pytest.mark.usefixtures("german")
def test_another_language_chooses_its_own_forms_also_inside_a_value() -> None:
    assert worded(notice(NoticeCode.STEP_LIMIT_REACHED, count=1)) == "Die Grenze von 1 Schritt"
    assert worded(notice(NoticeCode.STEP_LIMIT_REACHED, count=2)) == "… 2 Schritten"
    covered = notice(NoticeCode.COVERED_BY_WINDOW, window=notice(NoticeCode.THE_DESKTOP))
    assert covered == "Covered by the desktop."
    assert worded(covered) == "Covered by der Desktop."


def test_text_by_others_stays_as_it_is() -> None:
    assert notices_of("a model's words") == ()
    assert worded("a model's words {not a value}") == "a model's words {not a value}"
    text = joined(notice(NoticeCode.SERVICE_UNAVAILABLE, service="Gemini"), "", "503 {overloaded}")
    assert text == "Gemini is not available at the moment. 503 {overloaded}"
    assert [each.code for each in text.notices] == [NoticeCode.SERVICE_UNAVAILABLE, NoticeCode.VERBATIM]


def test_an_error_has_the_notices_of_its_parts() -> None:
    error = RecordError(
        notice(NoticeCode.SESSION_FILE_UNUSABLE, path="/x"), detail="[Errno 5]", remedy=notice(NoticeCode.CHECK_DISK)
    )
    assert str(error) == error.text
    codes = [each.code for each in error.text.notices]
    assert codes == [NoticeCode.SESSION_FILE_UNUSABLE, NoticeCode.VERBATIM, NoticeCode.CHECK_DISK]


def test_an_enumeration() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    text = listed([notice(NoticeCode.PICTURE_SCALED, width=8, height=6), "x", "y"])
    assert text == "scaled from 8 x 6, x, y"
    assert isinstance(text, NoticeText) and worded(text) == text


@pytest.mark.usefixtures("german")
def test_an_event_keeps_the_notices_of_its_text_over_the_codec() -> None:
    event = Paused(by=PauseCause.LIMIT, detail=notice(NoticeCode.STEP_LIMIT_REACHED, count=3))
    data = encode(event)
    assert data["detail"] == "The limit of 3 steps is reached."
    assert data["detail_notices"] == [{"code": "step_limit_reached", "values": {"count": 3}}]
    back: Event = decode(Event, data)
    assert back == event
    assert with_words(back) == Paused(by=PauseCause.LIMIT, detail=NoticeText("… 3 Schritten", event.detail_notices))


@pytest.mark.usefixtures("german")
def test_a_file_of_an_older_version_shows_its_text() -> None:
    old: Event = decode(Event, {"kind": "warned", "title": "The disk is slow.", "detail": "Actions wait."})
    assert old == Warned(title="The disk is slow.", detail="Actions wait.")
    assert with_words(old) == old


@pytest.mark.parametrize(
    "notices",
    [
        [{"code": "said_by_a_newer_version", "values": {"count": 3}}],
        [{"code": "step_limit_reached", "values": {"number": 3}}],
        [{"code": "step_limit_reached", "values": {"count": "three"}}],
    ],
)
@pytest.mark.usefixtures("german")
def test_a_file_of_a_newer_version_shows_its_text(notices: list[dict[str, Any]]) -> None:
    event: Event = decode(Event, {"kind": "paused", "by": "limit", "detail": "New words.", "detail_notices": notices})
    assert isinstance(event, Paused)
    assert encode(event)["detail_notices"] == notices
    shown = with_words(event)
    assert shown.detail == "New words."


def test_an_outcome_keeps_its_notices_on_its_way_from_the_injector() -> None:
    outcome = Outcome(result=ActResult.FAILED, detail=notice(NoticeCode.COVERED_BY_WINDOW, window="“Calculator”"))
    back: Outcome = decode(Outcome, encode(outcome))
    assert back == outcome
    assert isinstance(back.detail, NoticeText)


@pytest.mark.usefixtures("german")
def test_all_parts_of_an_event_are_worded_in_another_language() -> None:
    limit = notice(NoticeCode.STEP_LIMIT_REACHED, count=3)
    ask = AskOperator(question=limit, choices=(Choice(label=limit), Choice(label="other")))
    call = ProposedCall(index=0, name="ask", action=ask, error=limit, intent=limit, note=limit)
    other = ProposedCall(index=1, name="done", action=Finish(message=limit), note="a model's words")
    event = Proposed(step=1, calls=(call, other), narration=limit, usage=Usage())
    back: Event = decode(Event, json.loads(json.dumps(encode(event))))
    assert back == event
    shown = with_words(back)
    assert isinstance(shown, Proposed)
    first, second = shown.calls
    assert isinstance(first.action, AskOperator) and isinstance(second.action, Finish)
    texts = (shown.narration, first.error, first.intent, first.note, first.action.question, second.action.message)
    assert set(texts) == {"… 3 Schritten"}
    assert [choice.label for choice in first.action.choices] == ["… 3 Schritten", "other"]
    assert second.note == "a model's words"
    use(ENGLISH)
    assert with_words(back) is back, "nothing is copied where all words are the same"


@pytest.mark.usefixtures("german")
def test_calls_of_an_older_file_show_their_texts() -> None:
    call = {"index": 0, "name": "click", "error": "It is missing.", "note": "first", "action": {"kind": "finish"}}
    old = {"kind": "proposed", "step": 1, "calls": [call], "narration": "Done.", "usage": {}}
    event: Event = decode(Event, old)
    assert isinstance(event, Proposed)
    assert (event.narration, event.calls[0].error, event.calls[0].note) == ("Done.", "It is missing.", "first")
    assert event.calls[0].error_notices == () and with_words(event) == event


def test_sentences_are_put_on_lines_of_their_own() -> None:
    assert lines([]) == ""
    text = lines([notice(NoticeCode.STEPS_ADDED, count=1), "{x}", notice(NoticeCode.SCRIPT_ENDED)])
    assert text == "1 step added.\n{x}\nThe script has ended."
    assert worded(text) == text and trimmed(text) is text
    assert trimmed(" a model's words\n") == "a model's words"


@pytest.mark.parametrize(
    "error", [UnknownKey("{0.__class__}"), UnknownKey("contrl"), OutOfRange(axis="x", value="{}", limit="9")]
)
def test_an_error_about_a_call_has_notices(error: ActionError) -> None:
    assert str(error) == error.text == worded(error.text)
    assert notices_of(error.text)


def test_a_message_between_processes_keeps_them_too() -> None:
    text = notice(NoticeCode.POINTER_IN_CORNER, corner=notice(NoticeCode.TOP_LEFT_CORNER, monitor=1))
    message = to_wire("detail", text)
    assert message["detail"] == "The pointer was put into the top-left corner of monitor 1."
    assert notices_of(from_wire(message, "detail")) == text.notices
    assert from_wire({"detail": "plain"}, "detail") == "plain"
    assert notices_of(from_wire({"detail": "plain", "detail_notices": "broken"}, "detail")) == ()


def test_words_are_english_without_a_catalogue() -> None:
    assert worded(notice(NoticeCode.STEP_LIMIT_REACHED, count=2)) == "The limit of 2 steps is reached."
