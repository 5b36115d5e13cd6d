"""The entries of the window's list of models: the profiles of the settings, and the known models of each provider."""

from __future__ import annotations

from dataclasses import replace

from operator_console.app.profile_setup import addresses_of, options_in_effect, provider_of, service_of
from operator_console.domain.api_keys import KeyUnusable
from operator_console.domain.errors import OperatorError
from operator_console.domain.translations import _
from operator_console.loopback import host_of, is_loopback
from operator_console.providers import registry
from operator_console.providers.spec import ProviderSpec
from operator_console.settings.api_keys import Key, find_key, find_profile_key
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile
from operator_console.ui.backend import ModelChoice
from operator_console.ui.view.words import leaves_words

RUNBOOK = "runbook"


def model_choices(settings: Settings, spec: ProviderSpec) -> list[ModelChoice]:
    """The known models of a provider. Blocks: it looks for the key."""
    if spec.model_is:
        return []  # its model is a file, which only the command line or a profile can name
    shown = _choice(settings, spec)
    models = spec.models or (spec.default_model,)
    options = options_in_effect(settings, spec, None)
    return [
        replace(shown, model=model, title=_model_title(spec, model), answers_text=spec.answers_text(model, options))
        for model in models
    ]


def profile_choices(settings: Settings) -> list[ModelChoice]:
    """The profiles whose providers can be used. Blocks: it looks for their keys."""
    found: list[ModelChoice] = []
    for name, profile in settings.profiles.items():
        try:
            spec = provider_of(name, profile)
        except OperatorError:
            continue  # the model settings say why
        found.append(_profile_choice(settings, name, profile, spec))
    return found


def told_mark(settings: Settings, provider: str, profile: str = "") -> str:
    """What is noted once the operator was told where a provider, or a profile of it, sends pictures."""
    spec, used = registry.find(provider), settings.profiles.get(profile)
    at, through = " and ".join(addresses_of(settings, spec, used)), proxies(settings, spec, used)
    service = service_of(settings, spec, used).name
    return f"{service}{f' at {at}' if at else ''}{f' through {through}' if through else ''}"


def told_title(mark: str) -> str:
    """The service of a `told_mark` for people: its title, with the addresses that were set, and the proxies."""
    service, space, rest = mark.partition(" ")
    for spec in registry.specs():
        clouds = {spec.at({"cloud": cloud.name}).name: _(cloud.title) for cloud in spec.clouds}
        if title := {spec.name: spec.worded_title, **clouds}.get(service):
            return f"{title}{space}{rest}"
    return mark  # no longer installed


def sends_to(settings: Settings, spec: ProviderSpec, profile: Profile | None = None) -> str:
    """Who gets pictures and texts, by the addresses that are set; "" if they stay on this computer."""
    addresses = addresses_of(settings, spec, profile)
    if not spec.sends_to or not addresses:
        return service_of(settings, spec, profile).recipient
    return ", ".join(dict.fromkeys(host_of(each) for each in addresses if not is_loopback(each)))


def proxies(settings: Settings, spec: ProviderSpec, profile: Profile | None = None) -> str:
    """The proxies that they go through on their way, for people; "" for none. Blocks: it may import an HTTP client."""
    return service_of(settings, spec, profile).proxies(addresses_of(settings, spec, profile))


def _choice(settings: Settings, spec: ProviderSpec, name: str = "") -> ModelChoice:
    """What holds for all models of a provider, or for a profile of it; its title and model are to be set."""
    profile = settings.profiles.get(name)
    service = service_of(settings, spec, profile)
    key = _key(service, name)
    leaves = leaves_words(sends_to(settings, spec, profile), proxies(settings, spec, profile))
    return ModelChoice(
        provider=spec.name,
        model="",
        title="",
        profile=name,
        needs_key=service.needs_key,
        takes_key=bool(service.key_env),
        has_key=key is not None or not service.key_env,
        key_place=key.place if key else None,
        key_page=service.key_page,
        service=spec.worded_title,
        leaves=leaves,
        told=not leaves or told_mark(settings, spec.name, name) in settings.notices.seen,
        runbook=spec.name == RUNBOOK,
    )


def _profile_choice(settings: Settings, name: str, profile: Profile, spec: ProviderSpec) -> ModelChoice:
    model = profile.model or spec.default_model
    made_of = f"{spec.worded_title}: {model}" if model else spec.worded_title
    at = _("{model} at {address}").format(model=made_of, address=profile.base_url) if profile.base_url else made_of
    return replace(
        _choice(settings, spec, name),
        model=model,
        title=_("{profile} (profile)").format(profile=name),
        answers_text=spec.answers_text(model, options_in_effect(settings, spec, profile)),
        summary=at,
        max_steps=profile.max_steps,
        max_minutes=profile.max_minutes,
        price=profile.price.as_price() if profile.price else None,
        max_cost=profile.max_cost,
    )


def _key(spec: ProviderSpec, profile: str = "") -> Key | None:
    if not spec.key_env:
        return None
    try:
        return find_profile_key(profile, spec) if profile else find_key(spec)
    except KeyUnusable:  # reported when a session with this service is started
        return None


def _model_title(spec: ProviderSpec, model: str) -> str:
    if not model:
        return spec.model_title
    # The id as the service writes it: a name cannot be derived from it ("gpt-5.6-sol" is no "Gpt 5.6 Sol").
    # Another provider has the same model under its own dialect.
    return model if spec.means(model) else f"{model} ({spec.model_title})"
