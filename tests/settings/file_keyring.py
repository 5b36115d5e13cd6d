"""A keyring in one file for several processes, selected with PYTHON_KEYRING_BACKEND; `PATH_VARIABLE` names the file."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

PATH_VARIABLE = "OPERATOR_CONSOLE_TEST_KEYRING"


class FileKeyring(KeyringBackend):
    """Stores secrets in clear."""

    priority = 0.1
    name = "File keyring"

    def get_password(self, service: str, username: str) -> str | None:
        return _read().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        _write({**_read(), f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        kept = _read()
        if kept.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError("no such password")
        _write(kept)


def _file() -> Path:
    return Path(os.environ[PATH_VARIABLE])


def _read() -> dict[str, str]:
    found: dict[str, str] = json.loads(_file().read_text("utf-8")) if _file().exists() else {}
    return found


def _write(kept: dict[str, str]) -> None:
    _file().write_text(json.dumps(kept), encoding="utf-8")
