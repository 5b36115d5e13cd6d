"""Child processes get the environment without secrets."""

from __future__ import annotations

from pathlib import Path

from operator_console.domain.environment import isolated, without_keys


def test_keys_are_left_out_and_the_rest_is_kept() -> None:
    environment = {"GEMINI_API_KEY": "a", "google_api_key": "b", "GITHUB_TOKEN": "c", "PATH": "/bin", "DISPLAY": ":1"}
    assert without_keys(environment) == {"PATH": "/bin", "DISPLAY": ":1"}


def test_programs_on_an_isolated_desktop_find_neither_the_persons_home_nor_display_nor_agents() -> None:
    persons = {
        "HOME": "/home/me", "XDG_CONFIG_HOME": "/home/me/.config", "XDG_DATA_HOME": "/home/me/.local/share",
        "XDG_RUNTIME_DIR": "/run/user/1000", "XAUTHORITY": "/home/me/.Xauthority", "WAYLAND_DISPLAY": "wayland-0",
        "SSH_AUTH_SOCK": "/run/user/1000/ssh", "SESSION_MANAGER": "local/me", "PWD": "/home/me",
    }  # fmt: skip
    persons |= {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus", "MY_COMPANYS_KEY": "1234", "DOCKER_HOST": "tcp://me"}
    shared = {"PATH": "/bin", "LANG": "C.UTF-8", "LC_TIME": "de_DE.UTF-8", "TZ": "Europe/Berlin"}
    made = isolated(persons | shared, Path("/tmp/own/home"), Path("/tmp/own/runtime"))
    assert shared.items() <= made.items()
    assert not [name for name, value in made.items() if value in persons.values()]
    assert made["HOME"] == "/tmp/own/home"
    assert made["XDG_RUNTIME_DIR"] == "/tmp/own/runtime"
    assert made["XDG_CONFIG_HOME"] == "/tmp/own/home/.config"
