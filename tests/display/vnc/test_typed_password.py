"""A password that was typed: used for this session, and kept only where that was asked for and the machine took it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from operator_console.app.target_opening import OpenedTarget, open_target
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import LoginLack, LoginRefused
from operator_console.domain.session_request import MachinePassword, SessionRequest
from operator_console.settings.api_keys import KeyringUnusable
from operator_console.settings.model import Settings
from operator_console.settings.vnc_machines import PASSWORD_VARIABLE, find_password, find_user, store_password
from tests.display.vnc.machine import SECRET, Machine
from tests.settings.memory_keyring import memory_keyring


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with memory_keyring():
        yield


def kept(machine: Machine) -> str:
    return find_password(f"127.0.0.1:{machine.port}")


async def opened(machine: Machine, value: str = "", *, user: str = "", keep: bool = False) -> OpenedTarget:
    request = SessionRequest(task="Look.", target=machine.target.spec)
    password = MachinePassword(value=value, user=user, keep=keep) if value else None
    return await open_target(request, OwnWindows(), "", Settings, password)


@pytest.mark.usefixtures("keyring")
async def test_without_one_and_with_a_wrong_one_it_is_said_which_is_lacking(locked: Machine) -> None:
    for value, lack in (("", LoginLack.KEY), ("wrong", LoginLack.RIGHT_KEY)):
        with pytest.raises(LoginRefused) as refused:
            await opened(locked, value, keep=True)
        assert refused.value.lack is lack
        assert kept(locked) == ""


@pytest.mark.usefixtures("keyring")
@pytest.mark.parametrize("keep", [True, False])
async def test_the_right_one_is_kept_if_that_is_asked_for(locked: Machine, keep: bool) -> None:
    target = await opened(locked, SECRET, keep=keep)
    await target.computer.close()
    assert target.login is not None
    assert target.login.password == SECRET
    assert SECRET not in repr(target)
    assert kept(locked) == (SECRET if keep else "")


@pytest.mark.usefixtures("keyring")
async def test_it_goes_before_the_one_that_is_kept(locked: Machine) -> None:
    store_password(f"127.0.0.1:{locked.port}", "of-old-days")
    target = await opened(locked, SECRET, keep=True)
    await target.computer.close()
    assert kept(locked) == SECRET


@pytest.mark.usefixtures("keyring")
async def test_a_user_is_used_and_kept_with_the_password(locked: Machine) -> None:
    target = await opened(locked, SECRET, user="anna", keep=True)
    try:
        assert target.login is not None
        assert (target.login.user, target.login.password) == ("anna", SECRET)
    finally:
        await target.computer.close()
    assert find_user(f"127.0.0.1:{locked.port}") == "anna"


async def test_where_it_cannot_be_kept_nothing_is_begun(locked: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_address: str, _value: str, _user: str) -> str:
        raise KeyringUnusable("No.")

    monkeypatch.setattr("operator_console.app.target_opening.store_password", refuse)
    with pytest.raises(KeyringUnusable):
        await opened(locked, SECRET, keep=True)
