"""Recognises identity, health and bank numbers, and secrets, in text that is about to be typed.

Shapes with check digits where they have any, so that order numbers and dates stay ordinary. Pure; called by typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.findings import matches, search

_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])", re.IGNORECASE)
_SSN = re.compile(r"(?<!\d)(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!\d)")
_ELEVEN = re.compile(r"(?<!\d)\d{11}(?!\d)")
_PESEL_WEIGHTS = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)
_CHINESE_ID = re.compile(r"(?<!\d)\d{17}[\dXx](?![\dXx])")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_FRENCH_ID = re.compile(r"(?<!\d)[12]\d{12} ?\d{2}(?!\d)")
_SPANISH_ID = re.compile(r"(?<!\w)(\d{8})-?([A-HJ-NP-TV-Z])(?!\w)", re.IGNORECASE)
_SECRETS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    re.compile(r"(?<!\w)(AKIA|ASIA)[0-9A-Z]{16}(?!\w)"),
    re.compile(r"(?<!\w)(sk|pk|rk)[-_](live|test|proj|ant)?[-_]?[A-Za-z0-9_\-]{20,}"),
    re.compile(r"(?<!\w)gh[pousr]_[A-Za-z0-9]{30,}"),
    re.compile(r"(?<!\w)github_pat_[A-Za-z0-9_]{30,}"),
    re.compile(r"(?<!\w)glpat-[A-Za-z0-9_\-]{18,}"),
    re.compile(r"(?<!\w)xox[abprs]-[A-Za-z0-9\-]{10,}"),
    re.compile(r"(?<!\w)AIza[0-9A-Za-z_\-]{30,}"),
    re.compile(r"(?<!\w)eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\."),
    re.compile(r"(?i)\b(password|passwd|passphrase|secret|api[_ -]?key|token)\s*[:=]\s*\S{6,}"),
)


def personal_data(text: str) -> tuple[tuple[Category, str], ...]:
    """What the text holds, as (category, what it looks like), each once."""
    return tuple(dict.fromkeys(_found(text)))


def _found(text: str) -> Iterator[tuple[Category, str]]:
    if any(search(secret, text) for secret in _SECRETS):
        yield Category.CREDENTIALS, "a key or password"
    if any(_luhn(_digits(match.group(0))) for match in matches(_CARD, text)):
        yield Category.PERSONAL_DATA, "a card number"
    if any(_iban(match.group(0)) for match in matches(_IBAN, text)):
        yield Category.PERSONAL_DATA, "a bank account number"
    if any(matches(_SSN, text)):
        yield Category.PERSONAL_DATA, "a social security number"
    if any(_pesel(match.group(0)) for match in matches(_ELEVEN, text)):
        yield Category.PERSONAL_DATA, "a PESEL number"
    if any(_chinese_id(match.group(0)) for match in matches(_CHINESE_ID, text)):
        yield Category.PERSONAL_DATA, "an identity number"
    if any(_french_id(match.group(0)) for match in matches(_FRENCH_ID, text)):
        yield Category.PERSONAL_DATA, "a social security number"
    if any(_spanish_id(*match.groups()) for match in matches(_SPANISH_ID, text)):
        yield Category.PERSONAL_DATA, "an identity number"


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _luhn(digits: str) -> bool:
    if len(set(digits)) < 2:
        return False
    doubled = (int(d) * (2 if i % 2 else 1) for i, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _iban(text: str) -> bool:
    plain = text.replace(" ", "").upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _pesel(digits: str) -> bool:
    month = int(digits[2:4]) % 20
    if not (1 <= month <= 12 and 1 <= int(digits[4:6]) <= 31):
        return False
    total = sum(int(d) * w for d, w in zip(digits, _PESEL_WEIGHTS, strict=False))
    return (10 - total % 10) % 10 == int(digits[10])


def _chinese_id(text: str) -> bool:
    total = sum(int(d) * w for d, w in zip(text, _ID_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _french_id(text: str) -> bool:
    plain = text.replace(" ", "")
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


def _spanish_id(number: str, letter: str) -> bool:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == letter.upper()
