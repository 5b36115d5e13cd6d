"""Model profiles of the settings: finding, changing and applying them, with their keys."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, ValidationError

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.session_request import SessionRequest
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients, ProviderSpec
from operator_console.settings.api_keys import Key, find_key, find_profile_key
from operator_console.settings.file import profile_problems
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile, check_profile_name, profile_options


def find_profile(settings: Settings, name: str) -> Profile:
    """The profile with this name. Raises OperatorError (exit code 2)."""
    profile = settings.profiles.get(name)
    if profile is None:
        known = ", ".join(settings.profiles)
        raise OperatorError(
            notice(NoticeCode.NO_SUCH_PROFILE, profile=name),
            detail=notice(NoticeCode.PROFILES_KNOWN, names=known) if known else "",
            remedy=notice(NoticeCode.CREATE_PROFILE),
            exit_code=ExitCode.USAGE,
        )
    return profile


def provider_of(name: str, profile: Profile) -> ProviderSpec:
    """The provider of the profile with this name. Raises OperatorError if it is not installed or cannot be loaded."""
    try:
        return registry.find(profile.provider)
    except OperatorError as error:
        if registry.is_name(profile.provider):
            raise  # it says why it cannot be loaded
        raise OperatorError(
            notice(NoticeCode.PROFILE_PROVIDER_MISSING, provider=profile.provider, profile=name),
            remedy=notice(NoticeCode.INSTALL_PROVIDER_OR_CHANGE_PROFILE),
        ) from error


def profile_ingredients(settings: Settings, name: str, profile: Profile, key: Key | None) -> Ingredients:
    """What the provider of a profile is created from. Raises OperatorError (not installed, invalid options)."""
    spec = provider_of(name, profile)
    return Ingredients(
        api_key=key.value if key else None,
        base_url=profile.base_url or None,
        options=_options(settings, spec, name, profile),
    )


def ingredients_for(settings: Settings, spec: ProviderSpec, name: str = "") -> Ingredients:
    """What a provider is created from, with its key; `name` is that of a profile of it, or "". Blocks.

    Raises:
        OperatorError: There is no such profile, or it has another provider or invalid options.
        KeyringUnusable: The keyring cannot be read.
    """
    if not name:
        key = find_key(service_of(settings, spec))
        return Ingredients(api_key=key.value if key else None, options=settings.section(spec.name))
    profile = find_profile(settings, name)
    if profile.provider != spec.name:
        raise OperatorError(
            notice(NoticeCode.PROFILE_CHANGED_PROVIDER, profile=name, provider=profile.provider),
            remedy=notice(NoticeCode.CHOOSE_MODEL_AGAIN),
        )
    return profile_ingredients(settings, name, profile, find_profile_key(name, service_of(settings, spec, profile)))


def service_of(settings: Settings, spec: ProviderSpec, profile: Profile | None = None) -> ProviderSpec:
    """The provider as the options that apply have it: at the vendor's own service, or at a cloud."""
    return spec.at(options_in_effect(settings, spec, profile))


def addresses_of(settings: Settings, spec: ProviderSpec, profile: Profile | None = None) -> tuple[str, ...]:
    """The addresses of the service that are set in a profile, the settings or the environment."""
    kept = options_in_effect(settings, spec, profile)
    return spec.at(kept).addresses(profile.base_url if profile is not None else "", kept)


def options_in_effect(settings: Settings, spec: ProviderSpec, profile: Profile | None = None) -> dict[str, object]:
    """The options that apply; those of the profile are not checked."""
    options = settings.section(spec.name)
    kept = options.model_dump() if options is not None else {}
    return {**kept, **(profile.options if profile is not None else {})}


def with_price(settings: Settings, request: SessionRequest) -> SessionRequest:
    """The request with the price and the cost limit of its profile, where it has none of its own."""
    profile = settings.profiles.get(request.profile)
    if profile is None or request.price is not None:
        return request
    price = profile.price.as_price() if profile.price else None
    limit = profile.max_cost if request.max_cost is None else request.max_cost
    return replace(request, price=price, max_cost=limit)


def with_profile(settings: Settings, name: str, profile: Profile, *, before: str = "") -> Settings:
    """The settings with a profile added, or in place of the one named `before`.

    Raises:
        OperatorError: The name cannot be used, the provider is not installed, or the options are invalid (exit code 2).
    """
    try:
        check_profile_name(name)
    except ValueError as error:
        raise _invalid(name, _entered(name, (), str(error))) from error
    if name != before:
        if name in settings.profiles:
            raise _unusable_name(notice(NoticeCode.PROFILE_EXISTS, profile=name))
        if registry.is_name(name):
            raise _unusable_name(notice(NoticeCode.PROFILE_NAME_IS_PROVIDER, profile=name))
    provider_of(name, profile)
    places = {before or name: (name, profile)}
    kept = dict(places.pop(each, (each, present)) for each, present in settings.profiles.items())
    made = settings.model_copy(update={"profiles": {**kept, **dict(places.values())}})
    if problems := profile_problems(made, name, registry.options_of):
        raise _invalid(name, joined(*problems))
    return made


def without_profile(settings: Settings, name: str) -> Settings:
    """The settings without this profile. Raises OperatorError (exit code 2) if there is none."""
    find_profile(settings, name)
    return settings.model_copy(
        update={"profiles": {each: profile for each, profile in settings.profiles.items() if each != name}}
    )


def profile_from(name: str, **values: object) -> Profile:
    """A profile of values that were entered. Raises OperatorError (exit code 2) that names what is invalid."""
    try:
        return Profile.model_validate(values)
    except ValidationError as error:
        raise _invalid(name, joined(*(_entered(name, each["loc"], each["msg"]) for each in error.errors()))) from error


def _options(settings: Settings, spec: ProviderSpec, name: str, profile: Profile) -> BaseModel:
    try:
        return profile_options(profile, spec.options(), settings.section(spec.name))
    except ValidationError as error:
        problems = [_entered(name, ("options", *each["loc"]), each["msg"]) for each in error.errors()]
        raise _invalid(name, joined(*problems)) from error


def _entered(name: str, place: tuple[int | str, ...], message: str) -> str:
    return notice(
        NoticeCode.SETTING_INVALID,
        setting=".".join(map(str, place)) or name,
        problem=message.removeprefix("Value error, "),
    )


def _invalid(name: str, why: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.PROFILE_INVALID, profile=name),
        detail=why,
        remedy=notice(NoticeCode.CORRECT_PROFILE),
        exit_code=ExitCode.USAGE,
    )


def _unusable_name(title: str) -> OperatorError:
    return OperatorError(title, remedy=notice(NoticeCode.CHOOSE_OTHER_PROFILE_NAME), exit_code=ExitCode.USAGE)
