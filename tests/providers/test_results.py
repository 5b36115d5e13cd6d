"""Results and messages of any length are shortened, and the longest first."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.actions import Click
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.proposals import Brief, Call, CallResult, CallStatus
from operator_console.domain.tools import ToolResult
from operator_console.providers.gemini.contents import GeminiTurns
from operator_console.providers.shared.history import Conversation
from operator_console.providers.shared.results import LONGEST, MOST_PICTURE_BYTES, cut, limited
from tests.providers.conftest import seen

CALL = Call(index=0, name="click", action=Click(at=NativePoint(1, 1)))


def result(text: str = "", output: str = "", *texts: str) -> CallResult:
    tool = ToolResult(texts=texts) if texts else None
    return CallResult(call=CALL, status=CallStatus.DONE, text=text, output=output, tool=tool)


def test_short_texts_stay_as_they_are() -> None:
    observation = seen(result("Done.", "12,7", "room 7"), result(), messages=["Go on."])
    assert limited(observation, 1_000) == observation


def test_the_longest_are_cut_and_say_so() -> None:
    made = limited(seen(result("Done.", "a" * 600, "b" * 900, "c" * 200)), 1_000)
    (only,) = made.results
    assert only.tool is not None
    assert (only.text, only.tool.texts[1]) == ("Done.", "c" * 200)
    assert only.output.startswith("a" * 380)
    assert only.output.endswith(" of 600 characters)")
    assert only.tool.texts[0].endswith(" of 900 characters)")
    assert len(only.output) + len(only.tool.texts[0]) < 900


def test_messages_have_a_room_of_their_own() -> None:
    made = limited(seen(result("d" * 900), messages=["m" * 900, "Stop there."]), 1_000)
    assert made.results[0].text == "d" * 900
    assert made.messages == ("m" * 900, "Stop there.")
    made = limited(made, 100)
    assert made.messages[1] == "Stop there."
    assert made.messages[0].startswith("m" * 89 + "… (89 of 900")


def test_one_text_has_a_limit_whatever_the_room() -> None:
    (only,) = limited(seen(messages=["m" * (LONGEST + 1)]), 10**9).messages
    assert only == f"{'m' * LONGEST}… (20,000 of 20,001 characters)"


def png(size: int) -> Picture:
    return Picture(data=b"p" * size, mime_type="image/png", size=Size(1, 1), digest=f"{size}")


def test_pictures_of_one_turn_have_a_limit_together() -> None:
    large, small = png(MOST_PICTURE_BYTES - 10), png(10)
    first = CallResult(call=CALL, status=CallStatus.DONE, tool=ToolResult(texts=("a",), pictures=(large, small)))
    zoomed = CallResult(call=CALL, status=CallStatus.DONE, text="Done.", picture=png(20))
    made = limited(seen(first, zoomed), 1_000).results
    assert made[0] == first
    assert made[1].picture is None
    assert made[1].text == "Done. (1 picture left out: too large together with those before.)"
    (second,) = limited(
        seen(CallResult(call=CALL, status=CallStatus.DONE, tool=ToolResult(pictures=(large,) * 3))), 99
    ).results
    assert second.tool is not None
    assert second.tool.pictures == (large,)
    assert second.text.startswith("(2 pictures left out")


def test_pictures_that_are_too_large_together_are_left_out_of_older_turns() -> None:
    conversation = Conversation(turns=GeminiTurns(), brief=Brief(task="Look.", instruction=""))
    for _ in range(4):
        observation = replace(seen(), picture=png(9_000_000))
        conversation = conversation.ask(observation, keep_screenshots=4, keep_turns=9)
        conversation = conversation.answered({"role": "model", "parts": [{"text": "Hm."}]}, ())
    pictures = [GeminiTurns().pictures_in(turn) for turn in conversation.contents() if turn["role"] == "user"]
    assert pictures == [0, 0, 1, 1]


def test_a_cut_text_has_its_length() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc… (3 of 4 characters)"
