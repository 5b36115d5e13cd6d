"""The entries of the window's list of models: the profiles of the settings, and the known models of each provider."""

from __future__ import annotations

from operator_console.app.profile_setup import provider_of
from operator_console.domain.errors import OperatorError
from operator_console.providers.spec import ProviderSpec
from operator_console.settings.addresses import host_of, is_loopback
from operator_console.settings.api_keys import KeyringUnusable, find_key, find_profile_key
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile
from operator_console.ui.backend import ModelChoice
from operator_console.ui.view.privacy_words import leaves_words


def model_choices(settings: Settings, spec: ProviderSpec) -> list[ModelChoice]:
    """The known models of a provider. Blocks: it looks for the key."""
    if spec.model_is:
        return []  # its model is a file, which only the command line or a profile can name
    has_key = _has_key(spec)
    leaves = leaves_words(spec.sends_to)
    return [
        ModelChoice(
            provider=spec.name,
            model=model,
            title=_model_title(spec, model),
            needs_key=spec.needs_key,
            takes_key=bool(spec.key_env),
            has_key=has_key,
            leaves=leaves,
            told=not leaves or told_mark(settings, spec.name) in settings.notices.seen,
        )
        for model in spec.models or (spec.default_model,)
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
    kept = settings.profiles.get(profile)
    return f"{provider} at {kept.base_url}" if kept is not None and kept.base_url else provider


def _profile_choice(settings: Settings, name: str, profile: Profile, spec: ProviderSpec) -> ModelChoice:
    model = profile.model or spec.default_model
    leaves = leaves_words(_sends_to(profile, spec))
    at = f" at {profile.base_url}" if profile.base_url else ""
    return ModelChoice(
        provider=spec.name,
        model=model,
        title=f"{name} (profile)",
        profile=name,
        summary=f"{spec.title}{': ' if model else ''}{model}{at}",
        needs_key=spec.needs_key,
        takes_key=bool(spec.key_env),
        has_key=_has_key(spec, name),
        leaves=leaves,
        told=not leaves or told_mark(settings, spec.name, name) in settings.notices.seen,
        max_steps=profile.max_steps,
        max_minutes=profile.max_minutes,
        price=profile.price.as_price() if profile.price else None,
        max_cost=profile.max_cost,
    )


def _sends_to(profile: Profile, spec: ProviderSpec) -> str:
    if not profile.base_url or not spec.sends_to:
        return spec.sends_to
    return "" if is_loopback(profile.base_url) else host_of(profile.base_url)


def _has_key(spec: ProviderSpec, profile: str = "") -> bool:
    """Whether there is a key, or none is ever wanted."""
    if not spec.key_env:
        return True
    try:
        return (find_profile_key(profile, spec) if profile else find_key(spec)) is not None
    except KeyringUnusable:  # reported when a session with this service is started
        return False


def _model_title(spec: ProviderSpec, model: str) -> str:
    if not model:
        return spec.model_title
    title = model.replace("-", " ").title()
    # Another provider has the same model under its own dialect.
    return title if spec.means(model) else f"{title} ({spec.model_title})"
