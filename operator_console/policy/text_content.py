"""Assesses what a text that is typed says, with what was typed before it: personal data, secrets, paths, programs.

Numbers are recognised by their shape and, where they have any, by their check digits, so that order numbers and dates
stay ordinary. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import iban, luhn
from stdnum.cn import ric
from stdnum.es import dni
from stdnum.fr import nir
from stdnum.pl import pesel

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser
from operator_console.policy.commands import command_findings, looks_like_command
from operator_console.policy.control_kinds import (
    PARAGRAPH,
    content_of,
    is_multi_line,
    is_search_field,
    takes_text,
    word_count,
)
from operator_console.policy.file_paths import (
    file_content_findings,
    is_path,
    is_shell_script,
    named_files,
    names_document,
    path_findings,
    script_content_findings,
)
from operator_console.policy.findings import Finding, PolicyContext, categorised, matches, named_by
from operator_console.policy.input_places import is_file_chooser, is_question, is_terminal_place
from operator_console.policy.secrets_in_text import holds_random, holds_secret, is_mixed
from operator_console.policy.surrounding_text import answers_sign_in, names_secret, secret_beside, signs_in
from operator_console.policy.word_tables import includes, tables

_PASSWORD_SHAPE = re.compile(r"\S{8,64}")
_CLASSES = tuple(re.compile(pattern) for pattern in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]"))
_NOT_A_PASSWORD = re.compile(r"^[\w.+\-]+@[\w\-]+\.[\w.\-]+$|^\w+://|^(?:[\w\-]+\.)+\w{2,}(?:/|$)|/")
_DATE = re.compile(r"\d{1,4}(?:[ ./\-]\d{1,4}){0,2}|[^\W\d_]{3,10}")
_DATE_PART = re.compile(
    r"\b(?:day|month|year|dd|mm|yyyy|tag|monat|jahr|jour|mois|annee|año|día|mes|ano|dia|mês|giorno|mese|anno|année|dzień|miesiąc|rok|"
    r"dag|maand|jaar|день|месяц|год|місяць|рік|gün|ay|yıl|den|měsíc|يوم|اليوم|شهر|الشهر|سنة|السنة)\b|[年月日년월일]",
    re.IGNORECASE,
)
_DATE_LONG_AGO = re.compile(
    r"\d{1,2}[ ./\-]\d{1,2}[ ./\-](?:19\d\d|200\d)|(?:19\d\d|200\d)[ ./\-年]\d{1,2}[ ./\-月]\d{1,2}日?"
)
_AROUND_DATE = 6  # texts
_NEAREST_NAMES = 2  # texts that may name a field which does not say its name
_STRONG = 3  # kinds of characters
_LONGEST_NAME = 120  # characters at the end of what stands in a field, which may name a secret
_LONGEST_LINE = 2_000  # characters of a text whose words are looked at
_CODE_SHAPE = re.compile(r"[A-Z]?-?\d{3,4}(?:[ -]?\d{2,4}){0,2}|(?=\w*\d)[A-Z0-9]{4,10}")
_MOST_WORDS_OF_ANSWER = 4
_NUMBERED = re.compile(r"(\D*?)(?:(?:№|\Wn[or]?[.º°]?)\s?)?\d{1,2}(\D*)", re.IGNORECASE)  # “Word 3”, “Word no. 3”, “3.”
_ALL_NUMBERS = re.compile(r"([^\W\d_]*)\W{0,3}(?<!\d)1\D{1,6}(?:12|18|24)(?!\d)\W{0,3}([^\W\d_]*)")  # “Words 1–12”
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,6}")
_NEAREST_PROOFS = 4  # texts that may say what a code or an answer is for

_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])", re.IGNORECASE)
# No check digit, and the numbers that stdnum leaves out as known examples count here.
_SSN = re.compile(r"(?<!\d)(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!\d)")
_ELEVEN = re.compile(r"(?<!\d)\d{11}(?!\d)")
_CHINESE_ID = re.compile(r"(?<!\d)\d{17}[\dXx](?![\dXx])")
_FRENCH_ID = re.compile(r"(?<!\d)[12]\d{12} ?\d{2}(?!\d)")
_SPANISH_ID = re.compile(r"(?<!\w)(\d{8})-?([A-HJ-NP-TV-Z])(?!\w)", re.IGNORECASE)


def content_findings(text: str, context: PolicyContext) -> Iterator[Finding]:
    """Findings for text typed after `context.typed`."""
    whole = context.typed + text
    yield from _personal_findings(whole, before=context.typed)
    before = set(file_content_findings(context.typed))
    yield from (finding for finding in file_content_findings(whole) if finding not in before)
    if not text.strip():
        return
    if _completes_secret(whole, context):
        yield categorised(Category.CREDENTIALS, "credentials-by-content", "a key or password")
    yield from field_findings(text, context)
    if is_terminal_place(context):
        return
    if is_multi_line(context.control) and not is_browser(context.app) and not names_document(context.title):
        yield from script_content_findings(whole)
    for name in named_files(context.title):
        # An editor names the file that it will save.
        if is_shell_script(name) and not is_browser(context.app):
            yield from _script_findings(text)
        if " " not in name and not is_browser(context.app):
            yield from _secure(path_findings(name, context.own_folders))
    found = path_findings(whole, context.own_folders)
    if is_file_chooser(context):
        yield from found
    elif is_path(whole) and not is_search_field(context):
        yield from _secure(found)


def _completes_secret(whole: str, context: PolicyContext) -> bool:
    """Whether what stands in a field with several lines names the secret whose value is typed after it."""
    control = context.control
    if not is_multi_line(control):
        return False
    stands = content_of(control).removesuffix(whole)[-_LONGEST_NAME:]
    return bool(stands.strip()) and not holds_secret(stands) and holds_secret(f"{stands} {whole[:_LONGEST_NAME]}")


def _script_findings(text: str) -> Iterator[Finding]:
    """What lines of a script do when it runs later."""
    for line in text.splitlines():
        if looks_like_command(line):
            yield from command_findings(line)


def _secure(findings: Iterator[Finding]) -> Iterator[Finding]:
    return (finding for finding in findings if finding.category is Category.SECURITY)


def secret_or_personal(text: str) -> Iterator[Finding]:
    """Findings for numbers and keys in a text, wherever it goes: an address, a search, a command."""
    return named_by("content", personal_data(text))


def _personal_findings(whole: str, *, before: str) -> Iterator[Finding]:
    known = set(personal_data(before)) if before else set()
    return named_by("content", (each for each in personal_data(whole) if each not in known))


def field_findings(text: str, context: PolicyContext) -> Iterator[Finding]:
    """Findings for the field that is written in, whatever is written; `text` is "" where that is not known."""
    control = context.control
    if control.role is Role.PASSWORD_FIELD:
        yield categorised(Category.CREDENTIALS, "password-field")
    names: tuple[str, ...] = (context.label,)
    if takes_text(control):
        names = (control.name, control.label, control.description)
    if not any(names):
        names = context.nearby[:_NEAREST_NAMES] or ("",)
    if _is_long_ago(text, context):
        yield categorised(Category.PERSONAL_DATA, "personal-data-by-content", "a date of birth")
    known = tuple(named for name in (*names, *_around_date_part(text, context)) for named in tables().in_field(name))
    yield from named_by("field", known)
    if not known and (about := _proves(text, names, context)):
        yield categorised(Category.CREDENTIALS, "credentials-by-field", about)
    if not any(names) and _looks_like_password(text) and _signs_in(context):
        yield categorised(Category.CREDENTIALS, "credentials-by-content", "a password")
    elif not is_search_field(context) and holds_random(text):
        yield categorised(Category.CREDENTIALS, "credentials-by-content", "a key or password")
    elif not known and _PASSWORD_SHAPE.fullmatch(text.strip()) and (variable := _variable_beside(context)):
        yield categorised(Category.CREDENTIALS, "credentials-by-field", variable)
    elif not known and _holds_password(text) and (secret := names_secret(context)):
        yield categorised(Category.CREDENTIALS, "credentials-by-field", secret)  # “Value” in “Add secret”


def next_field_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for text that goes into the field after this one, which is known only by what stands around it."""
    if secret := secret_beside(context):
        yield from named_by("field", tables().in_field(secret))
    elif signs_in(context):
        yield categorised(Category.CREDENTIALS, "credentials-by-content", "a password")


def _proves(text: str, names: tuple[str, ...], context: PolicyContext) -> str:
    """What stands around a field for a code or an answer and says that it opens an account, a device or a wallet; "" if
    nothing does."""
    if is_search_field(context) or is_multi_line(context.control):
        return ""
    around = (*names, context.title, *context.control.group, *context.nearby[:_NEAREST_PROOFS])
    near = tuple(each for each in around if 0 < len(each) <= 2 * PARAGRAPH)
    if words := next(filter(_names_whole_phrase, names), ""):
        return words
    if any(map(_names_word_of_phrase, names)) and not any(map(str.isdigit, text)):
        return next((each for each in near if _names_secret(each) or tables().has("wallets", each)), "")
    code = bool(_CODE_SHAPE.fullmatch(text.strip()))
    if code and (secret := next((each for each in near if _names_secret(each)), "")):
        return secret
    asked = any(tables().has("codes", name) for name in names)
    if asked and (sentence := answers_sign_in(context, text)):
        return sentence
    if not asked or not (code or word_count(text) <= _MOST_WORDS_OF_ANSWER):
        return ""
    proofs = (each for each in near if tables().has("proofs", each) and (code or is_question(each)))
    return next(proofs, "")


def _names_whole_phrase(name: str) -> bool:
    """Whether all words of a recovery phrase go into the field with this name."""
    found = _ALL_NUMBERS.finditer(name[:PARAGRAPH])
    return any(tables().has("phrase-words", beside) for match in found for beside in match.groups())


def _names_word_of_phrase(name: str) -> bool:
    """Whether the name is a number, perhaps beside a word for “word”, as those of the words of a recovery phrase."""
    match = _NUMBERED.fullmatch(name.strip())
    return match is not None and tables().is_made_of(("phrase-words",), " ".join(match.groups()))


def _names_secret(text: str) -> bool:
    return includes(tables().in_field(text), Category.CREDENTIALS)


def _variable_beside(context: PolicyContext) -> str:
    """The name of a variable beside the field, as programs write them, if it is that of a secret: “NPM_TOKEN”."""
    near = (text.strip() for text in context.nearby[:_NEAREST_PROOFS])
    return next((text for text in near if _VARIABLE.fullmatch(text) and _names_secret(text)), "")


def _around_date_part(text: str, context: PolicyContext) -> tuple[str, ...]:
    """What stands around a field for a day, a month or a year: it says whether it is a date of birth."""
    name = context.control.name or context.control.label
    if not _DATE_PART.search(name) or not _DATE.fullmatch(text.strip()):
        return ()
    return tuple(near for near in (*context.control.group, *context.nearby[:_AROUND_DATE]) if len(near) <= PARAGRAPH)


def _is_long_ago(text: str, context: PolicyContext) -> bool:
    """Whether a whole date of years ago goes into a field for a date: only birthdays are asked for like that."""
    name = context.control.name or context.control.label
    return bool(_DATE_PART.search(name) and _DATE_LONG_AGO.fullmatch(text.strip()))


def _looks_like_password(text: str) -> bool:
    stripped = text.strip()
    if not _PASSWORD_SHAPE.fullmatch(stripped) or _NOT_A_PASSWORD.search(stripped):
        return False
    return sum(1 for kind in _CLASSES if kind.search(stripped)) >= _STRONG


def _holds_password(text: str) -> bool:
    """Whether a text is a password, or a word in it is made as passwords are."""
    words = text[:_LONGEST_LINE].split()
    return _looks_like_password(text) or (len(words) > 1 and any(map(is_mixed, words)))


def _signs_in(context: PolicyContext) -> bool:
    said = (context.title, *context.nearby, *context.control.group)
    return any(
        includes((*tables().in_text(text), *tables().in_field(text)), Category.LOGIN, Category.CREDENTIALS)
        for text in said
    )


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
