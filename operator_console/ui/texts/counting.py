"""Texts whose words depend on a number."""

from __future__ import annotations

import gettext

ENGLISH = gettext.NullTranslations()


def counted(number: int, one: str, many: str, translations: gettext.NullTranslations = ENGLISH) -> str:
    """The form for this number, as gettext's ngettext chooses it, with the number in the place of "{}"."""
    return translations.ngettext(one, many, number).format(number)
