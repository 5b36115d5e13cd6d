"""What is kept of VNC machines: passwords and users, in the system's keyring, and accepted certificates, in a file.

A machine is named by its address, HOST:PORT.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide
from operator_console.private_files import open_private
from operator_console.settings.api_keys import delete_secret, find_secret, refusal, store_secret
from operator_console.settings.file_locations import make_folder

PASSWORD_VARIABLE = "OPERATOR_CONSOLE_VNC_PASSWORD"  # noqa: S105  its name
"""The environment variable with the password, which goes before the keyring."""
USER_VARIABLE = "OPERATOR_CONSOLE_VNC_USER"
"""The environment variable with the user, which goes before the keyring."""


def find_password(address: str) -> str:
    """The password of a machine; "" for none. Blocks. Raises KeyringUnusable if the keyring cannot be read."""
    found = _found(PASSWORD_VARIABLE, _entry(address))
    hide(found)
    return found


def find_user(address: str) -> str:
    """The user of a machine; "" for none. Blocks. Raises KeyringUnusable if the keyring cannot be read."""
    return _found(USER_VARIABLE, _user_entry(address))


def store_password(address: str, value: str, user: str = "") -> str:
    """Store a machine's password; returns the name of the keyring. Blocks.

    Args:
        address: The machine.
        value: As it was entered; one line break at its end does not count.
        user: Whose password it is; "" leaves the user that is kept.

    Raises:
        OperatorError: It cannot be a password or a user (usage).
        KeyringUnusable: There is no keyring that stores secrets safely.
    """
    password = value.removesuffix("\n").removesuffix("\r")
    hide(password)
    if not password or not (password + user).isprintable():
        raise OperatorError(
            notice(NoticeCode.VNC_KEY_INVALID), remedy=notice(NoticeCode.TYPE_VNC_KEY_SO),
            exit_code=ExitCode.USAGE,
        )  # fmt: skip
    if user:
        store_secret(_user_entry(address), user, any_text=True)
    return store_secret(_entry(address), password, any_text=True)


def delete_password(address: str) -> bool:
    """Delete a machine's password and its user; whether there was a password. Blocks. Raises KeyringUnusable."""
    delete_secret(_user_entry(address))
    return delete_secret(_entry(address))


def accepted_certificates(file: Path) -> dict[str, str]:
    """The SHA-256 fingerprints, lower-case hex, by machine. Blocks. A file that cannot be read accepts none."""
    try:
        kept = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in kept.items()} if isinstance(kept, dict) else {}


def accept_certificate(file: Path, address: str, fingerprint: str) -> None:
    """Accept a machine's certificate from now on. Blocks.

    Raises:
        OperatorError: It is no SHA-256 fingerprint (usage), or the folder cannot be made.
        OSError: The file cannot be written.
    """
    digits = fingerprint.strip().replace(":", "").lower()
    if not re.fullmatch(r"[0-9a-f]{64}", digits):
        raise OperatorError(
            notice(NoticeCode.NOT_A_FINGERPRINT, text=fingerprint), remedy=notice(NoticeCode.COPY_FINGERPRINT),
            exit_code=ExitCode.USAGE,
        )  # fmt: skip
    make_folder(file.parent)
    written = file.with_suffix(".new")
    text = json.dumps({**accepted_certificates(file), address: digits}, indent=2) + "\n"
    with os.fdopen(open_private(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w", encoding="utf-8") as new:
        new.write(text)
    written.replace(file)


def _found(variable: str, entry: str) -> str:
    return os.environ.get(variable) or (find_secret(entry) if refusal() is None else None) or ""


def _entry(address: str) -> str:
    return f"vnc:{address}"


def _user_entry(address: str) -> str:
    return f"vnc-user:{address}"
