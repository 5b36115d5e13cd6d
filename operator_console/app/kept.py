"""What the settings file keeps, as the window knows it, and back. Pure; called by backend."""

from __future__ import annotations

from operator_console.settings.model import Appearance, Paste, SessionDefaults, Settings, Theme, Typing
from operator_console.ui.backend import Preferences
from operator_console.ui.scheme import ThemeChoice


def preferences_of(settings: Settings) -> Preferences:
    """What the window shows of them."""
    session = settings.session
    return Preferences(
        theme=ThemeChoice(settings.appearance.theme.value),
        reduced_motion=settings.appearance.reduced_motion,
        lead_time_s=settings.timing.lead_time_app_s,
        typing_delay_s=settings.timing.typing_delay_s,
        pastes=settings.typing.paste is Paste.LONG,
        allow=session.allow,
        target=session.target,
        provider=session.provider,
        model=session.model,
        autonomy=session.autonomy,
        max_steps=session.max_steps,
        max_minutes=session.max_minutes,
    )


def with_preferences(settings: Settings, preferences: Preferences) -> Settings:
    """The settings with what was chosen in the window; the rest as it was."""
    timing = {"lead_time_app_s": preferences.lead_time_s, "typing_delay_s": preferences.typing_delay_s}
    session = SessionDefaults(
        target=preferences.target,
        provider=preferences.provider,
        model=preferences.model,
        autonomy=preferences.autonomy,
        allow=preferences.allow,
        max_steps=preferences.max_steps,
        max_minutes=preferences.max_minutes,
    )
    return settings.model_copy(
        update={
            "appearance": Appearance(theme=Theme(preferences.theme.value), reduced_motion=preferences.reduced_motion),
            "timing": settings.timing.model_copy(update=timing),
            "typing": Typing(paste=Paste.LONG if preferences.pastes else Paste.NEVER),
            "session": session,
        }
    )
