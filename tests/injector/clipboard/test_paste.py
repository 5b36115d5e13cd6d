"""When anything is pasted at all, and what is made of what the clipboard's holder says; without a display."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from operator_console.desktop.ledger import Ledger
from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import Grant
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.injector.clipboard.paste import Pasting, Unsure
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.key_actions import Keying
from operator_console.injector.keyboard.typist import Progress, Typist
from operator_console.injector.pointer import Pointing
from operator_console.injector.target_check import Surroundings, pastes_by_ctrl_v

HAN = "".join(chr(0x4E00 + i) for i in range(100))


class Scene:
    """Stands for hands, typist, surroundings and pointing."""

    def __init__(self, *, pastes: bool = True, holds_keys: bool = False) -> None:
        self._pastes = pastes
        self.holds_keys = holds_keys

    def pastes(self, window_id: int) -> bool:
        return self._pastes


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_is_pasted_into_what_policy_takes_for_a_terminal(terminal: bool) -> None:
    assert may_paste(Scene(), terminal=terminal) is not terminal


def may_paste(scene: Scene, *, paste: bool = True, delay_s: float = 0.0, terminal: bool = False) -> bool:
    size = Size(100, 100)
    grant = Grant(
        grant_id="a", step=1, call=0, action=TypeText(text=HAN), epoch=1, expires_s=0.0, paste=paste,
        typing_delay_s=delay_s, target=TargetRef(kind=TargetKind.MONITOR, spec="monitor:1", title=""),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size), terminal=terminal,
    )  # fmt: skip
    keying = Keying(cast(InputSender, scene), cast(Typist, scene), cast(Surroundings, scene), cast(Pointing, scene),
                    cast(InputMethod, scene))  # fmt: skip
    return keying._may_paste(grant, 7)


@pytest.mark.parametrize(
    ("scene", "paste", "delay_s", "may"),
    [
        (Scene(), True, 0.0, True),
        (Scene(), False, 0.0, False),
        (Scene(), True, 0.01, False),
        (Scene(pastes=False), True, 0.0, False),
        (Scene(holds_keys=True), True, 0.0, False),
    ],
)
def test_when_anything_may_be_pasted(scene: Scene, paste: bool, delay_s: float, may: bool) -> None:
    assert may_paste(scene, paste=paste, delay_s=delay_s) is may


@pytest.mark.parametrize(
    ("app", "so"),
    [
        ("Mousepad", True),
        ("Chromium", True),
        ("firefox-esr", True),
        ("libreoffice-writer", True),
        ("python3", True),
        ("", False),
        ("Emacs", False),
        ("Gvim", False),
        ("Virt-manager", False),
        ("VirtualBox Machine", False),
        ("org.remmina.Remmina", False),
        ("Xephyr", False),
        ("Vncviewer", False),
    ],
)
def test_programs_of_which_ctrl_v_means_something_else_get_keys(app: str, so: bool) -> None:
    assert pastes_by_ctrl_v(app) is so


class Paste:
    """Stands for hands, typist and clipboard: presses, and a holder that says only these words, in its order."""

    def __init__(self, *words: str, at_last: tuple[str, ...] = ()) -> None:
        self.told: list[str] = []
        self._words = words
        self._at_last = at_last
        self._given_back = False

    @property
    def over(self) -> bool:
        return "cannot" in self._words

    def said(self, word: str) -> bool:
        return word in self._words or (self._given_back and word in self._at_last)

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        return condition()

    def offer(self, text: str) -> None:
        self.told.append("offer")

    def pressed(self) -> None:
        self.told.append("pressed")

    def seen(self, window_id: int) -> None: ...

    def wait_for_foreign_modifiers(self) -> None: ...

    def press_chord(self, keys: tuple[str, ...]) -> None:
        self.told.append("+".join(keys))

    def give_back(self) -> None:
        self._given_back = True
        self.told.append("give back")


def paste(story: Paste, ledger: Ledger) -> tuple[bool, int]:
    progress = Progress(ledger=ledger, total=100)
    typist: Any = story
    pasting = Pasting(cast(InputSender, story), cast(Typist, typist))
    done = pasting._paste(cast(Any, story), HAN, 7, progress, lambda: story.told.append("look"))
    return done, progress.delivered


ALL = ("owned", "ready", "listed", "asked", "taken", "ended")


def test_nothing_is_pressed_before_the_holder_is_ready_for_what_comes_of_it(ledger: Ledger) -> None:
    story = Paste("owned")
    assert paste(story, ledger) == (False, 0)
    assert story.told == ["offer", "pressed"]
    story = Paste(*ALL)
    assert paste(story, ledger) == (True, 100)
    assert story.told == ["offer", "pressed", "look", "ctrl+v"]


def test_where_the_former_contents_cannot_be_kept_nothing_is_pasted(ledger: Ledger) -> None:
    story = Paste("cannot")
    assert paste(story, ledger) == (False, 0)
    assert "ctrl+v" not in story.told


def test_what_was_fetched_before_it_was_pasted_is_not_pasted(ledger: Ledger) -> None:
    story = Paste("owned", "early", "ready")
    assert paste(story, ledger) == (False, 0)
    assert "ctrl+v" not in story.told


def test_keys_follow_only_once_it_is_certain_that_nothing_is_pasted(ledger: Ledger) -> None:
    assert paste(Paste("owned", "ready", at_last=("given back",)), ledger) == (False, 0)
    assert paste(Paste("owned", "ready", at_last=("asked", "given back")), ledger) == (True, 100)


@pytest.mark.parametrize("words", [("owned", "ready"), ("owned", "ready", "asked"), ALL[:-1], (*ALL, "late")])
def test_what_cannot_be_known_is_said(ledger: Ledger, words: tuple[str, ...]) -> None:
    with pytest.raises(Unsure):
        paste(Paste(*words), ledger)
