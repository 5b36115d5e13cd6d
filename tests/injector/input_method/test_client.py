"""Without an input method, or with one that says nothing, keys go as ever."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from socket import socket, socketpair
from typing import Any, cast

import pytest

from operator_console.injector.input_method.client import InputMethod, Lost
from operator_console.injector.input_sender import InputSender
from operator_console.injector.wire import Unpacker, packed, receive


class Still:
    """Hands that wait for nothing."""

    last_release = (38, 1)
    releases: dict[int, int] = {}  # noqa: RUF012  nobody writes to it

    def wait_for(self, condition: Callable[[], bool], _seconds: float) -> bool:
        return condition()


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/at/all"])
def test_keys_go_as_ever(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IBUS_ADDRESS", address)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with (tmp_path / "ledger").open("wb+") as ledger:
        method = InputMethod(cast(InputSender, Still()), ledger.fileno())
        read: list[None] = []
        for _ in range(3):
            with method.keys_as_they_are(lambda: read.append(None)):
                assert not method.stands_in
                assert not method.reaches()
                assert not method.passed()
        assert read == []
        method.close()


@pytest.mark.parametrize("answers", [3, 4])
def test_a_keeper_that_dies_while_its_engine_stands_in_is_said(
    answers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it has taken the engine's place, or (4) once it has also said whose field has the focus."""
    near, far = socketpair()
    monkeypatch.setattr("operator_console.injector.input_method.client.socket.socketpair", lambda: (near, socket()))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: None)
    monkeypatch.setenv("IBUS_ADDRESS", "somewhere")
    all_of_them: tuple[dict[str, Any], ...] = (
        {"engine": "pinyin"}, {"composing": False}, {"taken": True}, {"client": "editor"},
    )  # fmt: skip
    replies = all_of_them[:answers]

    def keeper() -> None:
        unpacker = Unpacker()
        with far:
            far.sendall(packed({"ready": True}))
            for reply in replies:
                receive(far, unpacker)
                far.sendall(packed(reply))

    thread = threading.Thread(target=keeper)
    thread.start()
    with (tmp_path / "ledger").open("wb+") as ledger:
        method = InputMethod(cast(InputSender, Still()), ledger.fileno())

        def act() -> None:
            with method.keys_as_they_are(lambda: None):
                assert method.stands_in
                while method.reaches():
                    pass

        with pytest.raises(Lost):
            act()
        thread.join()
        method.close()
