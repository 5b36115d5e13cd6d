"""Keys of model services: the environment first, else the system's keyring. Never a file, never an argument.

A key's value is in no repr; the log's filter knows every key that went through here. Called by app and cli.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.requests import DoctorCheck
from operator_console.settings.secrets import hide

_SERVICE = "operator-console"
# In the order in which the vendor's own client reads them.
ENVIRONMENT: Mapping[str, tuple[str, ...]] = {
    "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
}
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


class KeyringUnusable(OperatorError):
    """There is no keyring worth the name here."""


def find_key(provider: str) -> Key | None:
    """The provider's key; None where there is none. Raises KeyringUnusable only where a keyring fails on reading."""
    for name in ENVIRONMENT.get(provider, ()):
        value = os.environ.get(name, "").strip()
        if value:
            hide(value)
            return Key(value=value, source=f"{name} in the environment")
    if provider not in ENVIRONMENT or refusal() is not None:
        return None
    stored = _keyring_get(provider)
    if not stored:
        return None
    hide(stored)
    return Key(value=stored, source="the keyring")


def hide_keys_of_environment() -> None:
    """Make the log's filter know every key in the environment, before anything is logged."""
    for names in ENVIRONMENT.values():
        for name in names:
            hide(os.environ.get(name, ""))


def prepare_keyring(provider: str) -> None:
    """Load the keyring in advance, from any thread, where `find_key` would ask it: that can take half a second."""
    if not any(os.environ.get(name, "").strip() for name in ENVIRONMENT.get(provider, ())):
        refusal()


def store_key(provider: str, value: str) -> str:
    """Put a key into the keyring; returns the keyring's name.

    Raises:
        OperatorError: unknown provider, or not a key (exit code 2).
        KeyringUnusable: there is no keyring that keeps secrets.
    """
    _known(provider)
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
        keyring.set_password(_SERVICE, provider, key)
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(f"it failed ({type(error).__name__})") from error
    return _name(keyring.get_keyring())


def delete_key(provider: str) -> bool:
    """Remove a key from the keyring; whether there was one. Raises as `store_key`."""
    _known(provider)
    why = refusal()
    if why is not None:
        raise _unusable(why)
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        keyring.delete_password(_SERVICE, provider)
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


def _known(provider: str) -> None:
    if provider not in ENVIRONMENT:
        raise OperatorError(
            f"“{provider}” is not a provider that needs a key.",
            remedy=f"Known: {', '.join(ENVIRONMENT)}.",
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
