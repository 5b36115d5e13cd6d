"""What every provider must do, through its real SDK, against a server that enforces its vendor's rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from operator_console.domain.actions import (
    AskOperator,
    CallFunction,
    Chord,
    Click,
    Drag,
    Finish,
    Move,
    Scroll,
    TypeText,
)
from operator_console.domain.errors import ProviderMalformed, ProviderRefused, ProviderRejected, ProviderTransient
from operator_console.domain.geometry import FrameGeometry, NativePoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.proposals import (
    Brief,
    Call,
    CallResult,
    CallStatus,
    LimitsTurns,
    Proposal,
    TellsUsage,
    Usage,
)
from operator_console.domain.tools import ToolResult, ToolSpec
from operator_console.engine.turn.request_with_retries import adapted
from tests.providers.contract.conftest import (
    INSTRUCTION,
    SCREEN,
    TASK,
    Begin,
    Conversation,
    every_connection,
    every_model,
    geometry_for,
    geometry_of,
    is_first_of_its_provider,
)
from tests.providers.contract.dialect import Dialect
from tests.providers.contract.scripted_task import TASK as SCRIPTED_TASK

# Room for the texts, and for what is always sent.
MOST_BYTES = 480_000

MORE_SIZES = ((1440, 900), (2560, 1600))

CLICK_NEAR = Click(at=NativePoint(100, 100))
CLICK = Click(at=NativePoint(720, 450))
TYPE = TypeText(text="abc")
SAVE = Chord(keys=(Key("ctrl"), Key("s")))


def done(proposal: Proposal) -> tuple[CallResult, ...]:
    """All calls of a turn done."""
    return tuple(CallResult(call=call, status=CallStatus.DONE) for call in proposal.calls)


def near(given: object, meant: object) -> bool:
    """Whether two actions are the same, with points within one pixel of each other."""
    match given, meant:
        case NativePoint(), NativePoint():
            return abs(given.x - meant.x) <= 1 and abs(given.y - meant.y) <= 1
        case tuple(), tuple():
            return len(given) == len(meant) and all(map(near, given, meant))
        case ((Click() | Drag() | Move() | Scroll()), _):
            return type(given) is type(meant) and all(
                near(getattr(given, name), getattr(meant, name)) for name in given.__slots__
            )
        case _:
            return given == meant


async def test_what_is_too_large_for_the_service_is_sent_with_less_and_then_with_smaller_pictures(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    too_large = {"status": 400, "message": "Image too large"}
    it = await begin(*[too_large] * 20)
    told: list[str] = []
    edges = [geometry.sent.width]

    async def shrink() -> None:
        while await adapted(it.provider, it.observation(), lambda change, _: told.append(change)) is None:
            it.geometry = geometry_for(it.provider, SCREEN)
            edges.append(it.geometry.sent.width)

    with pytest.raises(ProviderRejected):
        await shrink()
    assert edges == sorted(set(edges), reverse=True)
    assert edges[0] > 1_000 > edges[-1]
    assert len(it.server.received) == len(told) + 1


@every_model
async def test_a_task_begins_and_is_answered(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    turn: Any = {"geometry": geometry, "thought": "It is a menu.", "text": "Opening it."}
    it = await begin(dialect.turn(CLICK, **turn))
    proposal = await it.propose()
    (call,) = proposal.calls
    assert near(call.action, CLICK)
    assert "Opening it." in proposal.narration
    assert not proposal.finished
    assert proposal.usage.input_tokens
    assert json.loads(proposal.raw)
    assert proposal.request_bytes == it.server.received[0].size
    said = " ".join(it.texts())
    assert TASK in said
    assert INSTRUCTION in said
    assert dialect.pictures(it.server.received[0].body) == 1
    assert (it.provider.name, bool(it.provider.model)) == (type(it.provider).__module__.split(".")[-2], True)


@every_model
async def test_the_same_task_is_the_same_actions_in_every_dialect(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    meant = [action for action in SCRIPTED_TASK if action.kind in dialect.kinds]
    assert len(meant) >= 8
    it = await begin(*(dialect.turn(action, geometry=geometry) for action in meant))
    results: tuple[CallResult, ...] = ()
    understood = []
    for _ in meant:
        proposal = await it.propose(*results)
        understood += [call.action for call in proposal.calls]
        results = done(proposal)
    assert len(understood) == len(meant)
    assert [each for each in zip(understood, meant, strict=True) if not near(*each)] == []


@every_model
@pytest.mark.parametrize(
    "screen",
    [Size(1000, 700), Size(3840, 1080), *(pytest.param(Size(*size), marks=pytest.mark.full) for size in MORE_SIZES)],
    ids=str,
)
async def test_clicks_land_within_a_pixel_up_to_the_edges(dialect: Dialect, begin: Begin, screen: Size) -> None:
    """In each run: one screen that is sent as it is, and one that is made smaller; every pixel of all in
    tests/domain/test_conversion_error.py."""
    right, bottom = screen.width - 1, screen.height - 1
    points = [(0, 0), (right, 0), (0, bottom), (right, bottom), (1, 1), (right - 1, bottom // 3), (37, 611), (999, 501)]
    clicks = [Click(at=NativePoint(*point)) for point in points]
    geometry = geometry_of(dialect, screen)
    turns = [clicks] if dialect.batches else [[click] for click in clicks]
    it = await begin(*(dialect.turn(*turn, geometry=geometry) for turn in turns), screen=screen)
    results: tuple[CallResult, ...] = ()
    for turn in turns:
        proposal = await it.propose(*results)
        for call, click in zip(proposal.calls, turn, strict=True):
            assert near(call.action, click), (call, click)
        results = done(proposal)


@every_model
async def test_a_point_outside_the_picture_is_an_error_to_the_model(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(dialect.outside(geometry), dialect.says("I see."))
    (call,) = (await it.propose()).calls
    assert call.action is None
    assert "outside" in call.error
    await it.propose(CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD))
    (told,) = it.told()
    assert told.failed
    assert "outside" in told.text


async def test_a_call_of_nothing_that_exists_is_an_error_to_the_model(dialect: Dialect, begin: Begin) -> None:
    it = await begin(dialect.function("fly", {"to": "Berlin"}), dialect.says("I see."))
    (call,) = (await it.propose()).calls
    assert call.action is None
    assert "fly" in call.error
    await it.propose(CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=call.error))
    assert it.told()[0].failed


async def test_a_batch_stops_at_the_first_failure(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    if not dialect.batches:
        pytest.skip("its turns hold one action")
    it = await begin(dialect.turn(CLICK, TYPE, SAVE, geometry=geometry), dialect.says("I see."))
    proposal = await it.propose()
    assert [type(call.action) for call in proposal.calls] == [Click, TypeText, Chord]
    one, two, three = proposal.calls
    await it.propose(
        CallResult(call=one, status=CallStatus.DONE, changed=True),
        CallResult(call=two, status=CallStatus.FAILED, text="It is covered by “Mail”."),
        CallResult(call=three, status=CallStatus.NOT_DONE, text="An earlier call was not done."),
    )
    told = it.told()
    assert [each.failed for each in told] == [False, True, True]
    assert "covered by “Mail”" in told[1].text
    assert dialect.pictures(it.server.received[-1].body) >= 2, "the screen now"


NOT_ALLOWED = (CallStatus.DECLINED, CallStatus.SKIPPED, CallStatus.STOPPED, CallStatus.OBSERVING, CallStatus.NOT_DONE)


async def test_a_call_that_was_not_allowed_is_told_with_the_operators_words(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(*[dialect.turn(TYPE, geometry=geometry)] * (len(NOT_ALLOWED) + 1))
    (call,) = (await it.propose()).calls
    for status in NOT_ALLOWED:
        again = await it.propose(CallResult(call=call, status=status, text=f"Not so, says the operator: {status}."))
        (call,) = again.calls
        assert call.action == TYPE
        assert any(f"Not so, says the operator: {status}." in text for text in it.texts())
        assert all(told.failed for told in it.told())


async def test_what_ran_instead_is_told(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    it = await begin(dialect.turn(TYPE, geometry=geometry), dialect.says("I see."))
    (call,) = (await it.propose()).calls
    await it.propose(CallResult(call=call, status=CallStatus.DONE, executed=TypeText(text="the operator's text")))
    assert any("the operator's text" in text for text in it.texts())


async def test_the_operators_messages_reach_the_model_once_and_in_order(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    turns = [dialect.turn(CLICK, geometry=geometry)] * 2
    it = await begin(*turns, dialect.says("I see."))
    first = await it.propose(messages=["Take the second one."])
    second = await it.propose(*done(first), messages=["Mind the date.", "And hurry."])
    await it.propose(*done(second))
    said = "\n".join(it.texts())
    assert said.index("Take the second one.") < said.index("Mind the date.") < said.index("And hurry.")
    assert said.count("Mind the date.") == 1


async def test_text_alone_is_an_end_or_a_question_and_goes_on_with_the_answer(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(dialect.says("Which of the two?"), dialect.turn(CLICK, geometry=geometry))
    asked = await it.propose()
    assert asked.calls == ()
    assert asked.narration == "Which of the two?"
    assert asked.finished is dialect.text_ends
    second = await it.propose(messages=["The left one."])
    assert near(second.calls[0].action, CLICK)
    assert "The left one." in it.texts()[-1]
    assert it.server.conversations == 1


@every_model
async def test_the_consoles_own_functions_are_offered_and_understood(dialect: Dialect, begin: Begin) -> None:
    it = await begin(
        dialect.function("ask_user", {"question": "Which one?", "choices": ["a", "b"]}),
        dialect.function("yield_to_user", {"reason": "Please sign in."}),
        dialect.function("done", {"text": "All saved.", "success": True}),
    )
    (ask,) = (await it.propose()).calls
    assert isinstance(ask.action, AskOperator)
    assert (ask.action.question, [choice.label for choice in ask.action.choices]) == ("Which one?", ["a", "b"])
    assert {"ask_user", "yield_to_user", "done"} <= dialect.offered(it.server.received[0].body)
    (hand,) = (await it.propose(CallResult(call=ask, status=CallStatus.DONE, output="1"))).calls
    assert "1" in it.told()[0].text
    assert hand.action == AskOperator(question="Please sign in.")
    (end,) = (await it.propose(CallResult(call=hand, status=CallStatus.DONE, output="I did."))).calls
    assert "I did." in it.told()[0].text
    assert end.action == Finish(message="All saved.", success=True)


async def test_functions_of_the_session_are_offered_called_and_answered(dialect: Dialect, begin: Begin) -> None:
    schema = {"type": "object", "properties": {"night": {"type": "integer"}}, "required": ["night"]}
    tool = ToolSpec(name="book_room", description="Books a room.", parameters_json=json.dumps(schema))
    it = await begin(dialect.function("book_room", {"night": 2}), dialect.says("Booked."), tools=(tool,))
    (call,) = (await it.propose()).calls
    assert call.action == CallFunction(name="book_room", arguments_json='{"night": 2}')
    offered = json.dumps(it.server.received[0].body)
    assert "Books a room." in offered
    result = ToolResult(texts=("room 7", "2 nights"))
    await it.propose(CallResult(call=call, status=CallStatus.DONE, tool=result))
    assert "room 7" in it.told()[0].text
    assert "2 nights" in it.told()[0].text


async def test_a_resumed_session_begins_anew_and_says_what_was(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    turn = dialect.turn(CLICK, geometry=geometry)
    it = await begin(turn, turn)
    first = await it.propose()
    it.provider.begin(Brief(task="Go on.", instruction=INSTRUCTION, history="Step 1: a click, done."))
    second = await it.propose()
    assert "Step 1: a click, done." in "\n".join(it.texts())
    assert it.server.conversations == 2
    assert near(second.calls[0].action, first.calls[0].action)


async def test_a_stored_answer_says_the_same_again(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    actions = (CLICK, TYPE) if dialect.batches else (CLICK,)
    it = await begin(dialect.turn(*actions, geometry=geometry, thought="Hm.", text="Opening."))
    stored = await it.propose()
    other = await begin(dialect.again(stored.raw), dialect.says("I see."))
    again = await other.propose()

    def plain(call: Call) -> Any:
        return call.name, call.action, json.loads(call.arguments_json)

    assert [plain(call) for call in again.calls] == [plain(call) for call in stored.calls]
    assert (again.thoughts, again.narration) == (stored.thoughts, stored.narration)
    await other.propose(*done(again))


async def test_a_cancelled_request_leaves_no_trace(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    held: Any = {**dialect.turn(TYPE, geometry=geometry), "delay_s": 60}  # type: ignore[dict-item]
    it = await begin(dialect.turn(CLICK, geometry=geometry), held, dialect.says("I see."))
    first = await it.propose()
    observation = it.observation(*done(first))
    request = asyncio.create_task(it.provider.propose(observation))
    await it.server.waiting.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    it.server.pending[0] = dialect.turn(TYPE, geometry=geometry)
    again = await it.provider.propose(observation)
    assert again.calls[0].action == TYPE
    await it.propose(*done(again))


async def test_results_that_do_not_answer_the_calls_are_a_bug(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(dialect.turn(CLICK, geometry=geometry), dialect.says("I see."))
    first = await it.propose()
    with pytest.raises(ValueError, match="do not answer"):
        await it.propose()
    await it.propose(*done(first))


async def test_an_answer_cut_off_by_the_limit_of_tokens_is_not_acted_on(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(dialect.cut_off(CLICK, geometry=geometry), dialect.turn(CLICK, geometry=geometry))
    with pytest.raises(ProviderMalformed, match="cut off"):
        await it.propose()
    again = await it.propose(messages=["Your last answer could not be read. Answer again."])
    assert again.calls
    assert "Answer again." in "\n".join(it.texts())


async def test_tokens_of_an_answer_that_cannot_be_used_are_told_once(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(dialect.cut_off(CLICK, geometry=geometry), dialect.turn(CLICK, geometry=geometry))
    provider: object = it.provider
    assert isinstance(provider, TellsUsage)
    with pytest.raises(ProviderMalformed):
        await it.propose()
    untold = provider.take_usage()
    used = (await it.propose(messages=["Answer again."])).usage
    assert used.reported
    assert untold.input_tokens
    assert (used.input_tokens or 0) < 2 * untold.input_tokens, "counted apart"
    assert provider.take_usage() == Usage()


async def test_a_refusal_is_for_a_human_to_see(dialect: Dialect, begin: Begin) -> None:
    it = await begin(dialect.refuses("This screen asks for harm."), dialect.says("I see."))
    with pytest.raises(ProviderRefused) as caught:
        await it.propose()
    assert "This screen asks for harm." in caught.value.detail
    await it.propose(messages=["Go on with the other window."])


UNREADABLE = ("", "[]", "null", "3", '{"a": NaN}', '{"content": 3}', "{")


async def test_what_cannot_be_read_is_malformed_and_asked_for_again(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    turn = dialect.turn(CLICK, geometry=geometry)
    it = await begin(turn)
    answer = await it.propose()
    for body in UNREADABLE:
        print("the body", repr(body))
        it.server.pending[:] = [{"body": body}, turn]
        observation = it.observation(*done(answer))
        with pytest.raises(ProviderMalformed):
            await it.provider.propose(observation)
        answer = await it.provider.propose(observation)
        assert answer.calls
        assert it.server.received[-2].body == it.server.received[-1].body


FAULTS: Sequence[tuple[dict[str, Any], type[Exception], float | None]] = (
    ({"status": 429, "retry_after": 7}, ProviderTransient, 7.0),
    ({"status": 429}, ProviderTransient, None),
    ({"status": 500}, ProviderTransient, None),
    ({"status": 503, "retry_after": "soon"}, ProviderTransient, None),
    ({"status": 504}, ProviderTransient, None),
    ({"status": 400, "message": "No good."}, ProviderRejected, None),
    ({"status": 413, "message": "Too large."}, ProviderRejected, None),
    ({"drop": True}, ProviderTransient, None),
)


@every_connection
async def test_a_fault_is_raised_once_and_the_turn_can_be_sent_again(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    turn = dialect.turn(CLICK, geometry=geometry)
    it = await begin(turn)
    answer = await it.propose()
    for fault, error, retry_after_s in FAULTS:
        print("the fault", fault)
        it.server.pending[:] = [fault, turn]
        observation, requests = it.observation(*done(answer)), len(it.server.received)
        with pytest.raises(error) as caught:
            await it.provider.propose(observation)
        assert len(it.server.received) == requests + 1, "no retry of the SDK's"
        assert type(caught.value) is error
        assert getattr(caught.value, "retry_after_s", None) == retry_after_s
        assert fault.get("message", "") in getattr(caught.value, "detail", "")
        answer = await it.provider.propose(observation)
        assert it.server.received[-2].body == it.server.received[-1].body
    it.server.pending[:] = [dialect.says("I see.")]
    await it.propose(*done(answer))


@every_connection
@pytest.mark.parametrize("code", [401, 403])
async def test_a_key_that_is_refused_is_not_shown(dialect: Dialect, begin: Begin, code: int) -> None:
    it = await begin({"status": code, "message": "Not for a-secret-key."}, api_key="a-secret-key")
    it.provider = dialect.provider(it.server.url, api_key="a-secret-key")
    it.provider.begin(Brief(task=TASK, instruction=INSTRUCTION))
    with pytest.raises(ProviderRejected) as caught:
        await it.propose()
    await it.provider.close()
    assert caught.value.key_problem
    assert "a-secret-key" not in str(caught.value)


@every_connection
async def test_a_model_that_the_service_lacks_is_named(dialect: Dialect, begin: Begin) -> None:
    it = await begin(dialect.says("I see."), model="no-such-model-9")
    with pytest.raises(ProviderRejected) as caught:
        await it.propose()
    assert "no-such-model-9" in caught.value.title
    assert not caught.value.key_problem


@every_connection
async def test_nobody_listens(dialect: Dialect, begin: Begin) -> None:
    it = await begin(dialect.says("I see."))
    await it.server.stop()
    with pytest.raises(ProviderTransient, match="connection"):
        await it.propose()


@every_connection
async def test_an_address_that_cannot_be_used(dialect: Dialect) -> None:
    for url in ("ftp://127.0.0.1/", "nonsense"):
        provider = dialect.provider(url)
        it = Conversation(dialect.server([]), provider, dialect, Size(100, 100))
        with pytest.raises(ProviderRejected, match="address") as caught:
            await it.propose()
        await provider.close()
        assert "_BASE_URL" in caught.value.remedy


@every_connection
async def test_a_slow_answer_runs_out_of_time(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    turn: Any = dialect.turn(CLICK, geometry=geometry)
    it = await begin({**turn, "delay_s": 60}, timeout_s=0.5)
    with pytest.raises(ProviderTransient, match="in time"):
        await it.propose()


@every_connection
async def test_a_turn_may_take_as_long_as_the_options_allow(dialect: Dialect, begin: Begin) -> None:
    provider: object = (await begin(timeout_s=900)).provider
    assert isinstance(provider, LimitsTurns)
    assert provider.turn_limit_s >= 900


LOG = ToolSpec(name="read_log", description="Reads the log.", parameters_json='{"type": "object", "properties": {}}')


@pytest.mark.parametrize("steps", [40, pytest.param(200, marks=pytest.mark.full)])
async def test_a_session_of_long_texts_stays_bounded(dialect: Dialect, begin: Begin, steps: int) -> None:
    if steps == 40 and not is_first_of_its_provider(dialect):
        pytest.skip("another dialect of this provider is tried; all with --full")
    geometry = geometry_of(dialect, Size(320, 200))
    click = dialect.turn(CLICK_NEAR, geometry=geometry, thought="I think. " * 100, text="I say so. " * 150)
    call = dialect.function("read_log", {})
    it = await begin(*[click, call] * (steps // 2), screen=Size(320, 200), tools=(LOG,))
    results: tuple[CallResult, ...] = ()
    for step in range(steps):
        messages = [f"{step} Mind this. " * 2_000] if step % 5 == 0 else []
        (asked,) = (proposal := await it.propose(*results, messages=messages)).calls
        tool = ToolResult(texts=(f"{step} " * 7_000,)) if isinstance(asked.action, CallFunction) else None
        results = (CallResult(call=proposal.calls[0], status=CallStatus.DONE, tool=tool, text="Done so. " * 300),)
    sizes = [one.size for one in it.server.received]
    print(dialect.title, {step: sizes[step - 1] for step in (20, 40, 100, 200) if step <= steps}, "most", max(sizes))
    assert max(sizes) < MOST_BYTES
    assert steps == 40 or max(sizes[steps // 2 :]) <= max(sizes[: steps // 2]) * 1.1
    assert TASK in "\n".join(it.texts())
    assert it.server.conversations == 1


@pytest.mark.parametrize("steps", [100, pytest.param(200, marks=pytest.mark.full)])
async def test_a_long_session_stays_bounded_on_one_connection(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry, steps: int
) -> None:
    if steps == 100 and not is_first_of_its_provider(dialect):
        pytest.skip("another dialect of this provider is tried; all with --full")
    turn = dialect.turn(CLICK, geometry=geometry, thought="Thinking about it. " * 5, text="I open the menu.")
    it = await begin(*[turn] * steps)
    results: tuple[CallResult, ...] = ()
    for _ in range(steps):
        proposal = await it.propose(*results)
        results = done(proposal)
    sizes = [one.size for one in it.server.received]
    assert max(sizes[steps // 2 :]) <= max(sizes[: steps // 2]) * 1.1
    pictures = [dialect.pictures(one.body) for one in it.server.received]
    assert max(pictures) == min(dialect.most_pictures, steps)
    assert TASK in "\n".join(it.texts())
    assert it.server.conversations == 1
    assert it.server.connections == 1
