"""Whether the desktop asks for reduced motion: by a portal on a private message bus, and by GTK's settings file."""

from __future__ import annotations

import queue
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jeepney import new_error, new_method_return

from operator_console.desktop.freedesktop.reduced_motion import PortalReducedMotionWatch
from tests.servers.message_bus import Service, session_bus

PORTAL, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SETTINGS = "org.freedesktop.portal.Settings"
APPEARANCE, GNOME = (
    ("org.freedesktop.appearance", "reduced-motion"),
    ("org.gnome.desktop.interface", "enable-animations"),
)
DEADLINE_S = 30.0

on_a_bus = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    with session_bus() as address:
        yield {"DBUS_SESSION_BUS_ADDRESS": address, "XDG_CONFIG_HOME": str(tmp_path)}


def portal(environ: dict[str, str], settings: dict[tuple[str, str], tuple[str, Any]]) -> Service:
    """A portal with these settings."""

    def answer(call: Any) -> Any:
        found = settings.get(tuple(call.body))
        if found is None:
            return new_error(call, "org.freedesktop.portal.Error.NotFound")
        return new_method_return(call, "v", (("v", found),))

    return Service(environ["DBUS_SESSION_BUS_ADDRESS"], PORTAL, answer)


@contextmanager
def watched(environ: dict[str, str]) -> Iterator[Callable[[], bool]]:
    """Gives the next report, when there is one; none is left over at the end."""
    told: queue.Queue[bool] = queue.Queue()
    watch = PortalReducedMotionWatch(told.put, environ=environ)
    watch.start()
    try:
        yield lambda: told.get(timeout=DEADLINE_S)
    finally:
        watch.stop()
    assert told.empty()


@on_a_bus
@pytest.mark.parametrize(
    ("key", "signature", "reduces", "moves"), [(APPEARANCE, "u", 1, 0), (GNOME, "b", False, True)]
)  # fmt: skip
def test_the_portal_tells_what_is_set_and_what_changes(
    environ: dict[str, str], key: tuple[str, str], signature: str, reduces: object, moves: object
) -> None:
    service = portal(environ, {key: (signature, reduces)})
    try:
        with watched(environ) as told:
            assert told() is True
            service.signal(PATH, SETTINGS, "SettingChanged", "ssv", (*key, (signature, moves)))
            assert told() is False
            service.signal(PATH, SETTINGS, "SettingChanged", "ssv", (APPEARANCE[0], "color-scheme", ("u", 1)))
            service.signal(PATH, SETTINGS, "SettingChanged", "ssv", (*key, (signature, reduces)))
            assert told() is True
    finally:
        service.close()


@on_a_bus
def test_a_portal_without_the_setting_leaves_it_to_the_settings_file(environ: dict[str, str]) -> None:
    write_gtk(Path(environ["XDG_CONFIG_HOME"]), "gtk-3.0", "false")
    service = portal(environ, {})
    try:
        with watched(environ) as told:
            assert told() is True
    finally:
        service.close()


def write_gtk(folder: Path, version: str, value: str) -> None:
    file = folder / version / "settings.ini"
    file.parent.mkdir()
    file.write_text(f"[Settings]\ngtk-enable-animations={value}\n", encoding="utf-8")


def test_without_a_bus_the_newest_settings_file_counts(tmp_path: Path) -> None:
    write_gtk(tmp_path, "gtk-3.0", "1")
    write_gtk(tmp_path, "gtk-4.0", "0")
    with watched({"XDG_CONFIG_HOME": str(tmp_path)}) as told:
        assert told() is True


@pytest.mark.parametrize("text", ["", "no section", "[Settings]\ngtk-enable-animations=1\n", "[Other]\na=b\n"])
def test_nothing_is_told_where_nothing_asks_for_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "gtk-4.0").mkdir()
    (tmp_path / "gtk-4.0" / "settings.ini").write_text(text, encoding="utf-8")
    with watched({"XDG_CONFIG_HOME": str(tmp_path)}):
        pass


def test_it_can_be_stopped_before_it_begins(tmp_path: Path) -> None:
    watch = PortalReducedMotionWatch(lambda _: None, after_s=60.0, environ={"XDG_CONFIG_HOME": str(tmp_path)})
    watch.start()
    watch.stop()
