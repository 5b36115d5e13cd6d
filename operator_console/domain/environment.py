"""Environments for child processes: without what is secret, and for an isolated desktop. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")

# How programs find the person's display, desktop session, agents, sound and open logins. The session bus stays: by it
# applications tell of their controls.
_OF_THE_PERSON = frozenset({
    "DESKTOP_AUTOSTART_ID", "DESKTOP_STARTUP_ID", "GNOME_KEYRING_CONTROL", "GPG_AGENT_INFO", "ICEAUTHORITY",
    "KRB5CCNAME", "OLDPWD", "PULSE_COOKIE", "PULSE_SERVER", "PWD", "SESSION_MANAGER", "SSH_AGENT_PID", "SSH_ASKPASS",
    "SSH_AUTH_SOCK", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "WINDOWID", "XAUTHORITY", "XDG_ACTIVATION_TOKEN",
    "XDG_SEAT", "XDG_SESSION_ID", "XDG_SESSION_PATH", "XDG_SEAT_PATH", "XDG_VTNR",
})  # fmt: skip

BLAS_ALONE = {"OPENBLAS_NUM_THREADS": "1"}
"""For our own processes: numpy starts a thread per core when imported, and nothing here uses them."""


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy without the variables that hold secrets, for processes that the agent may start or read."""
    return {name: value for name, value in environment.items() if not _is_secret(name)}


def isolated(environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """A copy for programs on an isolated desktop: `home` is their home folder, and the person's are not named."""
    kept = {name: value for name, value in environment.items() if name not in _OF_THE_PERSON}
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_RUNTIME_DIR": str(home / ".runtime"),
        "XDG_SESSION_TYPE": "x11",
        "XDG_STATE_HOME": str(home / ".local" / "state"),
    }


def secrets_of(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of the variables that hold secrets."""
    return (value for name, value in environment.items() if _is_secret(name))


def _is_secret(name: str) -> bool:
    return name.upper().endswith(_SECRET_ENDINGS)
