"""The message of a round, variables, and LLM operations, against a server with the rules of the endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from operator_console.domain.actions import AskModel, TypeText
from operator_console.domain.errors import OperatorError, ProviderTransient
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import AnswersPrompts, Brief, CallResult, CallStatus, Observation, Proposal
from operator_console.domain.tools import ToolSpec
from operator_console.providers import registry
from operator_console.providers.cogagent.options import AnswerFormat, CogAgentOptions, Platform
from operator_console.providers.cogagent.provider import CogAgentProvider
from operator_console.providers.spec import Ingredients
from tests.providers.conftest import picture, seen
from tests.servers.cogagent_server import CogAgentServer
from tests.servers.scripted_server import Turn

TASK = 'Search for doors, click doors on sale and filter by brands "Mastercraft".'
HISTORY = [
    ("CLICK(box=[[352,102,786,139]], element_info='Search')",
     "Left click on the search box located in the middle top of the screen next to the Menards logo."),
    ("TYPE(box=[[352,102,786,139]], text='doors', element_info='Search')",
     "In the search input box at the top, type 'doors'."),
    ("CLICK(box=[[787,102,809,139]], element_info='SEARCH')",
     "Left click on the magnifying glass icon next to the search bar to perform the search."),
    ("SCROLL_DOWN(box=[[0,209,998,952]], step_count=5, element_info='[None]')",
     "Scroll down the page to see the available doors."),
    ("CLICK(box=[[280,708,710,809]], element_info='Doors on Sale')",
     'Click the "Doors On Sale" button in the middle of the page to view the doors that are currently on sale.'),
]  # fmt: skip
DOCUMENTED = (
    'Task: Search for doors, click doors on sale and filter by brands "Mastercraft".\nHistory steps: \n'
    "0. CLICK(box=[[352,102,786,139]], element_info='Search')\tLeft click on the search box located in the middle top "
    "of the screen next to the Menards logo.\n"
    "1. TYPE(box=[[352,102,786,139]], text='doors', element_info='Search')\tIn the search input box at the top, type "
    "'doors'.\n"
    "2. CLICK(box=[[787,102,809,139]], element_info='SEARCH')\tLeft click on the magnifying glass icon next to the "
    "search bar to perform the search.\n"
    "3. SCROLL_DOWN(box=[[0,209,998,952]], step_count=5, element_info='[None]')\tScroll down the page to see the "
    "available doors.\n"
    "4. CLICK(box=[[280,708,710,809]], element_info='Doors on Sale')\tClick the \"Doors On Sale\" button in the middle "
    "of the page to view the doors that are currently on sale.\n"
    "(Platform: WIN)\n(Answer in Action-Operation format.)\n"
)
QUOTE = "QUOTE_TEXT(box=[[387,249,727,317]], output='__CogName_Price__'{})"
END = {"operation": "END()", "action": "All done."}


def looked(*results: CallResult, messages: tuple[str, ...] = ()) -> Observation:
    """An observation with a picture of the kind that the provider asks for."""
    given = seen(*results, messages=messages)
    return replace(given, picture=replace(given.picture, data=JPEG, mime_type="image/jpeg"))


def _jpeg() -> bytes:
    import io

    from PIL import Image

    file = io.BytesIO()
    with Image.open(io.BytesIO(picture().data)) as image:
        image.convert("RGB").save(file, "JPEG")
    return file.getvalue()


JPEG = _jpeg()


def done(proposal: Proposal, **more: Any) -> tuple[CallResult, ...]:
    """All calls done."""
    return tuple(CallResult(call=call, status=CallStatus.DONE, **more) for call in proposal.calls)


class Bench:
    """A provider and its server."""

    def __init__(self, server: CogAgentServer, provider: CogAgentProvider) -> None:
        self.server = server
        self.provider = provider

    @property
    def said(self) -> str:
        """The text of the newest message."""
        text: str = self.server.received[-1].body["messages"][0]["content"][0]["text"]
        return text


Make = Callable[..., Any]


@pytest.fixture
async def bench() -> AsyncIterator[Make]:
    """Makes benches: `await bench(*turns, brief=, **options)`; in the end, no rule may have been broken."""
    servers: list[CogAgentServer] = []
    async with AsyncExitStack() as stack:

        async def make(*turns: Turn, brief: Brief | None = None, **options: Any) -> Bench:
            server = await stack.enter_async_context(CogAgentServer(turns, jpeg_only=True))
            servers.append(server)
            settings = CogAgentOptions(**{"offer_functions": False, **options})
            provider = CogAgentProvider(model="cogagent-9b-20241220", options=settings, base_url=server.base_url)
            stack.push_async_callback(provider.close)
            provider.begin(brief or Brief(task=TASK, instruction="You work a desktop."))
            return Bench(server, provider)

        yield make
        assert [server.violations for server in servers] == [[] for _ in servers]


async def test_the_message_is_as_documented_to_the_letter(bench: Make) -> None:
    turns = [{"operation": operation, "action": action} for operation, action in HISTORY]
    it = await bench(*turns, END, answer_format=AnswerFormat.ACTION_OPERATION)
    results: tuple[CallResult, ...] = ()
    for _ in turns:
        results = done(await it.provider.propose(looked(*results)))
    await it.provider.propose(looked(*results))
    assert it.said == DOCUMENTED
    sent = it.server.received[-1].body
    assert len(sent["messages"]) == 1
    assert sent["messages"][0]["content"][1]["image_url"]["url"].startswith("data:image/jpeg;base64,")


@pytest.mark.parametrize("form", AnswerFormat)
@pytest.mark.parametrize("platform", Platform)
async def test_the_first_message(bench: Make, form: AnswerFormat, platform: Platform) -> None:
    it = await bench(END, answer_format=form, platform=platform)
    await it.provider.propose(looked())
    assert it.said == f"Task: {TASK}\nHistory steps: \n(Platform: {platform})\n(Answer in {form} format.)\n"


async def test_what_the_task_can_be_followed_by(bench: Make) -> None:
    tool = ToolSpec(name="book", description="Books a room.", parameters_json='{"properties": {"night": {}}}')
    brief = Brief(task="Book it.", instruction="Be careful.", history="Step 1.", tools=(tool,))
    it = await bench(END, brief=brief, send_instruction=True, offer_functions=True)
    await it.provider.propose(looked(messages=("Mind the date.",)))
    task = it.server.rounds[-1].task
    parts = [
        "Book it.",
        "Be careful.",
        "Step 1.",
        "ask_user(",
        "yield_to_user(",
        "done(",
        "book(night=...): Books a room.",
    ]
    at = [task.index(part) for part in [*parts, "Message: Mind the date."]]
    assert at == sorted(at)


async def test_what_became_of_a_step_follows_it(bench: Make) -> None:
    click = {"operation": "CLICK(box=[[1,2,3,4]])", "action": "Click."}
    it = await bench(click, click, click, {"operation": "FLY()", "action": "Fly."}, END)
    first = await it.provider.propose(looked())
    second = await it.provider.propose(looked(*done(first)))
    declined = CallResult(call=second.calls[0], status=CallStatus.DECLINED, text="Not\nthis\tone.")
    third = await it.provider.propose(looked(declined))
    edited = CallResult(call=third.calls[0], status=CallStatus.DONE, executed=TypeText(text="other"))
    fourth = await it.provider.propose(looked(edited))
    await it.provider.propose(looked(CallResult(call=fourth.calls[0], status=CallStatus.NOT_UNDERSTOOD)))
    lines = it.said.splitlines()[2:6]
    assert lines[0] == "0. CLICK(box=[[1,2,3,4]])\tClick."
    assert lines[1].endswith(r"Click. (Not done: declined by the operator. Not\nthis\tone.)")
    assert '"other"' in lines[2]
    assert "“FLY” is not known" in lines[3]


async def test_a_request_to_answer_again_is_told_once_and_the_operators_words_each_time(bench: Make) -> None:
    click = {"operation": "CLICK(box=[[1,2,3,4]])"}
    it = await bench(click, END)
    again = notice(NoticeCode.ANSWER_UNREADABLE_TO_MODEL)
    first = await it.provider.propose(looked(messages=(again, "Mind the date.")))
    assert again in it.said
    await it.provider.propose(looked(*done(first)))
    assert again not in it.said
    assert it.said.count("Mind the date.") == 1


async def test_the_model_is_asked_to_continue_after_an_answer_without_an_operation(bench: Make) -> None:
    click = {"operation": "CLICK(box=[[1,2,3,4]])"}
    it = await bench({"text": "Which one?"}, click, END, END)
    asked = await it.provider.propose(looked())
    assert (asked.calls, asked.narration, asked.finished) == ((), "Which one?", False)
    results = done(await it.provider.propose(looked(messages=("The left one.",))))
    assert it.said.startswith(f"Task: {TASK}\nMessage: The left one.[Continue]\n\nHistory steps: \n0. \tWhich one?\n")
    results = done(await it.provider.propose(looked(*results)))
    assert "[Continue]" not in it.said
    await it.provider.propose(looked(*results, messages=("And close it.",)))
    assert "And close it.[Continue]\n" in it.said


@pytest.mark.parametrize(
    ("given", "status", "output", "typed"),
    [
        ("", CallStatus.DONE, "17.00", "17.00"),
        (", result='1700'", CallStatus.DONE, "17.00", "17.00"),
        (", result='17.00'", CallStatus.FAILED, "", "17.00"),
        (", result='17...'", CallStatus.FAILED, "", None),
        (", result='17.00'", CallStatus.DECLINED, "", None),
        ("", CallStatus.DONE, "__CogName_Price__ $(id)", "__CogName_Price__ $(id)"),
    ],
)
async def test_a_text_that_was_read_is_typed(
    bench: Make, given: str, status: CallStatus, output: str, typed: str | None
) -> None:
    it = await bench(
        {"operation": QUOTE.format(given)}, {"operation": "TYPE(box=[[1,2,3,4]], text='__CogName_Price__')"}
    )
    (call,) = (await it.provider.propose(looked())).calls
    (call,) = (await it.provider.propose(looked(CallResult(call=call, status=status, output=output)))).calls
    if typed is None:
        assert call.action is None
        assert "no value" in call.error
    else:
        assert isinstance(call.action, TypeText)
        assert call.action.text == typed
        assert "Price" in call.note


async def test_variables_end_with_the_conversation(bench: Make) -> None:
    use = {"operation": "TYPE(box=[[1,2,3,4]], text='__CogName_Price__')"}
    it = await bench({"operation": QUOTE.format("")}, use)
    await it.provider.propose(looked(*()))
    it.provider.begin(Brief(task=TASK, instruction=""))
    (call,) = (await it.provider.propose(looked())).calls
    assert call.action is None


async def test_a_language_model_is_asked_with_the_text_alone(bench: Make) -> None:
    llm = {"operation": "LLM(prompt='Shorten: __CogName_Price__', output='__CogName_Short__')"}
    it = await bench({"operation": QUOTE.format("")}, llm, {"text": "Cheap.", "prompted": True}, END)
    provider: object = it.provider
    assert isinstance(provider, AnswersPrompts)
    read = await it.provider.propose(looked())
    asked = await it.provider.propose(looked(*done(read, output="17.00")))
    (call,) = asked.calls
    assert isinstance(call.action, AskModel)
    assert call.action.prompt == "Shorten: 17.00"
    assert await it.provider.answer(call.action.prompt) == "Cheap."
    assert it.server.prompts == ["Shorten: 17.00"]
    last = await it.provider.propose(looked(*done(asked, output="Cheap.")))
    assert "(Result: Cheap.)" in it.said
    assert last.usage.output_tokens == 40
    assert it.provider.take_usage().output_tokens == 40, "the answer to the prompt"


async def test_an_answer_that_the_model_gave_along_is_used_if_it_is_whole(bench: Make) -> None:
    whole = "LLM(prompt='a', output='__CogName_x__', result='Whole.')"
    short = "LLM(prompt='a', output='__CogName_x__', result='Sho...')"
    it = await bench({"operation": whole}, {"operation": short}, {"text": "Long.", "prompted": True})
    first = await it.provider.propose(looked())
    assert await it.provider.answer("a") == "Whole."
    await it.provider.propose(looked(*done(first, output="Whole.")))
    assert await it.provider.answer("a") == "Long."


async def test_another_model_and_endpoint_for_prompts(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COGAGENT_API_KEY", "key-of-cogagent")
    async with CogAgentServer([{"text": "Cheap.", "prompted": True}]) as other:
        it = await bench(text_model="glm-4-9b-chat", text_base_url=other.base_url)
        assert await it.provider.answer("Shorten it.") == "Cheap."
        (request,) = other.received
    assert request.body["model"] == "glm-4-9b-chat"
    assert "key-of-cogagent" not in request.headers["authorization"]
    with pytest.raises(ProviderTransient):
        await it.provider.answer("Shorten it.")


async def test_long_histories_and_texts_fit_the_model(bench: Make) -> None:
    long = {"operation": f"TYPE(box=[[1,2,3,4]], text='{'ab ' * 600}')", "action": "Type. " * 200}
    it = await bench(*[long] * 40, offer_functions=True)
    results: tuple[CallResult, ...] = ()
    for number in range(40):
        results = done(await it.provider.propose(looked(*results, messages=("Mind it. " * 60,))), text="Why. " * 400)
        assert f"{number - 1}. TYPE" in it.said or not number


async def test_without_an_address_nothing_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COGAGENT_BASE_URL", raising=False)
    with pytest.raises(OperatorError) as caught:
        registry.create("", "THUDM/cogagent-9b-20241220", Ingredients())
    assert "COGAGENT_BASE_URL" in caught.value.remedy
