"""What is chosen in the window reaches the settings file, and what the window does not show stays there."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock, MagicMock

import pytest

from operator_console.app.backend import Backend, preferences_of, with_preferences
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.tools import SandboxTool
from operator_console.settings.model import (
    Browser,
    Functions,
    Hotkeys,
    Mcp,
    McpServerOptions,
    Sandbox,
    Settings,
    Timing,
)
from operator_console.settings.remembered_window import RememberedWindow, read_remembered
from operator_console.ui.backend import OfferedTools, Preferences
from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from operator_console.ui.window_place import RememberedSetup

CHOSEN = Preferences(
    look=Look(ThemeChoice.DARK, ContrastChoice.HIGH, 1.5), reduced_motion=True, target_frame=False, loupe=False,
    lead_time_s=1.5, typing_delay_s=0.02, press_time_s=0.06, pastes=True,
    accessibility=False, only_devices=False, resume_after_hand=True, tombstones=True, hide_passwords=False,
    hide=("app:KeePassXC",),
    allow=(Category.SEND,), target="window:x", provider="gemini", model="m", profile="p", autonomy=Autonomy.AUTO,
    max_steps=7, max_minutes=3.0, start_page_seen=True, headless=True, programs=("xterm",),
)  # fmt: skip


def test_every_choice_comes_back() -> None:
    saved = [each for each in dataclasses.fields(Preferences) if each.name not in ("tools", "sites")]
    assert all(getattr(CHOSEN, each.name) != each.default for each in saved)
    assert replace(preferences_of(with_preferences(Settings(), CHOSEN)), tools=CHOSEN.tools) == CHOSEN


def test_the_tools_of_the_settings_are_shown_and_kept() -> None:
    server = McpServerOptions(command="rooms")
    before = Settings(
        functions=Functions(enabled=("mine:book",)), sandbox=Sandbox(tools=(SandboxTool.EDITOR,), folder="~/work"),
        mcp=Mcp(enabled=("rooms",), servers={"rooms": server, "time": server}),
    )  # fmt: skip
    shown = preferences_of(before)
    assert shown.tools == OfferedTools(
        servers=("rooms", "time"), enabled=("rooms",), sandboxable=tuple(SandboxTool), folder="~/work",
        sandboxed=(SandboxTool.EDITOR,), functions=("mine:book",),
    )  # fmt: skip
    assert with_preferences(before, replace(shown, max_steps=7)).mcp == before.mcp


def test_the_sites_of_the_settings_are_shown_and_kept() -> None:
    before = Settings(browser=Browser(allowed_sites=("example.org",), blocked_sites=("ads.example.org",)))
    assert preferences_of(before).sites == ("example.org",)
    assert with_preferences(before, Preferences()).browser == before.browser


@pytest.mark.parametrize("chosen", [CHOSEN, Preferences()])
def test_the_rest_stays_as_it_was(chosen: Preferences) -> None:
    before = Settings(timing=Timing(lead_time_run_s=2.0), hotkeys=Hotkeys(stop="<ctrl>+<alt>+q"))
    after = with_preferences(before, chosen)
    assert (after.timing.lead_time_run_s, after.hotkeys) == (2.0, before.hotkeys)


async def test_the_stop_button_stops_what_other_consoles_run_here_too() -> None:
    backend = MagicMock()
    guard = backend._services.guard
    guard.stop, guard.stop_others = AsyncMock(), AsyncMock()
    await Backend.stop(backend)
    guard.stop.assert_awaited_once()
    guard.stop_others.assert_awaited_once()


@pytest.mark.parametrize(
    ("written", "address"),
    [(" host ", "host:5900"), ("host:5901", "host:5901"), ("[2001:db8::1]:5902", "[2001:db8::1]:5902"),
     ("", ""), ("a host", ""), ("host:0", ""), ("2001:db8::1", ""), ("host:port", "")],
)  # fmt: skip
def test_a_machine_is_named_with_its_port_and_by_nothing_else(written: str, address: str) -> None:
    assert Backend.machine_address(MagicMock(), written) == address


async def test_the_machines_that_sessions_worked_on_are_remembered_and_can_be_forgotten(tmp_path: Path) -> None:
    backend = object.__new__(Backend)
    backend._services, backend._remembered = MagicMock(), RememberedWindow()
    backend._services.paths.remembered = tmp_path / "window.json"
    setup = RememberedSetup("vnc:host:5900", "VNC · host:5900", "m", "step", 7, 3)
    for target in ("vnc:host:5900", "monitor:1", "vnc:[::1]:5901", "vnc:host:5900"):
        await backend.remember_start("Do it.", setup._replace(target=target))
    assert backend.machines == ("host:5900", "[::1]:5901")
    await backend.forget_machine("host:5900")
    assert read_remembered(tmp_path / "window.json").machines == ("[::1]:5901",)
