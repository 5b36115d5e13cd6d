"""One guest for all tests of this folder: it takes minutes to start. Each test finds it as it was at a kept moment."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from tests.display.guest.hosted import Hosted
from tests.display.rig import AccessibleSession, Desktop, start_xephyr, start_xvfb, wait_until
from tests.display.rig.guest import ASKS, BOOT_S, Guest, installer

_LANGUAGES, _TYPING = "languages", "typing"


@pytest.fixture(scope="session")
def hosted_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """Kept at its list of languages and where it asks for a text. The desktop is nested: a person's keys are told."""
    with contextlib.ExitStack() as stack:
        outer = start_xvfb(tmp_path_factory.mktemp("outer"), size=(1440, 900))
        stack.callback(outer.stop)
        inner = start_xephyr(outer, tmp_path_factory.mktemp("inner"))
        stack.callback(inner.stop)
        desktop = Desktop.start(inner, tmp_path_factory.mktemp("host"), human=outer)
        stack.callback(desktop.close)
        tree = AccessibleSession(desktop)
        stack.callback(tree.close)
        stack.enter_context(tree.announced())
        guest = stack.enter_context(installer(tmp_path_factory.mktemp("guest"), window=inner))
        guest.keep(_LANGUAGES)
        wait_until(lambda: _typing(guest), "the guest to ask for a text", timeout_s=BOOT_S, interval_s=8)
        guest.keep(_TYPING)
        yield Hosted(guest=guest, desktop=desktop, tree=tree, window=desktop.wait_window(title="QEMU").xid)


def _typing(guest: Guest) -> bool:
    """Whether a text is asked for; where not, what is proposed is taken: English, an American keyboard."""
    if ASKS in guest.text():
        return True
    guest.press("ret")
    return False


@pytest.fixture
def hosted(hosted_session: Hosted) -> Iterator[Hosted]:
    """Where a text is asked for, with an American keyboard."""
    yield from _as_kept(hosted_session, _TYPING)


@pytest.fixture
def unset(hosted_session: Hosted) -> Iterator[Hosted]:
    """Where the language is asked for."""
    yield from _as_kept(hosted_session, _LANGUAGES)


def _as_kept(hosted: Hosted, name: str) -> Iterator[Hosted]:
    hosted.guest.back_to(name)
    yield hosted
    hosted.desktop.reset(keep={hosted.window: hosted.guest.server.child})
