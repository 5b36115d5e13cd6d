"""Results and messages of any length are shortened, and the longest first."""

from __future__ import annotations

from operator_console.domain.actions import Click
from operator_console.domain.geometry import NativePoint
from operator_console.domain.proposals import Call, CallResult, CallStatus
from operator_console.domain.tools import ToolResult
from operator_console.providers.shared.text_limits import LONGEST, cut, with_shorter_texts
from tests.providers.conftest import seen

CALL = Call(index=0, name="click", action=Click(at=NativePoint(1, 1)))


def result(text: str = "", output: str = "", *texts: str) -> CallResult:
    tool = ToolResult(texts=texts) if texts else None
    return CallResult(call=CALL, status=CallStatus.DONE, text=text, output=output, tool=tool)


def test_short_texts_stay_as_they_are() -> None:
    observation = seen(result("Done.", "12,7", "room 7"), result(), messages=["Go on."])
    assert with_shorter_texts(observation, 1_000) == observation


def test_the_longest_are_cut_and_say_so() -> None:
    made = with_shorter_texts(seen(result("Done.", "a" * 600, "b" * 900, "c" * 200)), 1_000)
    (only,) = made.results
    assert only.tool is not None
    assert (only.text, only.tool.texts[1]) == ("Done.", "c" * 200)
    assert only.output.startswith("a" * 380)
    assert only.output.endswith(" of 600 characters)")
    assert only.tool.texts[0].endswith(" of 900 characters)")
    assert len(only.output) + len(only.tool.texts[0]) < 900


def test_messages_have_a_room_of_their_own() -> None:
    made = with_shorter_texts(seen(result("d" * 900), messages=["m" * 900, "Stop there."]), 1_000)
    assert made.results[0].text == "d" * 900
    assert made.messages == ("m" * 900, "Stop there.")
    made = with_shorter_texts(made, 100)
    assert made.messages[1] == "Stop there."
    assert made.messages[0].startswith("m" * 89 + "… (89 of 900")


def test_one_text_has_a_limit_whatever_the_room() -> None:
    (only,) = with_shorter_texts(seen(messages=["m" * (LONGEST + 1)]), 10**9).messages
    assert only == f"{'m' * LONGEST}… (20,000 of 20,001 characters)"


def test_a_cut_text_has_its_length() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc… (3 of 4 characters)"
