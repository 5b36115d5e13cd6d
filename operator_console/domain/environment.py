"""Environments for child processes: without what is secret, and for an isolated desktop. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")

# What programs on an isolated desktop get of the person's environment. Everything else may name a service, a folder or
# a key of the person's.
_FOR_ISOLATED = frozenset({"LANG", "LANGUAGE", "PATH", "TZ"})

BLAS_ALONE = {"OPENBLAS_NUM_THREADS": "1"}
"""For our own processes: numpy starts a thread per core when imported, and nothing here uses them."""


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy without the variables that hold secrets, for processes that the agent may start or read."""
    return {name: value for name, value in environment.items() if not _is_secret(name)}


def isolated(environment: Mapping[str, str], home: Path, runtime: Path) -> dict[str, str]:
    """The environment of programs on an isolated desktop: of the person's only the language, the time zone and PATH.

    Args:
        environment: the person's.
        home: their home folder.
        runtime: the folder of their sockets.
    """
    kept = {name: value for name, value in environment.items() if name in _FOR_ISOLATED or name.startswith("LC_")}
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_RUNTIME_DIR": str(runtime),
        "XDG_SESSION_TYPE": "x11",
        "XDG_STATE_HOME": str(home / ".local" / "state"),
    }


def secrets_of(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of the variables that hold secrets."""
    return (value for name, value in environment.items() if _is_secret(name))


def _is_secret(name: str) -> bool:
    return name.upper().endswith(_SECRET_ENDINGS)
