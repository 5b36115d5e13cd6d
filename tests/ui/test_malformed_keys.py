"""What cannot be a key is refused in the key dialog, which keeps and shows none of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QWidget

from operator_console.domain.api_keys import KeyPlace
from operator_console.providers import registry
from operator_console.settings import api_keys
from operator_console.settings.api_keys import keep_for_session, store_key
from operator_console.ui.backend import ModelChoice
from tests.display.ui.fake_backend import GEMINI, FakeBackend
from tests.malformed_keys import MALFORMED, left_of
from tests.settings.memory_keyring import MemoryKeyring, memory_keyring
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened, press


class KeepingBackend(FakeBackend):
    """Keeps keys as the app does."""

    async def store_key(self, choice: ModelChoice, key: str, place: KeyPlace) -> None:
        spec = registry.find(choice.provider)
        if place is KeyPlace.KEYRING:
            store_key(spec, key)
        else:
            keep_for_session(spec, key)


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    with memory_keyring() as backend:
        yield backend


def texts_of(widget: QWidget) -> str:
    """All that a window shows or tells a screen reader, but the field for the key."""
    parts = [part for part in widget.findChildren(QWidget) if not isinstance(part, QLineEdit)]
    said = [f"{part.accessibleName()} {part.accessibleDescription()} {part.toolTip()}" for part in (widget, *parts)]
    return "\n".join([*said, *(part.text() for part in parts if isinstance(part, QLabel))])


@pytest.mark.parametrize("place", [KeyPlace.KEYRING, KeyPlace.SESSION])
def test_a_pasted_text_that_cannot_be_a_key_is_refused(
    app: QApplication, on_qt: Run, memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, place: KeyPlace
) -> None:
    monkeypatch.setattr(api_keys, "_session_keys", {})

    async def work() -> None:
        async with opened(app, KeepingBackend()) as (console, backend):
            backend.choices = [replace(GEMINI, has_key=False)]
            console.window.setup.show_models(await backend.models())
            press(console.window.setup.key)
            dialog = console.keys.dialog
            assert dialog is not None
            dialog.for_session.setChecked(place is KeyPlace.SESSION)
            for kind, key in MALFORMED.items():
                if kind in ("bytes that are no text", "a byte order mark"):
                    continue  # no text of a clipboard; Qt takes the mark away
                app.clipboard().setText(key)
                dialog.key.selectAll()
                dialog.key.paste()
                press(dialog.keep)
                await until(dialog._result.isVisible, "the refusal")
                assert "Copy the key again" in dialog._result.text()
                assert left_of(key, texts_of(console.window) + texts_of(dialog)) == []
                assert (MemoryKeyring.kept, api_keys._session_keys) == ({}, {})
            press(dialog.cancel)

    on_qt(work())
