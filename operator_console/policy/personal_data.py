"""Recognises identity, health and bank numbers, and secrets, in a text that goes somewhere.

Shapes with check digits where they have any, so that order numbers and dates stay ordinary. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import iban, luhn
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.fr import nir
from stdnum.pl import pesel

from operator_console.domain.risk import Category
from operator_console.policy.rules import matches
from operator_console.policy.secrets_in_text import holds_secret

_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])", re.IGNORECASE)
# No check digit, and the numbers that stdnum leaves out as known examples count here.
_SSN = re.compile(r"(?<!\d)(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!\d)")
_ELEVEN = re.compile(r"(?<!\d)\d{11}(?!\d)")
_CHINESE_ID = re.compile(r"(?<!\d)\d{17}[\dXx](?![\dXx])")
_FRENCH_ID = re.compile(r"(?<!\d)[12]\d{12} ?\d{2}(?!\d)")
_SPANISH_ID = re.compile(r"(?<!\w)(\d{8})-?([A-HJ-NP-TV-Z])(?!\w)", re.IGNORECASE)


def personal_data(text: str) -> tuple[tuple[Category, str], ...]:
    """What the text holds, as (category, what it looks like), each once."""
    return tuple(dict.fromkeys(_found(text)))


def _found(text: str) -> Iterator[tuple[Category, str]]:
    if holds_secret(text):
        yield Category.CREDENTIALS, "a key or password"
    if any(_card(match.group(0)) for match in matches(_CARD, text)):
        yield Category.PERSONAL_DATA, "a card number"
    if any(iban.is_valid(match.group(0)) for match in matches(_IBAN, text)):
        yield Category.PERSONAL_DATA, "a bank account number"
    if any(matches(_SSN, text)):
        yield Category.PERSONAL_DATA, "a social security number"
    if any(pesel.is_valid(match.group(0)) for match in matches(_ELEVEN, text)):
        yield Category.PERSONAL_DATA, "a PESEL number"
    if any(ric.is_valid(match.group(0)) for match in matches(_CHINESE_ID, text)):
        yield Category.PERSONAL_DATA, "an identity number"
    if any(nir.is_valid(match.group(0)) for match in matches(_FRENCH_ID, text)):
        yield Category.PERSONAL_DATA, "a social security number"
    if any(dni.is_valid(match.group(0)) for match in matches(_SPANISH_ID, text)):
        yield Category.PERSONAL_DATA, "an identity number"


def _card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return len(set(digits)) > 1 and bool(luhn.is_valid(digits))
