"""The runbook provider: its proposals for a screen, given as texts, and its reactions to results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    Chord,
    Click,
    CloseTab,
    Drag,
    Finish,
    Forward,
    Navigate,
    QuestionKind,
    Scroll,
    SwitchTab,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ExitCode, OperatorError, ProviderRejected
from operator_console.domain.frames import Frame, MonitorTarget, Picture, TextBox, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import joined, notice, notices_of, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import Page, Tab
from operator_console.domain.proposals import (
    Brief,
    Call,
    CallResult,
    CallStatus,
    Observation,
    Proposal,
    Provider,
    ReadsTask,
)
from operator_console.providers.runbook.provider import RunbookProvider

SIZE = Size(800, 600)


def text(words: str, x: int, y: int) -> TextBox:
    return TextBox(text=words, box=Rect(x, y, 8 * len(words), 12))


@dataclass
class Screen:
    """A reader whose screen is a list of texts. `fields` has the fields by the top-left corner of their labels."""

    texts: Sequence[TextBox] = ()
    fields: dict[tuple[int, int], Rect] = field(default_factory=dict)
    broken: Exception | None = None
    reads: int = 0

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        self.reads += 1
        if self.broken is not None:
            raise self.broken
        return self.texts

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        return self.fields.get((label.x, label.y))


@dataclass
class Stage:
    """A provider with a screen; the test sets how long the run has worked."""

    task: str
    screen: Screen
    history: str = ""
    last_call: str = ""
    last_call_done: bool = False
    worked_s: float = 100.0
    apart: tuple[WindowInfo, ...] = ()
    call: Call | None = None
    page: Page | None = None

    def __post_init__(self) -> None:
        self.provider = RunbookProvider(self.screen, patience_s=10)
        brief = Brief(
            task=self.task, instruction="", history=self.history, last_call=self.last_call,
            last_call_done=self.last_call_done,
        )  # fmt: skip
        self.provider.begin(brief)

    def observation(self, results: tuple[CallResult, ...], messages: tuple[str, ...]) -> Observation:
        frame = Frame(
            frame_id="f",
            apart=self.apart,
            pixels=memoryview(b""),
            geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=SIZE, sent=SIZE),
            target=MonitorTarget(spec="monitor:1", title="Monitor 1"),
            taken_s=0.0,
            page=self.page,
        )
        picture = Picture(data=b"", mime_type="image/png", size=SIZE, digest="")
        return Observation(frame=frame, picture=picture, results=results, messages=messages, worked_s=self.worked_s)

    async def turn(
        self,
        status: CallStatus = CallStatus.DONE,
        output: str = "",
        *,
        said: str = "",
        messages: tuple[str, ...] = (),
    ) -> Action:
        """Answer the last call, if any, and return the action of the next one."""
        results = () if self.call is None else (CallResult(call=self.call, status=status, output=output, text=said),)
        proposal = await self.provider.propose(self.observation(results, messages))
        return self.took(proposal)

    def took(self, proposal: Proposal) -> Action:
        (self.call,) = proposal.calls
        self.proposal = proposal
        assert self.call.action is not None
        require_notices(proposal, self.call.action)
        return self.call.action


def require_notices(proposal: Proposal, action: Action) -> None:
    """Every sentence that the runbook writes into the record has its codes; its `ask` quotes the operator."""
    (call,) = proposal.calls
    said = [proposal.narration, call.error, call.intent, call.note]
    match action:
        case AskOperator(answer=QuestionKind.CHOOSE):
            said += [action.question, *(choice.label for choice in action.choices)]
        case Finish():
            said.append(action.message)
        case _:
            pass
    for each in filter(None, said):
        assert notices_of(each), f"{each!r} has no code"
        assert worded(each) == each


SAVE = text("Save", 100, 100)


async def test_it_fits_the_port() -> None:
    provider: Provider = RunbookProvider(Screen())
    assert (provider.name, provider.model) == ("runbook", "runbook")


async def test_a_click_lands_in_the_middle_of_its_text_and_says_why() -> None:
    stage = Stage('# top\nclick "Save"', Screen([SAVE]))
    assert await stage.turn() == Click(at=NativePoint(116, 106))
    assert stage.call is not None
    assert stage.call.intent == "line 2: click “Save”"
    assert stage.call.box == SAVE.box
    assert stage.proposal.raw
    assert await stage.turn() == Finish(message=notice(NoticeCode.RUNBOOK_DONE, count=1), success=True)


async def test_each_step_becomes_its_action() -> None:
    task = 'type "x"\npress Ctrl+S 2 times\ndrag "Save" to "Bin"\nscroll down 3\nscroll up 1 on "Bin"'
    stage = Stage(task, Screen([SAVE, text("Bin", 300, 300)]))
    assert await stage.turn() == TypeText(text="x")
    assert await stage.turn() == Chord(keys=(Key("ctrl"), Key("s")), repeat=2)
    assert await stage.turn() == Drag(path=(NativePoint(116, 106), NativePoint(312, 306)))
    assert await stage.turn() == Scroll(at=NativePoint(312, 306), dy=3), "where the pointer was left"
    assert await stage.turn() == Scroll(at=NativePoint(312, 306), dy=-1)
    assert isinstance(await stage.turn(), Finish)


HERE = "https://a.example/"


def page(*urls: str) -> Page:
    """A page with these tabs."""
    return Page(document="1", url=urls[0], tabs=tuple(Tab(tab_id=url, url=url) for url in urls))


async def test_steps_of_a_browser_become_its_actions_and_nothing_is_looked_for() -> None:
    screen = Screen([SAVE])
    task = "go to https://a.example/x; open tab b.example; tab 2; back; forward; close tab"
    stage = Stage(task, screen, page=page(HERE, HERE))
    assert await stage.turn() == Navigate(url="https://a.example/x")
    assert await stage.turn() == Navigate(url="https://b.example", new_tab=True)
    assert stage.call is not None
    assert "https" in stage.call.note
    assert await stage.turn() == SwitchTab(number=2)
    assert await stage.turn() == Back()
    assert await stage.turn() == Forward()
    assert await stage.turn() == CloseTab()
    assert await stage.turn() == Finish(message=notice(NoticeCode.RUNBOOK_DONE, count=6), success=True)
    assert screen.reads == 0


async def test_a_tab_that_is_about_to_open_is_waited_for() -> None:
    stage = Stage("tab 10", Screen(), page=page(HERE))
    assert isinstance(await stage.turn(), Wait)
    stage.page = page(*[HERE] * 10)
    assert await stage.turn() == SwitchTab(number=10)


async def test_a_tab_that_never_opens_ends_the_runbook() -> None:
    stage = Stage("tab 2", Screen(), page=page(HERE))
    assert isinstance(await stage.turn(), Wait)
    stage.worked_s += 11
    end = await stage.turn()
    assert isinstance(end, Finish)
    assert "tab 2 is not on the screen" in end.message


async def test_on_a_desktop_a_tab_has_a_number_that_browsers_have_a_key_for() -> None:
    assert await Stage("tab 9", Screen()).turn() == SwitchTab(number=9)
    end = await Stage("tab 10", Screen()).turn()
    assert isinstance(end, Finish)
    assert not end.success
    assert "from 1 to 9" in end.message


async def test_an_address_that_is_not_reached_ends_the_runbook() -> None:
    stage = Stage("go to https://a.example/; back", Screen(), page=page(HERE))
    await stage.turn()
    end = await stage.turn(CallStatus.FAILED, said=notice(NoticeCode.CALL_NOT_DONE))
    assert isinstance(end, Finish)
    assert "line 1, go to https://a.example/" in end.message


async def test_scrolling_first_happens_in_the_middle() -> None:
    assert await Stage("scroll down 3", Screen()).turn() == Scroll(at=NativePoint(400, 300), dy=3)


async def test_steps_that_name_nothing_are_not_looked_for() -> None:
    screen = Screen([SAVE])
    stage = Stage('type "x"; press Enter; ask "Go on?"', screen)
    for _ in range(3):
        await stage.turn(output="yes")
    assert screen.reads == 0


async def test_typing_goes_into_the_field_of_the_label() -> None:
    screen = Screen([text("City", 10, 100)], {(10, 100): Rect(100, 90, 200, 32)})
    stage = Stage('type "Oslo" into "City"; replace "City" with "Rome"', screen)
    assert await stage.turn() == TypeText(text="Oslo", at=NativePoint(250, 106))
    assert await stage.turn() == TypeText(text="Rome", at=NativePoint(250, 106), clear=True)


async def test_a_field_that_cannot_be_seen_is_assumed_and_said() -> None:
    stage = Stage('type "Oslo" into "City"', Screen([text("City", 10, 100)]))
    action = await stage.turn()
    assert isinstance(action, TypeText)
    assert action.at == NativePoint(60, 106)
    assert stage.call is not None
    assert "No field" in stage.call.note


async def test_an_ambiguous_name_is_asked_and_the_choice_is_clicked() -> None:
    stage = Stage('click "Save"', Screen([SAVE, text("Sketch", 400, 380), text("Save", 400, 400)]))
    question = await stage.turn()
    assert isinstance(question, AskOperator)
    assert question.question == "“Save” appears 2 times. Which one is meant?"
    assert question.answer is QuestionKind.CHOOSE
    assert [choice.region for choice in question.choices] == [SAVE.box, Rect(400, 400, 32, 12)]
    assert "Sketch" in question.choices[1].label
    assert await stage.turn(output="1") == Click(at=NativePoint(416, 406))


async def test_the_choice_follows_a_small_move_and_asks_again_after_a_large_one() -> None:
    stage = Stage('click "Save"', Screen([SAVE, text("Save", 400, 400)]))
    await stage.turn()
    stage.screen.texts = [text("Save", 110, 90), text("Save", 410, 390)]
    assert await stage.turn(output="1") == Click(at=NativePoint(426, 396))
    stage = Stage('click "Save"', Screen([SAVE, text("Save", 400, 400)]))
    await stage.turn()
    stage.screen.texts = [text("Save", 100, 300), text("Save", 600, 300)]
    assert isinstance(await stage.turn(output="1"), AskOperator)


async def test_near_settles_it_without_asking() -> None:
    screen = Screen([SAVE, text("Sketch", 400, 380), text("Save", 400, 400)])
    assert await Stage('click "Save" near "Sketch"', screen).turn() == Click(at=NativePoint(416, 406))


@pytest.mark.parametrize(
    ("status", "output"),
    [(CallStatus.DECLINED, ""), (CallStatus.DONE, "declined"), (CallStatus.DONE, "7"), (CallStatus.SKIPPED, "")],
)
async def test_an_unanswered_choice_never_clicks(status: CallStatus, output: str) -> None:
    stage = Stage('click "Save"', Screen([SAVE, text("Save", 400, 400)]))
    await stage.turn()
    assert isinstance(await stage.turn(status, output), Finish)


async def test_what_is_missing_is_looked_for_and_then_given_up() -> None:
    stage = Stage('click "Save"\nclick "Later"', Screen([SAVE]))
    await stage.turn()
    waited = []
    action = await stage.turn()
    while isinstance(action, Wait):
        waited.append(action.duration_s)
        stage.worked_s += action.duration_s
        action = await stage.turn()
    assert sum(waited) == pytest.approx(10)
    assert waited == sorted(waited) or waited[-1] < waited[-2]
    assert isinstance(action, Finish)
    assert not action.success
    assert "Line 2" in action.message
    assert "“Later”" in action.message


async def test_a_text_that_appears_late_is_found() -> None:
    stage = Stage('wait for "Done" up to 30 s; click "Save"', Screen([SAVE]))
    assert isinstance(await stage.turn(), Wait)
    stage.worked_s += 25
    assert isinstance(await stage.turn(), Wait)
    stage.screen.texts = [SAVE, text("Done", 5, 5)]
    assert isinstance(await stage.turn(), Click)
    assert "“Done” is on the screen" in stage.proposal.narration


async def test_an_expectation_gets_a_moment_and_then_fails() -> None:
    stage = Stage('expect "Saved"', Screen([SAVE]))
    assert isinstance(await stage.turn(), Wait)
    stage.worked_s += 3
    action = await stage.turn()
    assert isinstance(action, Finish)
    assert not action.success


async def test_a_question_goes_on_with_yes_only() -> None:
    stage = Stage('ask "Sure?"; click "Save"', Screen([SAVE]))
    question = await stage.turn()
    assert question == AskOperator(question="Sure?", answer=QuestionKind.CONFIRM)
    assert isinstance(await stage.turn(output="yes"), Click)
    for output in ("declined", "no", ""):
        stage = Stage('ask "Sure?"; click "Save"', Screen([SAVE]))
        await stage.turn()
        action = await stage.turn(output=output)
        assert isinstance(action, Finish)
        assert not action.success


async def test_a_skipped_step_is_left_out() -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]))
    await stage.turn()
    assert isinstance(await stage.turn(CallStatus.SKIPPED, said="not this"), Chord)


@pytest.mark.parametrize("handled", [(False,), (True, False), (False, False), (False, True, False)])
async def test_input_that_the_application_did_not_handle_fails_the_play(handled: tuple[bool, ...]) -> None:
    unhandled = notice(NoticeCode.INPUT_NOT_HANDLED)
    stage = Stage("; ".join(f"press {key}" for key in "abc"[: len(handled)]), Screen())
    end = await stage.turn()
    for each in handled:
        end = await stage.turn(said="" if each else unhandled)
    assert isinstance(end, Finish)
    assert not end.success
    first_of_last = handled.index(False, 1 if True in handled else 0)
    assert f"press {'ABC'[first_of_last]}" in end.message
    assert unhandled in end.message


async def test_input_that_is_handled_late_does_not_fail_the_play() -> None:
    stage = Stage("press a; press b", Screen())
    await stage.turn()
    await stage.turn(said=notice(NoticeCode.INPUT_NOT_HANDLED))
    end = await stage.turn()
    assert isinstance(end, Finish)
    assert end.success


async def test_an_answer_is_no_sign_that_input_was_handled() -> None:
    stage = Stage('press a; ask "Go on?"', Screen())
    await stage.turn()
    assert isinstance(await stage.turn(said=notice(NoticeCode.INPUT_NOT_HANDLED)), AskOperator)
    end = await stage.turn(output="yes")
    assert isinstance(end, Finish)
    assert not end.success


@pytest.mark.parametrize("status", [CallStatus.DECLINED, CallStatus.FAILED, CallStatus.STOPPED])
async def test_a_step_that_failed_ends_the_play(status: CallStatus) -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]))
    await stage.turn()
    action = await stage.turn(status, said="covered by Calculator")
    assert isinstance(action, Finish)
    assert not action.success
    assert "line 1, click “Save”" in action.message
    assert "covered by Calculator" in action.message


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            joined(notice(NoticeCode.CALL_DECLINED), notice(NoticeCode.OPERATOR_SAYS, text="not {this} one")),
            "You denied it. Your note: not {this} one",
        ),
        (
            joined(
                notice(NoticeCode.CALL_EDITED),
                notice(NoticeCode.INTERRUPTED_BY_OPERATOR),
                notice(NoticeCode.SENT_OF_TOTAL, sent=3, total=9),
                notice(NoticeCode.LOOK_BEFORE_GOING_ON),
            ),
            "It was interrupted. 3 of 9 were sent.",
        ),
        (joined(notice(NoticeCode.CALL_NOT_DONE), "covered by Calculator"), "Not done. covered by Calculator"),
        (notice(NoticeCode.CALL_LAPSED), "Nobody answered in time, so it was not done."),
    ],
)
async def test_the_end_of_the_play_says_to_the_person_what_a_model_would_be_told(told: str, said: str) -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]))
    await stage.turn()
    action = await stage.turn(CallStatus.DECLINED, said=told)
    assert isinstance(action, Finish)
    assert action.message == f"The runbook ended at line 1, click “Save”. {said}"


async def test_what_the_console_says_to_a_model_is_no_step() -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]))
    await stage.turn()
    handed_back = joined(notice(NoticeCode.DESKTOP_HANDED_BACK), notice(NoticeCode.OPERATOR_SAYS, text="signed in"))
    await stage.turn(messages=(handed_back,))
    assert stage.proposal.narration == ""


async def test_a_step_that_was_not_done_is_proposed_again_but_not_for_ever() -> None:
    stage = Stage('click "Save"', Screen([SAVE]))
    await stage.turn()
    for _ in range(3):
        assert isinstance(await stage.turn(CallStatus.NOT_DONE), Click)
    action = await stage.turn(CallStatus.NOT_DONE)
    assert isinstance(action, Finish)
    assert not action.success


async def test_observing_shows_every_step() -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]))
    await stage.turn()
    assert isinstance(await stage.turn(CallStatus.OBSERVING), Chord)
    assert isinstance(await stage.turn(CallStatus.OBSERVING), Finish)


async def test_messages_that_are_steps_are_played_and_others_are_said() -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]))
    await stage.turn()
    assert await stage.turn(messages=('type "more"',)) == TypeText(text="more")
    assert isinstance(await stage.turn(messages=("please hurry",)), Chord)
    assert "please hurry" in stage.proposal.narration
    assert isinstance(await stage.turn(), Finish)
    assert isinstance(await stage.turn(messages=("press F5",)), Chord), "a follow-up after the end"
    assert isinstance(await stage.turn(), Finish)


async def test_the_lines_of_messages_are_counted_after_those_of_the_runbook() -> None:
    stage = Stage('click "Save"\n\npress Enter\n# the end\n', Screen([SAVE]))
    await stage.turn()
    said = []
    for messages in (("press F5\npress F6", "please hurry"), (), ("press F7",), ()):
        await stage.turn(messages=messages)
        assert stage.call is not None
        said.append(worded(stage.call.intent))
    assert [words.partition(":")[0] for words in said] == ["line 5", "line 6", "line 7", "line 3"]


async def test_a_resumed_play_asks_where_to_go_on() -> None:
    stage = Stage('click "Save"; press Enter', Screen([SAVE]), history="It was stopped.")
    question = await stage.turn()
    assert isinstance(question, AskOperator)
    assert [choice.label for choice in question.choices] == ["Line 1: click “Save”", "Line 1: press Enter"]
    assert question.suggested is None
    assert isinstance(await stage.turn(output="1"), Chord)


@pytest.mark.parametrize(
    ("last", "done", "suggested", "asks"),
    [
        ("line-3", False, 1, "Stopped at line 3. Continue from:"),
        ("line-3", True, 2, "Stopped at line 4. Continue from:"),
        ("line-4", True, None, "This runbook was run before. Continue from:"),
        ("line-9", False, None, "This runbook was run before. Continue from:"),
        ("", False, None, "This runbook was run before. Continue from:"),
    ],
    ids=["in the line", "after the line", "at the end", "in a line of a message", "not known"],
)
async def test_a_resumed_play_suggests_the_line_that_it_was_stopped_in(
    last: str, *, done: bool, suggested: int | None, asks: str
) -> None:
    stage = Stage(
        "# a comment\npress F5\npress F6\npress F7", Screen([SAVE]), history="It was stopped.", last_call=last,
        last_call_done=done,
    )  # fmt: skip
    question = await stage.turn()
    assert isinstance(question, AskOperator)
    assert (question.question, question.suggested) == (asks, suggested)


async def test_a_resumed_play_without_an_answer_does_nothing() -> None:
    stage = Stage('click "Save"', Screen([SAVE]), history="It was stopped.")
    await stage.turn()
    action = await stage.turn(CallStatus.DECLINED)
    assert isinstance(action, Finish)
    assert not action.success


async def test_a_turn_that_failed_left_everything_as_it_was() -> None:
    screen = Screen([SAVE])
    stage = Stage('press Enter; click "Save"', screen)
    await stage.turn()
    assert stage.call is not None
    observation = stage.observation((CallResult(call=stage.call, status=CallStatus.DONE),), ("press F5",))
    first = await stage.provider.propose(observation)
    assert stage.took(first) == Chord(keys=(Key("f5"),))
    follow = stage.observation((CallResult(call=stage.call, status=CallStatus.DONE),), ("press F6",))
    stage.screen.broken = OperatorError("Text cannot be read.")
    assert stage.took(await stage.provider.propose(follow)) == Chord(keys=(Key("f6"),))
    last = stage.observation((CallResult(call=stage.call, status=CallStatus.DONE),), ())
    for _ in range(2):
        with pytest.raises(ProviderRejected, match="Text cannot be read"):
            await stage.provider.propose(last)
    screen.broken = None
    assert stage.took(await stage.provider.propose(last)) == Click(at=NativePoint(116, 106))


def test_a_mistake_is_said_at_the_beginning() -> None:
    with pytest.raises(OperatorError) as caught:
        RunbookProvider(Screen()).begin(Brief(task='click "Save"\nklick', instruction=""))
    assert "line 2, column 1" in caught.value.title
    assert caught.value.exit_code == ExitCode.USAGE


async def test_calls_are_encoded_for_the_record() -> None:
    stage = Stage('drag "Save" to "Save"', Screen([SAVE]))
    await stage.turn()
    assert stage.call is not None
    assert '"line": 1' in stage.call.arguments_json
    assert stage.call.name == "drag"


def test_the_text_of_a_file_that_the_task_names_is_told(tmp_path: Path) -> None:
    path = tmp_path / "steps.txt"
    path.write_text("press Enter\n", "utf-8")
    provider = RunbookProvider(None)
    assert isinstance(provider, ReadsTask)
    provider.begin(Brief(task=f" @{path}\n", instruction=""))
    assert provider.task_text == "press Enter\n"
    provider.begin(Brief(task="press Enter\n", instruction=""))
    assert provider.task_text == ""
