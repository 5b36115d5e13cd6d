"""Recognises secrets in a text: keys and tokens by their shape, passwords and codes by the name beside them. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise

from operator_console.domain.risk import Category
from operator_console.policy.findings import matches, search
from operator_console.policy.word_tables import fold, tables

_SHAPES = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    re.compile(r"(?<!\w)(AKIA|ASIA)[0-9A-Z]{16}(?!\w)"),
    re.compile(r"(?<!\w)(sk|pk|rk)[-_](?:(live|test|proj|ant)[-_](?=\S*\d)[A-Za-z0-9_\-]{10,}|[A-Za-z0-9_\-]{20,})"),
    re.compile(r"(?<!\w)gh[pousr]_[A-Za-z0-9]{30,}"),
    re.compile(r"(?<!\w)github_pat_[A-Za-z0-9_]{30,}"),
    re.compile(r"(?<!\w)glpat-[A-Za-z0-9_\-]{18,}"),
    re.compile(r"(?<!\w)xox[abprs]-[A-Za-z0-9\-]{10,}"),
    re.compile(r"(?<!\w)AIza[0-9A-Za-z_\-]{30,}"),
    re.compile(r"(?<!\w)eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\."),
    re.compile(
        r"(?<!\w)(?:glrt|dop_v1|shp(?:at|ca|ss|pa)|npm|hf|pypi|dckr_pat|xapp|figd|lin_api|ntn)[-_](?=\S*\d)[A-Za-z0-9_\-]{20,}"
    ),
    re.compile(
        r"(?<!\w)(?:gsk|r8|whsec|glsa|sbp|PMAK|tskey|hvs)[-_.](?=\S*\d)[A-Za-z0-9_\-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{20,}"
    ),
    re.compile(
        r"(?i)(?<!\w)(?:authorization\s*[:=]\s*(?:basic|bearer|token)|bearer)\s+(?=\S*\d)[A-Za-z0-9._+/\-]{16,}"
    ),
    re.compile(r"(?<!\w)ya29\.[A-Za-z0-9_\-]{20,}|(?<!\w)SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"),
    re.compile(r"(?i)\b(password|passwd|passphrase|secret|api[_ -]?key|token)\s*[:=]\s*\S{6,}"),
    re.compile(r"(?<![A-Za-z0-9])[A-Z0-9_]*_(PASSWORD|PASSWD|PASS|SECRET|API_?KEY|TOKEN)=[\"']?[^\s\"'$<{]{6,}"),
)
# “https://anna:heron-77@nas.example”, “postgres://shop:heron-77@db/shop”
_IN_ADDRESS = re.compile(
    r"(?<!\w)[a-z][a-z0-9+.\-]{1,20}:[/\\]{2}(?P<user>[^\s/\\@:?#\"'<>]{0,128}):(?P<password>[^\s/\\@\"'<>]{1,256})@[\w\[]",
    re.IGNORECASE,
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
_YEAR = re.compile(r"(?:19|20)\d\d")
_MIXED = 3  # kinds of characters
_LONGEST_WORD = 16  # characters
_SHORTEST_SECRET = 6  # characters
_SHORTEST_OF_TWO_KINDS = 8  # characters
_MOST_NAMES = 200  # different ones that are looked up in one text
_RANDOM = re.compile(r"(?:[a-z]{1,12}[_\-])*[A-Za-z0-9_\-]{20,}")
_NUMBERS_OF_RANDOM = 3
_SHARE_OF_CHANGES = 0.4  # between kinds of characters; of words in camel case it is half of that
_MOST_RUNS = 2_000  # that are looked at in one text
_RUN = re.compile(r"[A-Za-z0-9_\-]{20,200}")
_PUBLIC_KEY = "AAAA"  # how the public keys of SSH begin

# What may be a value in a sentence: printable ASCII, as passwords are.
_VALUE = re.compile(r"(?<![!-~])[!-~]{4,64}(?![!-~])")
_AROUND_VALUE = "\"'`.,;:!?()[]"
_NO_VALUE = re.compile(r"/|\.[A-Za-z]{2,5}$")  # a path, the name of a file or a host
_OF_PASSWORDS = re.compile(r"\d|[!$%^*#+=?~]")  # signs that words joined with a hyphen do not have
_REACH = 90  # characters before or behind a value in which its name stands
_ENDS_SENTENCE = re.compile(r"[.!?。！？]\s|[。！？]")
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_PARTS = re.compile(r"[,;()?!]")
_MOST_WORDS_LINKED = 6
_MOST_WORDS_OF_USE = 4  # “for the router at home”
_LONGEST_TEXT = 20_000  # characters that are searched for the name of a recovery phrase
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD_OF_PHRASE = re.compile(r"[a-z]{3,8}")  # as in the lists of BIP 39
_WORDS_OF_PHRASE = 12
_LONGEST_PHRASE = 160  # characters
_SHOWN = re.compile(r"(?:[-–—=→]|->)\s*[\"'“„«]?\s*$")
_SHOWS_NAME = re.compile(r"\s*[\"'”»]?\s*(?:[-–—=(→]|->)")


def holds_secret(text: str) -> bool:
    """Whether a secret is somewhere in the text."""
    return (
        any(search(shape, text) for shape in _SHAPES)
        or any(_is_password(match["user"], match["password"]) for match in matches(_IN_ADDRESS, text))
        or _names_value(text)
        or _tells_value(text)
        or _tells_phrase(text)
    )


def _is_password(user: str, password: str) -> bool:
    """Whether an address has a password before its host, and neither a placeholder nor a port that looks like one."""
    if _NO_SECRET.search(password):
        return False
    return not ("." in user and password.isdigit())


def holds_random(text: str) -> bool:
    """Whether a word of a text is a long row of mixed letters and digits, as tokens and keys are."""
    words = (word for word in text.split() if "/" not in word and "@" not in word)
    runs = (run for word in words for run in _RUN.findall(word) if not run.startswith(_PUBLIC_KEY))
    return any(map(is_random, islice(runs, _MOST_RUNS)))


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


def is_mixed(word: str) -> bool:
    """Whether a word is made as passwords are, and words joined with hyphens, paths and mail addresses are not."""
    bare = word.strip(_AROUND_VALUE)
    if len(bare) < _SHORTEST_SECRET or _NO_SECRET.search(bare) or _NO_VALUE.search(bare):
        return False
    return _kinds(bare) >= _MIXED and bool(_OF_PASSWORDS.search(bare))


def _names_value(text: str) -> bool:
    """Whether a line gives the name of a secret, in any language of the word tables, and a value that may be one."""
    values: dict[str, list[str]] = defaultdict(list)
    for match in matches(_NAMED_VALUE, text):
        if not _NO_SECRET.search(match["value"]):
            values[match["name"].strip()].append(match["value"])
    named = ((name, each) for name in list(values)[:_MOST_NAMES] for each in values[name])
    return any(_may_be_named(value, name) for name, value in named)


def _may_be_named(value: str, name: str) -> bool:
    mixed = len(value) >= _SHORTEST_SECRET and _kinds(value) >= _MIXED
    if not mixed and not _DIGITS.fullmatch(value) and not _has_two_kinds(value):
        return False
    words = dict(tables().in_field(name)).get(Category.CREDENTIALS, "")
    # A few digits are a secret only behind its name alone: “PIN: 4711”, not “Password length”.
    return bool(words) and (mixed or words == fold(name))


def _has_two_kinds(value: str) -> bool:
    """Whether letters of one kind and two digits or more may be a password, where nothing else can be meant."""
    return len(value) >= _SHORTEST_OF_TWO_KINDS and value.isalnum() and 1 < sum(map(str.isdigit, value)) < len(value)


def _tells_value(text: str) -> bool:
    """Whether a sentence tells a secret: “the password is …”, “пароль від пошти …”, “… ist das Passwort”."""
    found = (match for match in matches(_VALUE, text) if _may_be_told(match.group()))
    return any(_is_told(text, match) for match in islice(found, _MOST_NAMES))


def _may_be_told(value: str) -> bool:
    bare = value.strip(_AROUND_VALUE)
    if _NO_SECRET.search(bare) or _NO_VALUE.search(bare):
        return False
    return is_mixed(bare) or _is_number(bare) or _has_two_kinds(bare)


def _is_number(value: str) -> bool:
    return bool(_DIGITS.fullmatch(value)) and not _YEAR.fullmatch(value)


def _is_told(text: str, match: re.Match[str]) -> bool:
    """Whether the name of a secret stands before or behind the value, with no more between than belongs to it."""
    mixed = is_mixed(match.group())
    before = text[max(0, match.start() - _REACH) : match.start()]
    line = before.rpartition("\n")[2]
    if "\n" in before and not line.strip(" \t-*•\"'"):
        above = before.rstrip(" \t\n-*•\"'").rpartition("\n")[2]
        return any(not words for words in _behind_name(above))  # the name is all of the line above, or its end
    line = _ENDS_SENTENCE.split(line)[-1]
    shown = mixed and _SHOWN.search(line) is not None
    if any(_links(words, mixed=mixed) or (shown and len(words) <= _MOST_WORDS_OF_USE) for words in _behind_name(line)):
        return True
    behind = text[match.end() : match.end() + _REACH].partition("\n")[0]
    behind = _ENDS_SENTENCE.split(behind)[0]
    shown = _SHOWS_NAME.match(behind) is not None
    return mixed and any(
        (shown and not words) or (words and len(words) <= _MOST_WORDS_OF_USE and _is_link(words[0]))
        for words in _before_name(behind)
    )


def _tells_phrase(text: str) -> bool:
    """Whether the words of a recovery phrase follow its name: twelve or more short ones in small letters."""
    folded = fold(text[:_LONGEST_TEXT])
    for name in islice(tables().fields[Category.CREDENTIALS].finditer(folded), _MOST_NAMES):
        words = _LETTERS.findall(folded, name.end(), name.end() + _LONGEST_PHRASE)
        if len(words) >= _WORDS_OF_PHRASE and all(_WORD_OF_PHRASE.fullmatch(word) for word in words[:_WORDS_OF_PHRASE]):
            return True
    return False


def _behind_name(line: str) -> Iterator[list[str]]:
    """The words between the last name of a secret and the end of a line, if they belong together."""
    folded = fold(line)
    names = list(tables().fields[Category.CREDENTIALS].finditer(folded))
    if names and not _PARTS.search(rest := folded[names[-1].end() :]):
        yield _WORDS.findall(rest)


def _before_name(line: str) -> Iterator[list[str]]:
    """The words between the start of a line and the first name of a secret in it, if they belong together."""
    folded = fold(line)
    name = tables().fields[Category.CREDENTIALS].search(folded)
    if name is not None and not _PARTS.search(rest := folded[: name.start()].lstrip("\"')(")):
        yield _WORDS.findall(rest)


def _links(words: list[str], *, mixed: bool) -> bool:
    """Whether the words between a name and a value link them: none, “is”, or what the secret is for."""
    if not words:
        return True
    used = tables().has("small-words", words[0])  # “for the router”; of a “password manager” no secret is told
    if _is_link(words[-1]) and (len(words) == 1 or (used and len(words) <= _MOST_WORDS_LINKED)):
        return True
    # A value straight behind “for” or “of” is what the secret is for.
    return mixed and used and 1 < len(words) <= _MOST_WORDS_OF_USE and not tables().has("small-words", words[-1])


def _is_link(word: str) -> bool:
    return tables().is_exactly("linking", word)


def _kinds(text: str) -> int:
    """How many kinds of characters the text has: small and capital letters, digits, signs."""
    return sum(1 for kind in _KINDS if kind.search(text))
