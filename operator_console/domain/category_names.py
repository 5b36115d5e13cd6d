"""The names of categories, as of what is permitted: "send data", "sign in"."""

from __future__ import annotations

from gettext import NullTranslations

from operator_console.domain.risk import Category
from operator_console.domain.translations import current

_NAMES = {
    Category.SEND: "send data",
    Category.POST: "publish",
    Category.DELETE: "delete things",
    Category.TERMINAL: "run commands",
    Category.INSTALL: "install software",
    Category.DOWNLOAD_RUN: "run downloads",
    Category.UPLOAD: "upload files",
    Category.LOGIN: "sign in",
    Category.PERSONAL_DATA: "enter personal data",
    Category.SYSTEM: "change the system",
    Category.UNKNOWN: "press what is not known",
    Category.PAY: "pay",
    Category.CREDENTIALS: "fill in secrets",
    Category.SECURITY: "change security settings",
    Category.LEGAL: "accept terms",
}

MESSAGES = tuple(_NAMES.values())
"""For translators."""


def category_name(category: Category, language: NullTranslations | None = None) -> str:
    """The name of a category within a line; `language`: None for that of the process."""
    return (language or current()).gettext(_NAMES[category])
