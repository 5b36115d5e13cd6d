"""Keys of model services: the environment first, else the system's keyring. Never a file, never an argument.

A key's value is in no repr; the log's filter knows every key that went through here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Protocol

from operator_console.domain.environment import secrets_of
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.requests import DoctorCheck
from operator_console.settings.secrets import hide

_SERVICE = "operator-console"
_REFUSED = {
    "keyring.backends.fail": "no keyring was found",
    "keyring.backends.null": "the null keyring forgets everything",
    "keyrings.alt": "it keeps secrets in a readable file",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key and where it came from ("GEMINI_API_KEY in the environment", "the keyring")."""

    value: str = field(repr=False)
    source: str


class KeyOwner(Protocol):
    """Whose key it is (`ProviderSpec` fits)."""

    @property
    def name(self) -> str:
        """Under which the keyring keeps it."""
        ...

    @property
    def key_env(self) -> tuple[str, ...]:
        """Environment variables that may hold it, in the order in which they count; empty: no key is needed."""
        ...


class KeyringUnusable(OperatorError):
    """There is no keyring here that keeps secrets."""


def find_key(owner: KeyOwner) -> Key | None:
    """The key; None where there is none. Raises KeyringUnusable only where a keyring fails on reading."""
    for name in owner.key_env:
        value = os.environ.get(name, "").strip()
        if value:
            hide(value)
            return Key(value=value, source=f"{name} in the environment")
    if not owner.key_env or refusal() is not None:
        return None
    stored = _keyring_get(owner.name)
    if not stored:
        return None
    hide(stored)
    return Key(value=stored, source="the keyring")


def hide_keys_of_environment() -> None:
    """Make the log's filter know every secret in the environment, before anything is logged."""
    for value in secrets_of(os.environ):
        hide(value)


def prepare_keyring(owner: KeyOwner) -> None:
    """Load the keyring in advance, from any thread, where `find_key` would ask it: that can take half a second."""
    if owner.key_env and not any(os.environ.get(name, "").strip() for name in owner.key_env):
        refusal()


def store_key(owner: KeyOwner, value: str) -> str:
    """Put a key into the keyring; returns the keyring's name.

    Raises:
        OperatorError: no key is needed, or this is none (exit code 2).
        KeyringUnusable: there is no keyring that keeps secrets.
    """
    _require_owner(owner)
    key = value.strip()
    if not key or not key.isprintable() or any(char.isspace() for char in key):
        raise OperatorError(
            "That is no key.",
            detail="It is empty, or has spaces or control characters in it.",
            remedy="Copy the key again, whole and alone.",
            exit_code=ExitCode.USAGE,
        )
    hide(key)
    why = refusal()
    if why is not None:
        raise _unusable(why)
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(_SERVICE, owner.name, key)
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(f"it failed ({type(error).__name__})") from error
    return _name(keyring.get_keyring())


def delete_key(owner: KeyOwner) -> bool:
    """Remove a key from the keyring; whether there was one. Raises as `store_key`."""
    _require_owner(owner)
    why = refusal()
    if why is not None:
        raise _unusable(why)
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        keyring.delete_password(_SERVICE, owner.name)
    except PasswordDeleteError:
        return False
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(f"it failed ({type(error).__name__})") from error
    return True


def refusal() -> str | None:
    """Why the keyring here is not used, in words; None where it is."""
    try:
        import keyring

        backend = keyring.get_keyring()
    except Exception as error:  # noqa: BLE001 - third parties' backends may fail in any way while they are looked for
        return f"it cannot be loaded ({type(error).__name__})"
    inner = getattr(backend, "backends", None)  # the chainer writes to its first
    chosen = next(iter(inner), None) if inner is not None else backend
    if chosen is None:
        return _REFUSED["keyring.backends.fail"]
    module = type(chosen).__module__
    for refused, why in _REFUSED.items():
        if module == refused or module.startswith(f"{refused}."):
            return why
    return None


def checks() -> tuple[DoctorCheck, ...]:
    """The keyring's line of `doctor`."""
    why = refusal()
    if why is not None:
        error = _unusable(why)
        return (DoctorCheck(name="keyring", ok=False, detail=f"Not usable: {why}.", remedy=error.remedy),)
    import keyring

    return (DoctorCheck(name="keyring", ok=True, detail=_name(keyring.get_keyring())),)


def _keyring_get(provider: str) -> str | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(_SERVICE, provider)
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(f"it cannot be read ({type(error).__name__}; is it locked?)") from error


def _require_owner(owner: KeyOwner) -> None:
    if not owner.key_env:
        raise OperatorError(
            f"“{owner.name}” is not a provider that needs a key.",
            remedy="`operator-console models list` shows which do.",
            exit_code=ExitCode.USAGE,
        )


def _name(backend: object) -> str:
    return str(getattr(backend, "name", "") or type(backend).__name__)


def _unusable(why: str) -> KeyringUnusable:
    return KeyringUnusable(
        "There is no keyring here that keeps secrets, so the key is not stored.",
        detail=f"{why[0].upper()}{why[1:]}.",
        remedy=(
            "Set up the desktop's keyring (GNOME Keyring, KWallet, the Keychain, Credential Manager), "
            "or set the service's own variable for this shell, e.g. GEMINI_API_KEY."
        ),
    )
