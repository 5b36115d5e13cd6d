"""Words for levels of autonomy. It loads little: the set-up shows them in the window's first picture. Pure."""

from __future__ import annotations

from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.translations import _


def autonomy_words(level: Autonomy, allowed: tuple[Category, ...]) -> str:
    """Describe an autonomy level; for Auto including what is allowed."""
    match level:
        case Autonomy.OBSERVE:
            return _("Nothing runs. You only see what the model would do.")
        case Autonomy.STEP:
            return _("Every action waits for your approval.")
        case Autonomy.GUARDED:
            return _("Ordinary actions run. Sending, deleting, paying and similar wait for you.")
        case Autonomy.AUTO if allowed:
            from operator_console.ui.view.words import names_of  # imported here: it would delay the first paint

            return _("Like Guarded, and also runs: {names} (Settings)").format(names=names_of(allowed))
        case Autonomy.AUTO:
            return _("Like Guarded, and also runs: none yet (Settings)")
        case Autonomy.HOLD:
            return _("Like Guarded, while you hold a key (Settings) or the button “Hold to run”.")


def autonomy_name(level: Autonomy) -> str:
    """An autonomy level in a word."""
    match level:
        case Autonomy.OBSERVE:
            return _("Observe")
        case Autonomy.STEP:
            return _("Step")
        case Autonomy.GUARDED:
            return _("Guarded")
        case Autonomy.AUTO:
            return _("Auto")
        case Autonomy.HOLD:
            return _("Hold")
