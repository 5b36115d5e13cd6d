"""Which variables of an environment are secret, and an environment without them for child processes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")


BLAS_ALONE = {"OPENBLAS_NUM_THREADS": "1"}
"""For our own processes: numpy starts a thread per core when imported, and nothing here uses them."""


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy without the variables that hold secrets, for processes that the agent may start or read."""
    return {name: value for name, value in environment.items() if not _is_secret(name)}


def secrets_of(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of the variables that hold secrets."""
    return (value for name, value in environment.items() if _is_secret(name))


def _is_secret(name: str) -> bool:
    return name.upper().endswith(_SECRET_ENDINGS)
