"""Recognises identity, health and bank numbers, and secrets, in text that is about to be typed.

Shapes with check digits where they have any, so that order numbers and dates stay ordinary. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from stdnum import iban, luhn
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.fr import nir
from stdnum.pl import pesel

from operator_console.domain.risk import Category
from operator_console.policy.rules import matches, search
from operator_console.policy.word_tables import fold, tables

_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])", re.IGNORECASE)
# No check digit, and the numbers that stdnum leaves out as known examples count here.
_SSN = re.compile(r"(?<!\d)(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!\d)")
_ELEVEN = re.compile(r"(?<!\d)\d{11}(?!\d)")
_CHINESE_ID = re.compile(r"(?<!\d)\d{17}[\dXx](?![\dXx])")
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
    re.compile(
        r"(?<!\w)(?:glrt|dop_v1|shp(?:at|ca|ss|pa)|npm|hf|pypi|dckr_pat|xapp|figd|lin_api|ntn)[-_](?=\S*\d)[A-Za-z0-9_\-]{20,}"
    ),
    re.compile(r"(?<!\w)ya29\.[A-Za-z0-9_\-]{20,}|(?<!\w)SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"),
    re.compile(r"(?i)\b(password|passwd|passphrase|secret|api[_ -]?key|token)\s*[:=]\s*\S{6,}"),
    re.compile(r"(?<![A-Za-z0-9])[A-Z0-9_]*_(PASSWORD|PASSWD|PASS|SECRET|API_?KEY|TOKEN)=[\"']?[^\s\"'$<{]{6,}"),
)
# The name of something and its value in a line: “Wi-Fi password: …”, “SMTP_PASSWORD=…”, `"pin": "…"`.
_NAMED_VALUE = re.compile(
    r"(?:^|(?<=[\n,;{，、、]))[ \t]*(?P<name>[^\n:=：＝,;{}，、]{2,60}?)[\"']?[ \t]*[:=：＝][ \t]*[\"']?"
    r"(?P<value>[^\s\"',;]{4,64})"
    r"(?=[\"',;.]*(?:\s|$))"
)
_NO_SECRET = re.compile(r"[(){}\[\]<>]|^\$|^[•●∙·*＊∗xX.…]+$|://|@[\w-]+\.\w|\*{3}|^www\.|^/|^~")
_KINDS = tuple(re.compile(pattern) for pattern in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]"))
_DIGITS = re.compile(r"\d{4,8}")
_MIXED = 3  # kinds of characters
_LONGEST_WORD = 16  # characters
_SHORTEST_SECRET = 6  # characters
_MOST_NAMES = 200  # different ones that are looked up in one text
_RANDOM = re.compile(r"(?:[a-z]{1,12}[_\-])*[A-Za-z0-9_\-]{20,}")
_NUMBERS_OF_RANDOM = 3
_SHARE_OF_CHANGES = 0.4  # between kinds of characters; of words in camel case it is half of that


def personal_data(text: str) -> tuple[tuple[Category, str], ...]:
    """What the text holds, as (category, what it looks like), each once."""
    return tuple(dict.fromkeys(_found(text)))


def _found(text: str) -> Iterator[tuple[Category, str]]:
    if any(search(secret, text) for secret in _SECRETS) or _names_secret_value(text):
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


def is_random(text: str) -> bool:
    """Whether a text is nothing but a long row of mixed letters and digits, as tokens and keys are: “v7Qe2LkfXz0s…”."""
    bare = text.strip()
    if not _RANDOM.fullmatch(bare) or _kinds(bare.replace("-", "")) < _MIXED:
        return False
    run = max(re.split(r"[_\-]", bare), key=len)
    kinds = [next(number for number, kind in enumerate(_KINDS) if kind.match(char)) for char in run]
    changes = sum(before != after for before, after in pairwise(kinds))
    numbers = len(re.findall(r"\d+", run))
    return len(run) >= _LONGEST_WORD and numbers >= _NUMBERS_OF_RANDOM and changes >= _SHARE_OF_CHANGES * len(run)


def _names_secret_value(text: str) -> bool:
    """Whether a line gives the name of a secret, in any language of the word tables, and a value that may be one."""
    values: dict[str, list[str]] = defaultdict(list)
    for match in matches(_NAMED_VALUE, text):
        if not _NO_SECRET.search(match["value"]):
            values[match["name"].strip()].append(match["value"])
    named = ((name, each) for name in list(values)[:_MOST_NAMES] for each in values[name])
    return any(_may_be_secret(value, name) for name, value in named)


def _may_be_secret(value: str, name: str) -> bool:
    mixed = len(value) >= _SHORTEST_SECRET and _kinds(value) >= _MIXED
    if not mixed and not _DIGITS.fullmatch(value):
        return False
    words = dict(tables().in_field(name)).get(Category.CREDENTIALS, "")
    # A few digits are a secret only behind its name alone: “PIN: 4711”, not “Password length”.
    return bool(words) and (mixed or words == fold(name))


def _kinds(text: str) -> int:
    """How many kinds of characters the text has: small and capital letters, digits, signs."""
    return sum(1 for kind in _KINDS if kind.search(text))


def _card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    return len(set(digits)) > 1 and bool(luhn.is_valid(digits))
