"""Texts that know the notices they render: English in a record and for a model, in the reader's language when shown."""

from __future__ import annotations

import dataclasses
import functools
import gettext
import math
import string
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from operator_console.domain.codec import CodecError, decode, encode
from operator_console.domain.hotkeys import chord_words
from operator_console.domain.notices import Notice, NoticeCode, NoticeValue
from operator_console.domain.redaction import without_secrets
from operator_console.domain.translations import ENGLISH, current

Owner = TypeVar("Owner")


class NoticeText(str):
    """A text with the notices that it renders. Equal to the plain string; anything made from it by string operations
    is a plain string, so texts are combined with `joined` only."""

    __slots__ = ("notices",)

    notices: tuple[Notice, ...]

    def __new__(cls, text: str = "", notices: tuple[Notice, ...] = ()) -> NoticeText:
        made = super().__new__(cls, text)
        made.notices = notices
        return made


def notice(code: NoticeCode, /, **values: str | float) -> NoticeText:
    """A sentence of ours. A value that is itself a NoticeText is kept as its notices."""
    kept: dict[str, NoticeValue] = {
        name: value.notices if isinstance(value, NoticeText) and value.notices else value
        for name, value in values.items()
    }
    notices = (Notice(code=code, values=kept),)
    return NoticeText(render(notices), notices)


def joined(*texts: str) -> NoticeText:
    """The texts one after the other, without the empty ones; a plain string among them is text by others.

    Where a sentence of this program follows text by others, that ends in a full stop.
    """
    parts = [
        part
        for text in texts
        if text
        for part in (notices_of(text) or (Notice(code=NoticeCode.VERBATIM, values={"text": str(text)}),))
    ]
    notices = tuple(map(_ended, parts, (*parts[1:], None)))
    return NoticeText(render(notices), notices)


def _ended(part: Notice, after: Notice | None) -> Notice:
    """A part, with a full stop where it is text by others that has none and a sentence follows."""
    text = str(part.values.get("text", ""))
    if part.code != NoticeCode.VERBATIM or after is None or after.code == NoticeCode.VERBATIM:
        return part
    return Notice(code=part.code, values={"text": f"{text}."}) if text[-1:].isalnum() else part


def listed(texts: Sequence[str]) -> str:
    """The texts as an enumeration; "" for none."""
    return _chained(NoticeCode.LISTED, texts)


def lines(texts: Sequence[str]) -> str:
    """The texts on lines of their own; "" for none."""
    return _chained(NoticeCode.LINES, texts)


def _chained(code: NoticeCode, texts: Sequence[str]) -> str:
    whole = texts[0] if texts else ""
    for text in texts[1:]:
        whole = notice(code, first=whole, second=text)
    return whole


def trimmed(text: str) -> str:
    """Text by others without the white space around it; a text with notices as it is."""
    return text if notices_of(text) else text.strip()


def without_secrets_in(text: str) -> str:
    """The text, or the values of its notices, without the secrets that are known."""
    if without_secrets(text) == text:
        return text
    notices = tuple(map(_without_secrets, notices_of(text)))
    return NoticeText(render(notices), notices) if notices else without_secrets(text)


def _without_secrets(each: Notice) -> Notice:
    values: dict[str, NoticeValue] = {}
    for name, value in each.values.items():
        if isinstance(value, tuple):
            values[name] = tuple(map(_without_secrets, value))
        else:
            values[name] = without_secrets(value) if isinstance(value, str) else value
    return Notice(code=each.code, values=values)


def notices_of(text: str) -> tuple[Notice, ...]:
    """The notices of a text; none for a plain string, which is text by others."""
    return text.notices if isinstance(text, NoticeText) else ()


def worded(text: str) -> str:
    """The text in the language of this process, from its notices; the text itself where it has none, or where a newer
    version wrote them."""
    try:
        return render(notices_of(text), current()) or str(text)
    except (LookupError, ValueError, TypeError):
        return str(text)


def render(notices: tuple[Notice, ...], translations: gettext.NullTranslations = ENGLISH) -> str:
    """The sentences of these notices, in order.

    Raises:
        LookupError, ValueError, TypeError: an unknown code, or values that do not fit it.
    """
    return " ".join(_one(each, translations) for each in notices)


def _one(each: Notice, translations: gettext.NullTranslations) -> str:
    words = NoticeCode(each.code).words
    values = {
        name: render(value, translations) if isinstance(value, tuple) else value for name, value in each.values.items()
    }
    if words.many:
        template = translations.ngettext(words.one, words.many, _plural_number(each.values[words.by]))
    else:
        template = translations.gettext(words.one)
    return _TEMPLATES.vformat(template, (), values)


class _Templates(string.Formatter):
    """The formatting of `str.format`, with one more format: `{keys:chord}` is a hotkey, recorded in the notation of the
    settings file, as people write it."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return chord_words(str(value)) if format_spec == "chord" else str(super().format_field(value, format_spec))


_TEMPLATES = _Templates()


def _plural_number(value: NoticeValue) -> int:
    """The number that chooses a plural form, which must be whole; a fraction is counted like the number above it, but
    like 2 at least ("0.5 minutes")."""
    if not isinstance(value, int | float):
        raise TypeError("a plural needs a number")
    return int(value) if value == int(value) else max(2, math.ceil(value))


def keep_notices(owner: object, *names: str) -> None:
    """Make the text fields `names` of a frozen dataclass and their fields `..._notices` agree; for `__post_init__`.

    A NoticeText fills the field of its notices. A plain string with notices, as decoded, becomes a NoticeText; where a
    copy gets another text, it must be a NoticeText too, or the notices must be emptied.
    """
    for name in names:
        text, notices = getattr(owner, name), getattr(owner, f"{name}_notices")
        if isinstance(text, NoticeText):
            object.__setattr__(owner, f"{name}_notices", text.notices)
        elif notices:
            object.__setattr__(owner, name, NoticeText(text, notices))


def with_words(owner: Owner) -> Owner:
    """For display: the dataclass, and those inside it, with its texts in the language of this process.

    Texts without notices, as in files of older versions, stay.
    """
    changes: dict[str, Any] = {}
    kind: type = type(owner)
    for name in _texts_with_notices(kind):
        text = getattr(owner, name)
        if notices_of(text) and (words := worded(text)) != text:
            changes[name] = NoticeText(words, notices_of(text))
    for name in _parts_with_notices(kind):
        part = getattr(owner, name)
        if (new := _part_with_words(part)) is not part:
            changes[name] = new
    return dataclasses.replace(owner, **changes) if changes else owner  # type: ignore[type-var]


def _part_with_words(part: Any) -> Any:
    if isinstance(part, tuple):
        made = tuple(_part_with_words(each) for each in part)
        return made if any(new is not old for new, old in zip(made, part, strict=True)) else part
    return with_words(part) if dataclasses.is_dataclass(part) else part


@functools.cache
def _texts_with_notices(kind: type) -> tuple[str, ...]:
    names = {field.name for field in dataclasses.fields(kind)}
    return tuple(sorted(name for name in names if f"{name}_notices" in names))


@functools.cache
def _parts_with_notices(kind: type) -> tuple[str, ...]:
    """The fields whose values may contain dataclasses with such texts; found from the types, because most have none."""
    hints = typing.get_type_hints(kind)
    return tuple(name for name in hints if not name.endswith("_notices") and _may_contain_texts(hints[name]))


def _may_contain_texts(hint: Any) -> bool:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return bool(_texts_with_notices(hint) or _parts_with_notices(hint))
    return any(_may_contain_texts(each) for each in typing.get_args(hint))


def to_wire(name: str, text: str) -> dict[str, Any]:
    """A text and its notices as two members of a JSON message: `name` and `name_notices`."""
    return {name: str(text), f"{name}_notices": encode(notices_of(text))}


def from_wire(message: Mapping[str, Any], name: str) -> str:
    """The text of a JSON message made with `to_wire`; "" where it has none, plain where its notices cannot be read."""
    text = str(message.get(name, ""))
    try:
        notices: tuple[Notice, ...] = decode(tuple[Notice, ...], message.get(f"{name}_notices", []))
    except CodecError:
        return text
    return NoticeText(text, notices) if notices else text
