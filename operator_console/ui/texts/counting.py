"""Texts whose words depend on a number."""

from __future__ import annotations

from operator_console.domain.translations import ngettext


def counted(number: int, one: str, many: str) -> str:
    """The form for this number, as gettext's ngettext chooses it, with the number in the place of "{}"."""
    return ngettext(one, many, number).format(number)
