"""The clipboard of the desktop is none of the page's, and the page's is none of the desktop's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from operator_console.domain.actions import Button, Chord, Click, KeyDown, TypeText
from operator_console.domain.geometry import NativePoint as At
from operator_console.domain.keys import Key
from operator_console.injector.action_errors import Refused
from tests.browser_rig import BrowserRig, browser_on
from tests.display.rig import Desktop

PAGE = """<style>body {margin: 0}</style>
<textarea id=area style="position:absolute; left:50px; top:50px; width:300px; height:100px"></textarea>"""


@pytest.fixture(scope="module")
def running(desktop_session: Desktop) -> Iterator[BrowserRig]:
    with browser_on({"": PAGE}, headless=False, display=desktop_session.name) as rig:
        yield rig


@pytest.fixture
def rig(running: BrowserRig) -> Iterator[BrowserRig]:
    running.open("")
    running.do(Click(at=At(60, 60)), TypeText(text="own"), Chord(keys=(Key("ctrl"), Key("a"))))
    yield running
    running.backend.release_all()


def test_keys_for_the_desktop_s_clipboard_are_refused_and_nothing_stays_down(rig: BrowserRig) -> None:
    before = rig.run("area.value")
    for keys in ("ctrl c", "ctrl x", "ctrl v", "ctrl shift v", "ctrl_r insert", "shift insert", "shift delete"):
        with pytest.raises(Refused, match="clipboard"):
            rig.do(Chord(keys=tuple(map(Key, keys.split()))))
        assert rig.ledger.clean
        assert rig.run("[area.value, held()]") == [before, []]
        assert not [each for each in rig.events() if each["type"] in ("copy", "cut", "paste")]


def test_so_are_they_while_the_modifier_is_held_over_calls(rig: BrowserRig) -> None:
    rig.do(KeyDown(key=Key("ctrl")))
    with pytest.raises(Refused, match="clipboard"):
        rig.do(TypeText(text="v"))
    assert rig.backend.release_all() == 1


def test_the_middle_button_pastes_nothing(rig: BrowserRig) -> None:
    rig.do(Click(at=At(60, 60), button=Button.MIDDLE))
    events = rig.events()
    assert "auxclick" in {each["type"] for each in events}
    assert "paste" not in {each["type"] for each in events}
    assert rig.run("area.value") == "own"


def test_a_browser_without_a_window_has_one_of_its_own(desktop_session: Desktop) -> None:
    before = desktop_session.clipboard_owner()
    with browser_on({"": PAGE}, display=desktop_session.name) as rig:
        rig.do(Click(at=At(60, 60)), TypeText(text="own"))
        for key in "acvv":
            rig.do(Chord(keys=(Key("ctrl"), Key(key))))
        assert rig.run("area.value") == "ownown"
    assert desktop_session.clipboard_owner() == before
