"""Makes, changes, deletes and checks model profiles for the window, with their keys."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema

from operator_console.app.profile_setup import (
    find_profile,
    profile_from,
    profile_ingredients,
    provider_of,
    service_of,
    with_profile,
    without_profile,
)
from operator_console.domain.api_keys import KeyUnusable, usable_key
from operator_console.domain.errors import ConsoleError, OperatorError
from operator_console.providers import registry
from operator_console.providers.spec import ProviderSpec
from operator_console.settings.api_keys import (
    Key,
    delete_profile_key,
    find_key,
    find_profile_key,
    own_profile_key,
    store_profile_key,
)
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile
from operator_console.ui.profile_values import CheckReport, ModelProfile, ModelSettings, ProviderChoice


class ProfileEditing:
    """Edits the profiles of the settings.

    Args:
        read: Returns the present settings.
        change: Uses other settings from now on, and writes them. Raises OperatorError.
    """

    def __init__(self, read: Callable[[], Settings], change: Callable[[Settings], Awaitable[None]]) -> None:
        self._read = read
        self._change = change

    async def model_settings(self) -> ModelSettings:
        """All profiles and providers. Looks for keys in the keyring, and imports providers of other packages."""
        return await asyncio.to_thread(_model_settings, self._read())

    async def save(self, edited: ModelProfile, before: str, key: str | None) -> None:
        """Save a profile.

        Args:
            edited: The profile.
            before: The name that it had; "" for a new one.
            key: A key of its own for the keyring; "" deletes the one it has, None leaves it.

        Raises:
            OperatorError: A value, the key or the name cannot be used, or the settings cannot be written.
        """
        profile = _profile(edited)
        with_profile(self._read(), edited.name, profile, before=before)
        spec = provider_of(edited.name, profile)
        # First, so that nothing is saved where the keyring refuses.
        await asyncio.to_thread(_save_key, spec, edited.name, before, key)
        settings = with_profile(self._read(), edited.name, profile, before=before)
        if before and settings.session.profile == before != edited.name:
            session = settings.session.model_copy(update={"profile": edited.name})
            settings = settings.model_copy(update={"session": session})
        await self._change(settings)
        if before and before != edited.name:
            await asyncio.to_thread(delete_profile_key, before)

    async def delete(self, name: str) -> None:
        """Delete a profile and its own key. Raises OperatorError."""
        without_profile(self._read(), name)
        await asyncio.to_thread(delete_profile_key, name)  # first: another profile of this name must not find it
        await self._change(without_profile(self._read(), name))

    async def check(self, edited: ModelProfile, before: str, key: str | None) -> CheckReport:
        """Check a profile as it is edited; arguments as for `save`. Never raises a ConsoleError."""
        # Imported late: the window opens sooner without the session's modules.
        from operator_console.app.model_check import check_model, report_of

        try:
            profile = _profile(edited)
            spec = provider_of(edited.name, profile)
            service = service_of(self._read(), spec, profile)
            found = await asyncio.to_thread(_key_to_try, service, before, key)
            ingredients = profile_ingredients(self._read(), edited.name, profile, found)
            price = profile.price.as_price() if profile.price else None
            return await check_model(profile.provider, profile.model, ingredients, price)
        except ConsoleError as error:
            return report_of(error)


def _profile(edited: ModelProfile) -> Profile:
    options = edited.values.get("options", {})
    kept = {name: list(each) if isinstance(each, tuple) else each for name, each in options.items() if each is not None}
    return profile_from(edited.name, **{**edited.values, "options": kept})


def _model_settings(settings: Settings) -> ModelSettings:
    return ModelSettings(
        profiles=tuple(_edited(settings, name) for name in settings.profiles),
        providers=tuple(_choice(spec, settings) for spec in registry.specs()),
        schema=Profile.model_json_schema(),
    )


def _edited(settings: Settings, name: str) -> ModelProfile:
    profile = find_profile(settings, name)
    problem = ""
    try:
        provider_of(name, profile)
    except OperatorError as error:
        problem = error.text
    try:
        own_key = own_profile_key(name) is not None
    except KeyUnusable:  # told when a key is stored, or a session is started
        own_key = False
    return ModelProfile(name=name, values=profile.model_dump(exclude_none=True), own_key=own_key, problem=problem)


class _Lenient(GenerateJsonSchema):
    """Says nothing about a value of a type that JSON has not: the file alone can set it."""

    def handle_invalid_for_json_schema(self, schema: CoreSchema, error_info: str) -> JsonSchemaValue:
        return {}


def schema_of(options: type[BaseModel]) -> dict[str, Any]:
    """The options that a profile has no place of its own for, as a JSON schema."""
    schema = options.model_json_schema(schema_generator=_Lenient)
    schema.get("properties", {}).pop("base_url", None)
    return schema


def _choice(spec: ProviderSpec, settings: Settings) -> ProviderChoice:
    try:
        key = find_key(spec)
    except KeyUnusable:
        key = None
    options, section = spec.options(), settings.section(spec.name)
    return ProviderChoice(
        name=spec.name, title=spec.worded_title, models=spec.models, default_model=spec.default_model,
        takes_key=bool(spec.key_env), needs_key=spec.needs_key, key_source=key.source if key else "",
        has_endpoint=bool(spec.sends_to), needs_endpoint=bool(spec.sends_to) and "base_url" in options.model_fields,
        options=schema_of(options), values=(options() if section is None else section).model_dump(mode="json"),
    )  # fmt: skip


def _save_key(spec: ProviderSpec, name: str, before: str, key: str | None) -> None:
    if key:
        store_profile_key(name, spec, key)
    elif key == "":
        delete_profile_key(name)
    elif before and before != name and (kept := own_profile_key(before)) is not None:
        store_profile_key(name, spec, kept.value)


def _key_to_try(spec: ProviderSpec, before: str, key: str | None) -> Key | None:
    if key:
        return Key(value=usable_key(key), source="")
    if key is None and before:
        return find_profile_key(before, spec)
    return find_key(spec)
