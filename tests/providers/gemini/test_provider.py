"""Whole conversations through the real SDK against the strict server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from google.genai import types

from operator_console.domain.actions import AskOperator, CallFunction, Chord, Click, TypeText
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.proposals import Brief, CallResult, CallStatus, Proposal
from operator_console.domain.tools import ToolResult, ToolSpec
from operator_console.providers.gemini.options import GeminiEnvironment, GeminiOptions, SafetyPolicy, ThinkingLevel
from operator_console.providers.shared.own_tools import ZOOM_INSTRUCTION
from tests.providers.conftest import Bench, MakeBench, all_done, picture, seen

CLICK = {"name": "click", "args": {"x": 500, "y": 250, "intent": "Open the menu"}}
TYPE = {"name": "type", "args": {"text": "Zażółć — 日本語", "intent": "Write"}}
SAVE = {"name": "hotkey", "args": {"keys": ["ctrl", "s"]}}


async def _play(bench: Bench) -> list[Proposal]:
    """Answer every proposal with done until the model has finished."""
    made = [await bench.provider.propose(seen())]
    while not made[-1].finished:
        made.append(await bench.provider.propose(seen(*all_done(made[-1]), shade=len(made))))
    return made


async def test_twelve_steps_with_parallel_calls(bench: MakeBench) -> None:
    turns: list[dict[str, Any]] = [
        {"thought": "I will open it.", "text": "Opening.", "calls": [CLICK]},
        {"calls": [CLICK, TYPE, SAVE]},
        {"calls": [{**CLICK, "id": None}]},
        *({"thought": "Next.", "calls": [TYPE]} for _ in range(8)),
        {"text": "The file is saved."},
    ]
    it = await bench(turns, keep_screenshots=3)
    made = await _play(it)

    assert len(made) == 12
    assert (made[0].thoughts, made[0].narration) == ("I will open it.", "Opening.")
    assert made[0].calls[0].action == Click(at=NativePoint(720, 225))
    assert made[0].calls[0].intent == "Open the menu"
    assert [type(call.action) for call in made[1].calls] == [Click, TypeText, Chord]
    assert made[2].calls[0].call_id == ""
    assert made[-1].finished
    assert made[-1].narration == "The file is saved."
    assert it.server.violations == []
    assert it.server.conversations == 1
    assert all(made_turn.raw for made_turn in made)
    assert [one.request_bytes for one in made] == [one.size for one in it.server.received]
    assert made[0].usage.input_tokens
    assert made[0].usage.thought_tokens == 5


async def test_first_request_has_task_screenshot_instruction_and_tools(bench: MakeBench) -> None:
    options = GeminiOptions(
        excluded_functions=("go_back",),
        disabled_safety_policies=(SafetyPolicy.DATA_MODIFICATION,),
        thinking_level=ThinkingLevel.LOW,
    )
    tool = ToolSpec(name="drag_and_drop", description="Ours.", parameters_json='{"type": "object"}')
    it = await bench([{"text": "Done."}], options=options, tools=(tool,))
    await it.provider.propose(seen())
    body = it.server.received[0].body
    (first,) = body["contents"]
    assert first["parts"][0] == {"text": "Save the file."}
    assert first["parts"][1]["inlineData"]["mimeType"] == "image/png"
    assert body["systemInstruction"]["parts"] == [{"text": f"You work a desktop.\n\n{ZOOM_INSTRUCTION}"}]
    use, own = body["tools"]
    # The SDK spells some of these in snake_case; the service reads both.
    assert types.ComputerUse.model_validate(use["computerUse"]) == types.ComputerUse(
        environment=types.Environment.ENVIRONMENT_DESKTOP,
        excluded_predefined_functions=["go_back", "drag_and_drop"],
        enable_prompt_injection_detection=True,
        disabled_safety_policies=[types.SafetyPolicy.DATA_MODIFICATION],
    )
    assert [one["name"] for one in own["functionDeclarations"]] == [
        "ask_user",
        "yield_to_user",
        "done",
        "read_text",
        "zoom",
        "drag_and_drop",
    ]
    thinking = types.ThinkingConfig.model_validate(body["generationConfig"]["thinkingConfig"])
    assert thinking == types.ThinkingConfig(include_thoughts=True, thinking_level=types.ThinkingLevel.LOW)


@pytest.mark.parametrize("model", ["gemini-2.5-computer-use-preview-10-2025", "gemini-3-flash-preview"])
async def test_a_legacy_model_is_told_of_a_browser(bench: MakeBench, model: str) -> None:
    it = await bench([{"calls": [{"name": "click_at", "args": {"x": 1, "y": 1}}]}, {"text": "Done."}], model=model)
    made = await _play(it)
    assert made[0].calls[0].action == Click(at=NativePoint(1, 0))
    assert it.server.received[0].body["tools"][0]["computerUse"] == {"environment": "ENVIRONMENT_BROWSER"}


async def test_browser_environment_is_a_setting(bench: MakeBench) -> None:
    it = await bench([{"text": "Done."}], options=GeminiOptions(environment=GeminiEnvironment.BROWSER))
    await it.provider.propose(seen())
    assert it.server.received[0].body["tools"][0]["computerUse"]["environment"] == "ENVIRONMENT_BROWSER"


async def test_own_function_question_and_unknown_name(bench: MakeBench) -> None:
    calls = [
        {"name": "book_room", "args": {"night": 2}},
        {"name": "ask_user", "args": {"question": "Which one?", "choices": ["a", "b"]}},
        {"name": "fly", "args": {}},
    ]
    tools = (ToolSpec(name="book_room", description="Books."),)
    it = await bench([{"calls": calls}, {"text": "Done."}], tools=tools)
    first = await it.provider.propose(seen())
    own, question, unknown = first.calls
    assert own.action == CallFunction(name="book_room", arguments_json='{"night": 2}')
    assert isinstance(question.action, AskOperator)
    assert [choice.label for choice in question.action.choices] == ["a", "b"]
    assert unknown.action is None
    assert "fly" in unknown.error
    await it.provider.propose(
        seen(
            CallResult(
                call=own, status=CallStatus.DONE, tool=ToolResult(texts=("room 7", "2 nights"), pictures=(picture(9),))
            ),
            CallResult(call=question, status=CallStatus.DONE, output="1"),
            CallResult(call=unknown, status=CallStatus.NOT_UNDERSTOOD),
        )
    )
    answers = [part["functionResponse"]["response"] for part in it.contents()[-1]["parts"]]
    assert answers[0]["output"] == ["room 7", "2 nights"]
    assert [len(part["functionResponse"]["parts"]) for part in it.contents()[-1]["parts"]] == [2, 1, 1]
    assert answers[1]["output"] == "1"
    assert answers[2] == {"status": "not_understood", "url": "", "error": unknown.error}


async def test_what_the_operator_did_reaches_the_model(bench: MakeBench) -> None:
    it = await bench([{"calls": [CLICK, TYPE, SAVE]}, {"text": "Done."}])
    first = await it.provider.propose(seen())
    edited, skipped, undone = first.calls
    await it.provider.propose(
        seen(
            CallResult(call=edited, status=CallStatus.DONE, executed=Click(at=NativePoint(144, 90))),
            CallResult(call=skipped, status=CallStatus.SKIPPED, text="Use the other field."),
            CallResult(call=undone, status=CallStatus.NOT_DONE, text="An earlier call was skipped."),
            messages=["Mind the date format."],
        )
    )
    answers, words = it.contents()[-2:]
    one, two, three = (part["functionResponse"]["response"] for part in answers["parts"])
    assert '"at": {"x": 100, "y": 101}' in one["changed_by_operator"]
    assert two == {"status": "skipped", "url": "", "error": "Use the other field."}
    assert three["error"] == "An earlier call was skipped."
    assert words == {"role": "user", "parts": [{"text": "Mind the date format."}]}


async def test_a_call_may_have_a_picture_of_its_own(bench: MakeBench) -> None:
    it = await bench([{"calls": [CLICK, CLICK]}, {"text": "Done."}])
    first = await it.provider.propose(seen())
    one, two = all_done(first)
    await it.provider.propose(seen(replace(one, picture=picture(200, Size(40, 30))), two))
    mine, theirs = [
        [each["inlineData"]["data"] for each in part["functionResponse"]["parts"]]
        for part in it.contents()[-1]["parts"]
    ]
    assert mine[:1] == theirs  # the screen now
    assert len(set(mine)) == 2


async def test_a_follow_up_task_goes_on_in_the_same_conversation(bench: MakeBench) -> None:
    it = await bench([{"text": "Done."}, {"calls": [CLICK]}, {"text": "Done again."}])
    assert (await it.provider.propose(seen())).finished
    second = await it.provider.propose(seen(messages=["Now close it."]))
    assert (await it.provider.propose(seen(*all_done(second)))).finished
    follow_up = it.contents()[2]
    assert follow_up["parts"][0] == {"text": "Now close it."}
    assert it.server.conversations == 1


async def test_begin_forgets_and_a_resumed_session_says_what_was(bench: MakeBench) -> None:
    it = await bench([{"calls": [CLICK]}, {"text": "Done."}])
    await it.provider.propose(seen())
    it.provider.begin(Brief(task="Go on.", instruction="", history="1. A click was done."))
    await it.provider.propose(seen(size=Size(1000, 625)))
    (opening,) = it.contents()
    assert opening["parts"][0]["text"] == "Go on.\n\nWhat happened before:\n1. A click was done."
    assert "systemInstruction" not in it.server.received[-1].body
    assert it.server.conversations == 2


@pytest.mark.parametrize("keep", [1, 3, 5])
async def test_only_the_newest_screenshots_are_sent(bench: MakeBench, keep: int) -> None:
    turns = [{"calls": [CLICK, TYPE]} for _ in range(8)]
    it = await bench([*turns, {"text": "Done."}], options=GeminiOptions(keep_screenshots=keep), keep_screenshots=keep)
    await _play(it)
    assert it.server.violations == []
    shown = str(it.contents()).count("sha256:")
    assert shown == 2 * keep
