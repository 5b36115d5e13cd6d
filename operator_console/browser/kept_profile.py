"""Keeps what makes a profile signed in, encrypted, from one session to the next.

A profile at rest is as good as its passwords: cookies and local storage are in clear in it. So what is kept is one
encrypted file, and the folder that the browser uses is removed with the session.
"""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from operator_console.private_files import make_private_folder, open_private

KEPT = ("Default/Cookies", "Default/Network/Cookies", "Default/Local Storage", "Default/IndexedDB")
"""Of a Chromium profile: cookies, local storage and databases of sites."""

_LIMIT_BYTES = 256 << 20


class NotRestored(RuntimeError):
    """The kept profile cannot be read with this key."""


def new_key() -> str:
    """A key for a profile."""
    return Fernet.generate_key().decode()


def keep(profile: Path, file: Path, key: str) -> None:
    """Write what is kept of a profile, which no browser uses now. Raises OSError, ValueError (too large).

    A file that is there is replaced as a whole.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        for name in KEPT:
            if (profile / name).exists():
                archive.add(profile / name, arcname=name)
    if packed.tell() > _LIMIT_BYTES:
        raise ValueError("the profile is too large to be kept")
    sealed = Fernet(key.encode()).encrypt(packed.getvalue())
    new = file.with_suffix(".new")
    with os.fdopen(open_private(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as written:
        written.write(sealed)
        written.flush()
        os.fsync(written.fileno())
    new.replace(file)


def restore(file: Path, key: str, profile: Path) -> bool:
    """Unpack a kept profile into a new one; False where nothing was kept. Raises NotRestored, OSError."""
    try:
        sealed = file.read_bytes()
    except FileNotFoundError:
        return False
    try:
        packed = Fernet(key.encode()).decrypt(sealed)
    except (InvalidToken, ValueError) as error:
        raise NotRestored("the kept profile was written with another key, or is damaged") from error
    make_private_folder(profile)
    with contextlib.closing(tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz")) as archive:
        archive.extractall(profile, filter="data")
    return True
