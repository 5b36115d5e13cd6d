"""`vnc:` on a real guest: a language chosen by click, texts under three layouts, and a stop while it types."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.display.guest.hosted import LONG, TEXTS, Hosted
from tests.display.rig import launch_xterm
from tests.display.rig.guest import ASKS

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

IN_GERMAN = (
    'click "German"', 'click "Continue"', 'wait for "Deutschland"',
    'click "Deutschland"', 'click "Weiter"', 'wait for "Tastatur"',
    'click "Deutsch"', 'click "Weiter"', f'wait for "{ASKS}" up to 120 s',
)  # fmt: skip


def target(hosted: Hosted) -> str:
    return f"vnc:127.0.0.1:{hosted.guest.server.port}"


def test_a_language_and_a_keyboard_are_chosen_by_click(unset: Hosted, tmp_path: Path) -> None:
    console = unset.begin(tmp_path, target(unset), *IN_GERMAN)
    assert console.wait() == ExitCode.FINISHED, console.report()
    guest = unset.guest
    assert guest.shell("cat /tmp/language") == "de\n"
    guest.press("y")
    assert guest.answer() == "z"
    assert guest.held() == set()


@pytest.mark.parametrize("layout", TEXTS)
def test_a_text_arrives_exactly_by_the_guests_layout(hosted: Hosted, tmp_path: Path, layout: str) -> None:
    hosted.guest.use_layout(layout)
    console = hosted.begin(tmp_path, target(hosted), f'type "{TEXTS[layout]}"', layout=layout)
    assert console.wait() == ExitCode.FINISHED, console.report()
    assert hosted.guest.answer() == TEXTS[layout]
    assert hosted.guest.held() == set()


def test_after_the_stop_keys_at_most_one_character_is_typed_and_nothing_is_held(hosted: Hosted, tmp_path: Path) -> None:
    launch_xterm(hosted.desktop)  # has the focus: QEMU's window would give the guest the stop keys as well
    confirmed = hosted.stop_while_typing(hosted.begin(tmp_path, target(hosted), f'type "{LONG}"'))
    assert hosted.guest.answer() in (LONG[:confirmed], LONG[: confirmed + 1])
