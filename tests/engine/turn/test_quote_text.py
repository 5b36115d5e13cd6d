"""Reading a long text: scrolled under grants, joined without gaps or repeats, scrolled back, interrupted in order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operator_console.domain.actions import Action, QuoteText, Scroll
from operator_console.domain.decisions import ActResult, DecisionKind, Outcome
from operator_console.domain.elements import PointText, TextKnowledge
from operator_console.domain.errors import RejectedReason
from operator_console.domain.events import Decided, Granted, Performed
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Pause, Resume
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.domain.risk import Autonomy
from operator_console.engine.turn import quote_text
from operator_console.engine.turn.quote_text import MOST_SCREENS, Joined, moved_up
from tests.engine.rig import Rig, click, does, rig, said
from tests.fakes.computer import FakeComputer

REGION = Rect(20, 30, 300, 200)
LINE = 20
NOTCH = 53
READ = QuoteText(region=REGION, variable="v", auto_scroll=True)


class Document:
    """Lines of one colour each in REGION, and the reader that reads them: what is cut through is read wrongly."""

    def __init__(self, lines: int, notch: int = NOTCH) -> None:
        self.lines = lines
        self.notch = notch
        self.top = 0
        self.computer = FakeComputer()

    def scrolled(self, action: Action) -> None:
        if isinstance(action, Scroll):
            most = max(0, self.lines * LINE - REGION.height)
            self.top = min(most, max(0, self.top + action.dy * self.notch))
            self.paint()

    def paint(self) -> None:
        self.computer.paint(REGION, (255, 255, 255))
        for number in range(self.lines):
            line = self._at(number)
            ink = Rect(line.x + 5, line.y + 3, 40 + number % 7, LINE - 6).intersect(REGION)
            if not ink.empty:
                self.computer.paint(ink, (number, 100, 50))

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        found = []
        for number in range(self.lines):
            line = self._at(number)
            seen = line.intersect(REGION)
            if not seen.empty:
                text = f"line {number}" if seen == line else f"cut {number}"
                found.append(TextBox(text=text, box=seen))
        return found if region == REGION else []

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        return ""

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        return PointText(knowledge=TextKnowledge.READ, extent=extent)

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        return None

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        return None

    async def close(self) -> None:
        return None

    def _at(self, number: int) -> Rect:
        return Rect(REGION.x, REGION.y + number * LINE - self.top, REGION.width, LINE)


def session(document: Document, *, autonomy: Autonomy = Autonomy.GUARDED) -> Rig:
    r = rig(does(READ, click()), said("done"), reader=document, autonomy=autonomy)
    document.computer = r.computer
    document.paint()
    r.injector.on_act = document.scrolled
    return r


def answer(r: Rig) -> CallResult:
    return r.model.seen[1].results[0]


def whole(lines: int) -> str:
    return "\n".join(f"line {number}" for number in range(lines))


@pytest.mark.parametrize("lines", [11, 25, 60])
@pytest.mark.parametrize("notch", [7, 53, 100, 131])
async def test_a_long_place_is_read_to_its_end_and_stands_as_before(lines: int, notch: int) -> None:
    document = Document(lines, notch)
    r = session(document)
    await r.run()
    result = answer(r)
    assert (result.status, result.output) == (CallStatus.DONE, whole(lines))
    assert "to its end" in result.text
    assert "It was scrolled back." in result.text
    assert document.top == 0
    granted = [event.action for event in r.of(Granted) if event.call == 0]
    assert {action.at for action in granted if isinstance(action, Scroll)} == {NativePoint(*REGION.centre)}
    assert len(granted) == len({grant.grant_id for grant in r.injector.grants}) - 1, "each step has a grant of its own"


async def test_how_many_screens_were_read_is_said_and_recorded() -> None:
    r = session(Document(40, 40))
    await r.run()
    last = [event for event in r.of(Performed) if event.call == 0][-1]
    assert last.detail == answer(r).text
    assert last.detail.startswith("Read ")
    assert "screens, to its end." in last.detail


async def test_what_does_not_scroll_is_read_once() -> None:
    r = session(Document(5))
    await r.run()
    assert answer(r).output == whole(5)
    assert answer(r).text == "Read 1 screen, it does not scroll further."
    assert len([event for event in r.of(Granted) if event.call == 0]) == 1


async def test_an_endless_place_is_left_after_a_while() -> None:
    document = Document(2000)
    r = session(document)
    await r.run()
    lines = answer(r).output.splitlines()
    assert lines[:50] == whole(50).splitlines()
    assert f"Read {MOST_SCREENS} screens, there is more below." in answer(r).text
    assert document.top == 0


async def test_a_text_without_end_is_cut_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quote_text, "LONGEST", 30)
    r = session(Document(40, 40))
    await r.run()
    assert answer(r).output == whole(40)[:30]
    assert f"Only the first 30 of {len(whole(40))} characters." in answer(r).text


async def test_nothing_is_scrolled_where_only_looking_is_allowed() -> None:
    r = session(Document(40), autonomy=Autonomy.OBSERVE)
    await r.run()
    assert r.injector.grants == []
    assert r.of(Decided)[0].decision is DecisionKind.NOT_DONE


async def test_a_refusal_is_said_with_what_was_read_before_it() -> None:
    document = Document(60)
    r = session(document)

    def refuse(_grant: Grant) -> Outcome | None:
        if len(r.injector.grants) == 3:
            return Outcome(result=ActResult.FAILED, detail="Covered.", reason=RejectedReason.COVERED.value)
        return None

    r.injector.answer = refuse
    await r.run()
    result = answer(r)
    assert result.status is CallStatus.DONE
    assert "could not be scrolled further: Covered" in result.text
    kept = result.output.splitlines()
    assert kept[:10] == whole(10).splitlines()
    assert kept[:-1] == whole(len(kept) - 1).splitlines(), "the last one may be cut through"


async def test_a_pause_in_the_middle_cuts_it_short() -> None:
    document = Document(60)
    r = session(document)
    acts: list[Action] = []

    def act(action: Action) -> None:
        document.scrolled(action)
        acts.append(action)
        if len(acts) == 2:
            r.session.post(Pause())

    r.injector.on_act = act
    await r.start()
    await r.settled()
    await r.post(Resume())
    await r.end()
    assert answer(r).status is CallStatus.STOPPED
    assert "not scrolled back" in [event for event in r.of(Performed) if event.call == 0][-1].detail
    assert len(acts) == 2


def test_a_caret_is_no_movement_and_another_picture_cannot_be_told() -> None:
    rows = [bytes((n, 1, 2, 0)) * 20 + bytes((9, 9, 9, 0)) * 20 for n in range(60)]
    caret = [row if n != 30 else bytes((7, 7, 7, 0)) + row[4:] for n, row in enumerate(rows)]
    assert moved_up(tuple(rows), tuple(caret)) == 0
    assert moved_up(tuple(rows), tuple(rows[20:])) == 20
    other = [bytes((n, 200, 200, 0)) * 30 + bytes((9, 9, 9, 0)) * 10 for n in range(60)]
    assert moved_up(tuple(rows), tuple(other)) is None


def test_without_pixels_the_lines_of_both_screens_join_it() -> None:
    joined, region = Joined(), Rect(0, 0, 100, 60)

    def boxes(*texts: str) -> list[TextBox]:
        return [TextBox(text=text, box=Rect(0, 20 * n + 3, 90, 14)) for n, text in enumerate(texts)]

    joined.add(boxes("one", "two", "three"), region, None)
    joined.add(boxes("two", "threo", "four"), region, None)
    assert joined.text == "one\ntwo\nthree\nfour"
    assert not joined.gaps
    joined.add(boxes("nine"), region, None)
    assert joined.text.endswith("four\nnine")
    assert joined.gaps
