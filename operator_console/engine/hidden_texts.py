"""Keeps passwords out of the record: what was typed into a password field is replaced in all that is recorded from then
on, and in what is shown of it.

A text of six characters or more is replaced wherever it stands, also escaped, as answers of models have it. A shorter
one could be a part of any word, so it is replaced only where it stands alone; one of three or fewer only where it is
the whole text. Names, ids and digests stay.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from operator_console.domain.actions import Action, TypeText, target_point
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import NoticeText, render
from operator_console.domain.proposals import Proposal
from operator_console.domain.redaction import HIDDEN, hide
from operator_console.domain.secrets_by_name import names_in
from operator_console.engine.action_wording import shortened
from operator_console.engine.targeting import is_keyboard

T = TypeVar("T")

_LEAST_ANYWHERE, _LEAST_ALONE = 6, 4
_KEPT = frozenset((
    "kind", "code", "role", "rule", "type", "status", "digest", "picture", "raw", "told", "frame_id", "grant_id",
    "question_id", "element_id", "id", "call_id", "tool_call_id", "tool_use_id", "name", "mime_type", "keys", "key",
    "thoughtSignature", "thought_signature", "signature", "encrypted_content",
))  # fmt: skip
"""Fields that name something, or that are sealed by a service."""
_OF_PASSWORDS = frozenset(("password-field", "credentials-by-field"))
"""Rules of policy that know a field for passwords by its role or by its name."""
_BESIDE_PX = 8
"""Native pixels: a click so near to a field may be one on its border."""


class HiddenTexts:
    """The texts of one session that are not recorded."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._anywhere: re.Pattern[str] | None = None

    def add(self, text: str) -> None:
        """Hide a text from now on, and each of its lines and what is between tabs in it; not the name of a secret."""
        parts = {part for part in (text, *re.split(r"[\t\r\n]", text)) if not names_in(part)}
        new = {part for each in parts for part in (each, each.strip()) if part.strip() and part != HIDDEN}
        if new <= self._texts:
            return
        self._texts |= new
        for part in parts:
            hide(part)
        forms = sorted({form for each in self._texts for form in _patterns(each)}, key=len, reverse=True)
        self._anywhere = re.compile("|".join(forms)) if forms else None

    def without(self, text: str) -> str:
        """The text with `HIDDEN` in place of what is hidden."""
        if text.strip() in self._texts:
            return HIDDEN
        return text if self._anywhere is None else self._anywhere.sub(HIDDEN, text)

    def without_in(self, value: T) -> T:
        """The same of all texts in a dataclass, and in the tuples, mappings and dataclasses in it."""
        return self._walked(value) if self._texts else value

    def without_in_json(self, data: bytes) -> bytes:
        """The same of all texts in JSON, or of the whole text where it is none."""
        if not self._texts:
            return data
        try:
            read = json.loads(data)
        except ValueError:
            return self.without(data.decode("utf-8", "replace")).encode()
        without = self._walked(read)
        return data if without == read else json.dumps(without, ensure_ascii=False).encode()

    def _in_text(self, text: str) -> str:
        """As `without`; of JSON in a text, such as the arguments of a call, each text in it."""
        if text.startswith("{"):
            with contextlib.suppress(ValueError):
                read = json.loads(text)
                without = self._walked(read)
                return text if without == read else json.dumps(without, ensure_ascii=False)
        return self.without(text)

    def _walked(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return self._in_text(value)
        if kind is NoticeText:
            notices = self._walked(value.notices)
            return value if notices == value.notices else NoticeText(render(notices), notices)
        if isinstance(value, tuple | list):
            made = kind(map(self._walked, value))
            return value if made == value else made
        if isinstance(value, Mapping):
            return {key: each if key in _KEPT else self._walked(each) for key, each in value.items()}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changes = {
                field.name: new
                for field in dataclasses.fields(value)
                if field.name not in _KEPT and (new := self._walked(old := getattr(value, field.name))) != old
            }
            return dataclasses.replace(value, **changes) if changes else value
        return value


def as_meant(action: Action, original: Action) -> Action:
    """An operator's edit of an action whose text was hidden: the text is the original one where it was not changed."""
    if isinstance(action, TypeText) and isinstance(original, TypeText) and action.text == HIDDEN:
        return dataclasses.replace(action, text=original.text)
    return action


def is_password(action: Action, assessment: Assessment) -> bool:
    """Whether a text is typed into what is known as a password field by its role, or by its name."""
    if not isinstance(action, TypeText):
        return False
    control = assessment.control
    by_role = control is not None and control.role is Role.PASSWORD_FIELD
    return by_role or any(finding.rule in _OF_PASSWORDS for finding in assessment.findings)


def passwords_of(proposal: Proposal, fields: tuple[Rect, ...], *, focused: bool | None) -> tuple[str, ...]:
    """The texts of a turn that are, or may be, typed into one of the password fields on its picture.

    Where that cannot be told before the turn is carried out, a text counts as a password.

    Args:
        proposal: the turn.
        fields: the password fields that are shown, native pixels.
        focused: whether one of them has the keyboard focus; None: not known.
    """
    found: list[str] = []
    if not fields:
        return ()
    in_field = focused
    for call in proposal.calls:
        action = call.action
        if action is None:
            continue
        at = target_point(action)
        if at is not None:
            in_field = any(_near(field, at) for field in fields)
        if isinstance(action, TypeText):
            if in_field is not False or "\t" in action.text:
                found.append(action.text)
            if "\t" in action.text or action.submit:
                in_field = None
        elif is_keyboard(action):
            in_field = None
    return tuple(found)


def _near(field: Rect, at: NativePoint) -> bool:
    return field.distance(Rect(at.x, at.y, 1, 1)) <= _BESIDE_PX


@functools.cache
def _patterns(text: str) -> tuple[str, ...]:
    """Regular expressions of the forms in which a text may stand in another one."""
    if len(text) < _LEAST_ALONE:
        return ()
    forms = {text, shortened(text), shortened(text, 60), shortened(text, 80), repr(text)[1:-1]}
    for _ in range(2):  # JSON in JSON
        forms |= {json.dumps(form, ensure_ascii=plain)[1:-1] for form in forms for plain in (True, False)}
    if len(text) >= _LEAST_ANYWHERE:
        return tuple(map(re.escape, forms))
    return tuple(rf"(?<!\w){re.escape(form)}(?!\w)" for form in forms)
