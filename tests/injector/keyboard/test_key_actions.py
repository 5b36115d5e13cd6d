"""The keyboard's order of things, without a display: what is looked at before which key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import Chord, TypeText
from operator_console.domain.decisions import FocusRule, Grant
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender, Refused
from operator_console.injector.keyboard.key_actions import Keying
from operator_console.injector.keyboard.typist import Progress, Typist
from operator_console.injector.pointer import Pointing
from operator_console.injector.target_check import Surroundings


class Story:
    """Stands for hands, typist, surroundings and pointing; tells what was asked of them, in order.

    The focus is lost after `keeps` looks at it.
    """

    def __init__(self, keeps: int = 1000, *, has_a: bool = True) -> None:
        self.told: list[str] = []
        self._keeps = keeps
        self._has_a = has_a

    def check_focus(self, grant: Grant, rule: FocusRule, *, text: bool = False) -> int:
        self.told.append("look")
        self._keeps -= 1
        if self._keeps < 0:
            raise Refused(RejectedReason.NO_FOCUS, "elsewhere")
        return 7

    def check_clicked(self, grant: Grant, hit: object) -> int:
        return self.check_focus(grant, FocusRule())

    def still_focused(self, again: Callable[[], object]) -> None:
        again()

    def check_screen(self, grant: Grant) -> None: ...

    def keycodes(self, keys: tuple[Key, ...]) -> list[int]:
        return [50 for _ in keys]

    def carries(self, key: Key) -> bool:
        return self._has_a

    def wait_for_presses(self) -> None:
        self.told.append("presses arrived")

    def wait_for_foreign_modifiers(self) -> None: ...

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        return condition()

    def press_chord(self, keys: tuple[Key, ...]) -> None:
        self.told.append("+".join(keys))

    def type_text(self, text: str, *, still: Callable[[], object], **_: Any) -> None:
        still()
        self.told.append(text)

    def places(self, grant: Grant, at: NativePoint | None) -> tuple[ScreenPoint, ...]:
        return () if at is None else (ScreenPoint(at.x, at.y),)

    def click_into(self, grant: Grant, place: ScreenPoint) -> object:
        self.told.append("click")
        return self

    @contextmanager
    def keys_as_they_are(self, read: Callable[[], None], *, wanted: bool) -> Iterator[None]:
        yield

    def before_keys(self, read: Callable[[], None]) -> None:
        self.told.append("plain")

    def lacks(self, text: str) -> bool:
        return False

    stands_in = False

    def check(self) -> None: ...

    @contextmanager
    def held(self, codes: list[int]) -> Iterator[None]:
        yield

    def sync(self) -> None: ...


def perform(story: Story, action: Chord | TypeText, ledger: Ledger, *, terminal: bool = False) -> Progress:
    size = Size(100, 100)
    grant = Grant(
        grant_id="a", step=1, call=0, action=action, epoch=1, expires_s=0.0,
        target=TargetRef(kind=TargetKind.MONITOR, spec="monitor:1", title=""),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), terminal=terminal,
    )  # fmt: skip
    progress = Progress(ledger=ledger)
    keying = Keying(cast(InputSender, story), cast(Typist, story), cast(Surroundings, story), cast(Pointing, story),
                    cast(InputMethod, story))  # fmt: skip
    try:
        keying.perform(grant, action, progress)
    except Refused:
        story.told.append("refused")
    return progress


def test_each_press_of_a_repeated_chord_is_looked_at(ledger: Ledger) -> None:
    story = Story(keeps=4)
    progress = perform(story, Chord(keys=(Key("ctrl"), Key("w")), repeat=9), ledger)
    assert (progress.delivered, progress.total) == (3, 9)
    assert story.told == ["presses arrived", "look", "plain", *["look", "ctrl+w"] * 3, "look", "refused"]


def test_clearing_typing_and_submitting_are_looked_at_each(ledger: Ledger) -> None:
    story = Story()
    perform(story, TypeText(text="x", clear=True, submit=True), ledger)
    assert story.told == [
        "presses arrived", "look", "plain", "look", "ctrl+a", "look", "delete", "look", "x", "look", "enter",
    ]  # fmt: skip
    late = Story(keeps=4)
    perform(late, TypeText(text="x", clear=True, submit=True), ledger)
    assert late.told[-2:] == ["look", "refused"]
    assert "enter" not in late.told


def test_a_field_is_cleared_by_the_arrow_keys_where_no_key_is_a(ledger: Ledger) -> None:
    story = Story(has_a=False)
    perform(story, TypeText(text="x", clear=True), ledger)
    pressed = [told for told in story.told if told not in {"look", "presses arrived", "plain"}]
    # A line edit of Qt hears only the first and the third; an editor's line keys may stop short of the line's end.
    assert pressed == ["home", "ctrl+home", "shift+end", "ctrl+shift+end", "delete", "x"]


def test_a_line_of_what_policy_takes_for_a_terminal_is_cleared_as_shells_do(ledger: Ledger) -> None:
    story = Story()
    perform(story, TypeText(text="x", clear=True), ledger, terminal=True)
    assert [told for told in story.told if told not in {"look", "presses arrived", "plain"}] == ["ctrl+u", "x"]


def test_a_click_has_arrived_before_the_first_character(ledger: Ledger) -> None:
    story = Story()
    perform(story, TypeText(text="x", at=NativePoint(1, 2)), ledger)
    assert story.told == ["click", "presses arrived", "look", "plain", "look", "x"]
