"""What is permitted is listed while the session runs, and ended by one press."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from operator_console.domain import events as ev
from operator_console.domain.intents import Revoke
from operator_console.domain.permissions import RevokedBy
from operator_console.ui.console import Console
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.scene import NEXT, SUBMITTING, permitted
from tests.ui.conftest import until
from tests.ui.test_console import begun, press, running


@running
async def test_each_permission_is_listed_until_it_is_revoked(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.history(1)
    backend.story.add(permitted(NEXT, "p1"))
    backend.story.add(permitted(SUBMITTING, "p2"))
    backend.play()
    listed = console.window.side.permissions
    await until(lambda: len(listed.shown) == 2, "the list")
    assert not listed.isHidden()
    revoke = next(each for each in listed.findChildren(QPushButton) if "Import wizard" in each.accessibleName())
    press(revoke)
    assert handle.intents[-1] == Revoke(permission_id="p1")
    backend.emit(ev.PermissionRevoked(permission_id="p1", by=RevokedBy.OPERATOR))
    await until(lambda: [each.permission_id for each in listed.shown] == ["p2"], "the rest")
    backend.emit(ev.PermissionRevoked(permission_id="p2", by=RevokedBy.STOP))
    await until(listed.isHidden, "no list")
