"""API keys: those kept for this session, else from the environment, else from the system's keyring.

They never come from files or the command line. A key kept for the session is in the memory of this process alone. The
repr of a key does not show it, and all keys read here are hidden in the log.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from operator_console.domain.api_keys import KeyPlace, KeyUnusable, usable_key
from operator_console.domain.doctor_check import DoctorCheck
from operator_console.domain.environment import secrets_of
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_SERVICE = "operator-console"
_REFUSED = {
    "keyring.backends.fail": NoticeCode.KEYRING_MISSING,
    "keyring.backends.null": NoticeCode.KEYRING_STORES_NOTHING,
    "keyrings.alt": NoticeCode.KEYRING_STORES_PLAINLY,
}
ANSWERS_WITHIN_S = 5.0
"""How long the keyring is waited for when it is read."""
_unanswered: list[threading.Thread] = []
"""Those that still wait for an answer of the keyring, though nobody waits for them."""
_session_keys: dict[str, str] = {}
"""By their names in the keyring. Only read and changed whole entries, so threads need no lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key and its source ("GEMINI_API_KEY in the environment", "the keyring")."""

    value: str = field(repr=False)
    source: str
    place: KeyPlace = KeyPlace.KEYRING


class KeyOwner(Protocol):
    """The provider that a key belongs to, such as a `ProviderSpec`."""

    @property
    def name(self) -> str:
        """Its name in the keyring."""
        ...

    @property
    def key_env(self) -> tuple[str, ...]:
        """Environment variables with the key, in order of precedence; empty if no key is needed."""
        ...


class KeyringUnusable(KeyUnusable):
    """There is no keyring that stores secrets safely."""


class KeyringSilent(KeyringUnusable):
    """The keyring does not answer: it is locked and asks somebody who is not there, or its service hangs."""


def find_key(owner: KeyOwner, *, any_text: bool = False) -> Key | None:
    """The key, or None. Blocks.

    Args:
        owner: Whose.
        any_text: Whether it may be anything, as what is not sent in a header may: a certificate, a phrase.

    Raises:
        KeyUnusable: What is in the environment or the keyring cannot be a key.
        KeyringUnusable: A keyring cannot be read.
    """
    if owner.key_env and (kept := _session_key(owner.name)) is not None:
        return kept
    for name in owner.key_env:
        value = os.environ.get(name, "").strip()
        if value:
            hide(value)
            value = value if any_text else usable_key(value, variable=name)
            return Key(value=value, source=f"{name} in the environment", place=KeyPlace.ENVIRONMENT)
    return _stored_key(owner.name) if owner.key_env else None


def find_profile_key(profile: str, owner: KeyOwner) -> Key | None:
    """A profile's own key, or else that of its provider. Blocks. Raises as `find_key`.

    Where the keyring does not answer, one of the environment is used.
    """
    if not owner.key_env:
        return None
    try:
        own = own_profile_key(profile)
    except KeyringSilent:
        if (found := find_key(owner)) is None:
            raise
        return found
    return find_key(owner) if own is None else own


def own_profile_key(profile: str) -> Key | None:
    """The key of a profile alone, or None. Blocks. Raises as `find_key`."""
    if (kept := _session_key(profile_key_name(profile))) is not None:
        return kept
    stored = _stored_key(profile_key_name(profile))
    return None if stored is None else Key(value=stored.value, source="the keyring, of this profile")


def profile_key_name(profile: str) -> str:
    """The name of a profile's own key in the keyring."""
    return f"profile:{profile}"


def hide_keys_of_environment() -> None:
    """Hide all secrets in the environment from the log."""
    for value in secrets_of(os.environ):
        hide(value)


def store_key(owner: KeyOwner, value: str) -> str:
    """Store a key in the keyring; returns the name of the keyring. Blocks.

    Raises:
        OperatorError: No key is needed, or the key cannot be one (exit code 2).
        KeyringUnusable: There is no keyring that stores secrets safely.
    """
    _require_owner(owner)
    return _store(owner.name, value)


def store_profile_key(profile: str, owner: KeyOwner, value: str) -> str:
    """Store a key for one profile of this provider. Returns, blocks and raises as `store_key`."""
    _require_owner(owner)
    return _store(profile_key_name(profile), value)


def keep_for_session(owner: KeyOwner, value: str, profile: str = "") -> None:
    """Keep a key in memory until this process ends, for the provider or for one profile of it.

    It is used instead of one in the environment or the keyring. Raises OperatorError as `store_key` does.
    """
    _require_owner(owner)
    _session_keys[profile_key_name(profile) if profile else owner.name] = usable_key(value)


def delete_key(owner: KeyOwner) -> bool:
    """Delete a key from memory and the keyring; returns whether there was one. Blocks. Raises as `store_key` does.

    Where no keyring can be used, only a key in memory is deleted.
    """
    _require_owner(owner)
    kept = _session_keys.pop(owner.name, None) is not None
    return kept if kept and refusal() is not None else _delete(owner.name) or kept


def delete_profile_key(profile: str) -> bool:
    """Delete a profile's own key from memory and the keyring; returns whether there was one. Blocks.

    Where no keyring can be used, there is none in it. Raises KeyringUnusable if one cannot be changed now.
    """
    kept = _session_keys.pop(profile_key_name(profile), None) is not None
    return (refusal() is None and _delete(profile_key_name(profile))) or kept


def find_secret(name: str) -> str | None:
    """What the keyring holds under a name that is no provider's. Blocks. Raises KeyringUnusable, also without one."""
    if (why := refusal()) is not None:
        raise _unusable(why)
    return _keyring_get(name) or None


def store_secret(name: str, value: str, *, any_text: bool = False) -> str:
    """Store a secret under a name that is no provider's; returns the name of the keyring. Blocks.

    Args:
        name: Its name in the keyring.
        value: The secret.
        any_text: Whether it may be anything, as a password may.

    Raises:
        KeyUnusable: It cannot be a key.
        KeyringUnusable: There is no keyring that stores secrets safely.
    """
    return _store(name, value, any_text=any_text)


def browser_profile_key(name: str, make: Callable[[], str]) -> str:
    """The key of a kept browser profile, made and stored where there is none. Blocks. Raises KeyringUnusable."""
    entry = f"browser-profile:{name}"
    if (found := find_secret(entry)) is not None:
        return found
    made = make()
    store_secret(entry, made)
    return made


def delete_secret(name: str) -> bool:
    """Delete what `store_secret` stored; whether there was anything. Blocks. Raises KeyringUnusable."""
    return _delete(name)


def _session_key(name: str) -> Key | None:
    value = _session_keys.get(name)
    return None if value is None else Key(value=value, source="this session", place=KeyPlace.SESSION)


def _stored_key(name: str) -> Key | None:
    if refusal() is not None:
        return None
    stored = _keyring_get(name)
    if not stored:
        return None
    return Key(value=usable_key(stored, stored=True), source="the keyring")


def _store(name: str, value: str, *, any_text: bool = False) -> str:
    key = value if any_text else usable_key(value)
    why = refusal()
    if why is not None:
        raise _unusable(why)
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(_SERVICE, name, key)
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(notice(NoticeCode.KEYRING_FAILED, error=type(error).__name__)) from error
    _session_keys.pop(name, None)  # the one stored last is the one to use
    return _name(keyring.get_keyring())


def _delete(name: str) -> bool:
    why = refusal()
    if why is not None:
        raise _unusable(why)
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        if all(map(_keeps_nothing, _backends(keyring.get_keyring()))):
            return False
        keyring.delete_password(_SERVICE, name)
    except PasswordDeleteError:
        return False
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(notice(NoticeCode.KEYRING_FAILED, error=type(error).__name__)) from error
    return True


def refusal() -> str | None:
    """Why the keyring cannot be used, as a sentence; None if it can."""
    try:
        import keyring

        backend = keyring.get_keyring()
    except Exception as error:  # noqa: BLE001 - backends of other packages may fail in any way
        return notice(NoticeCode.KEYRING_NOT_LOADED, error=type(error).__name__)
    chosen = next(iter(_backends(backend)), None)  # the chainer writes to its first backend
    if chosen is None:
        return notice(NoticeCode.KEYRING_MISSING)
    module = type(chosen).__module__
    for refused, why in _REFUSED.items():
        if module == refused or module.startswith(f"{refused}."):
            return notice(why)
    return None


def checks() -> tuple[DoctorCheck, ...]:
    """The check of the keyring for `doctor`."""
    why = refusal()
    if why is not None:
        detail = notice(NoticeCode.KEYRING_NOT_USABLE, reason=why)
        return (DoctorCheck(name="keyring", ok=False, detail=detail, remedy=_unusable(why).remedy),)
    import keyring

    try:
        _keyring_get("doctor")
    except KeyringUnusable as error:
        return (DoctorCheck(name="keyring", ok=False, detail=joined(error.title, error.detail), remedy=error.remedy),)
    return (DoctorCheck(name="keyring", ok=True, detail=_name(keyring.get_keyring())),)


def _keyring_get(name: str) -> str | None:
    """What the keyring holds, or None. Blocks for at most ANSWERS_WITHIN_S, and no longer while an earlier question is
    unanswered: each would be one more prompt. Raises KeyringUnusable."""
    if any(thread.is_alive() for thread in _unanswered):
        raise _silent()
    _unanswered.clear()
    found: queue.SimpleQueue[str | Exception | None] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found.put(_read_keyring(name))
        except Exception as error:  # noqa: BLE001 - raised again by whoever waits
            found.put(error)

    thread = threading.Thread(target=ask, name="keyring", daemon=True)
    thread.start()
    try:
        answer = found.get(timeout=ANSWERS_WITHIN_S)
    except queue.Empty:
        _unanswered.append(thread)
        raise _silent() from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _read_keyring(name: str) -> str | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        for backend in _backends(keyring.get_keyring()):
            found = None if _keeps_nothing(backend) else backend.get_password(_SERVICE, name)
            if found is not None:
                return found
        return None
    except (KeyringError, OSError, RuntimeError) as error:
        raise _unusable(notice(NoticeCode.KEYRING_NOT_READ, error=type(error).__name__)) from error


def _backends(backend: KeyringBackend) -> Sequence[KeyringBackend]:
    """The keyrings that are asked, in order: those of a chain, else the one."""
    inner: Sequence[KeyringBackend] | None = getattr(backend, "backends", None)
    return (backend,) if inner is None else inner


def _keeps_nothing(backend: KeyringBackend) -> bool:
    """Whether a Secret Service has no keyring yet. Asked for a key, the library makes one: the service then prompts for
    a new password, although nothing is to be kept."""
    if type(backend).__module__ != "keyring.backends.SecretService" or hasattr(backend, "preferred_collection"):
        return False
    import secretstorage

    try:
        with closing(secretstorage.dbus_init()) as bus:
            secretstorage.Collection(bus)
    except secretstorage.ItemNotFoundException:
        return True
    except secretstorage.SecretStorageException:
        return False  # what asks next says what is wrong
    return False


def _require_owner(owner: KeyOwner) -> None:
    if not owner.key_env:
        raise OperatorError(
            notice(NoticeCode.PROVIDER_NEEDS_NO_KEY, provider=owner.name),
            remedy=notice(NoticeCode.PROVIDERS_THAT_NEED_KEYS),
            exit_code=ExitCode.USAGE,
        )


def _name(backend: object) -> str:
    return str(getattr(backend, "name", "") or type(backend).__name__)


def _silent() -> KeyringSilent:
    return KeyringSilent(notice(NoticeCode.KEYRING_SILENT), remedy=notice(NoticeCode.UNLOCK_KEYRING))


def _unusable(why: str) -> KeyringUnusable:
    return KeyringUnusable(
        notice(NoticeCode.KEYRING_UNUSABLE),
        detail=why,
        remedy=notice(NoticeCode.SET_UP_KEYRING),
    )
