"""Without an input method, or with one that does not answer, keys are sent as usual; the loss of ours is reported."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from socket import socket, socketpair
from typing import Any, cast

import pytest

from operator_console.injector.action_errors import InputMethodLost
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender
from operator_console.json_lines import Unpacker, packed, receive


class FakeSender:
    """A sender that waits for nothing."""

    last_release = (38, 1)
    release_counts: dict[int, int] = {}  # noqa: RUF012  nobody writes to it

    def wait_for(self, condition: Callable[[], bool], _seconds: float) -> bool:
        return condition()


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/at/all"])
def test_keys_are_sent_as_usual(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IBUS_ADDRESS", address)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with (tmp_path / "ledger").open("wb+") as ledger:
        method = InputMethod(cast(InputSender, FakeSender()), ledger.fileno())
        read: list[None] = []
        for _ in range(3):
            with method.uncomposed_keys(lambda: read.append(None)):
                assert not method.engine_active
                assert not method.has_client()
                assert not method.keys_passed()
        assert read == []
        method.close()


@pytest.mark.parametrize("answers", [3, 4])
def test_the_death_of_the_engine_process_during_an_action_is_reported(
    answers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 3 answers it has replaced the engine; after 4 it has also named the client."""
    near, far = socketpair()
    monkeypatch.setattr("operator_console.injector.input_method.client.socket.socketpair", lambda: (near, socket()))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: None)
    monkeypatch.setenv("IBUS_ADDRESS", "somewhere")
    all_of_them: tuple[dict[str, Any], ...] = (
        {"engine": "pinyin"}, {"composing": False}, {"activated": True}, {"client": "editor"},
    )  # fmt: skip
    replies = all_of_them[:answers]

    def engine_process() -> None:
        unpacker = Unpacker()
        with far:
            far.sendall(packed({"ready": True}))
            for reply in replies:
                receive(far, unpacker)
                far.sendall(packed(reply))

    thread = threading.Thread(target=engine_process)
    thread.start()
    with (tmp_path / "ledger").open("wb+") as ledger:
        method = InputMethod(cast(InputSender, FakeSender()), ledger.fileno())

        def act() -> None:
            with method.uncomposed_keys(lambda: None):
                assert method.engine_active
                while method.has_client():
                    pass

        with pytest.raises(InputMethodLost):
            act()
        thread.join()
        method.close()
