"""Whether an action may type a secret that it names: only a whole text, into a field that is known to be one for a
password, in the place that the secret is bound to."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.actions import Action, AskOperator, Finish, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.elements import Role
from operator_console.domain.message_texts import NoticeText, listed, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.secrets_by_name import (
    NamedSecret,
    ReceivingPlace,
    binding_text,
    fits,
    names_in,
    only_secret,
    placeholder,
)
from operator_console.engine.ports import SecretPort
from operator_console.engine.turn.locate import Place
from operator_console.policy.applications import is_browser
from operator_console.policy.input_places import is_terminal_place

INSTRUCTION = (
    "The operator keeps secrets for you, which you never see. To type one, give {example} as the whole text of one "
    "call, with the field for the password focused or named by its point. Where they may be typed:\n{secrets}"
)


def told(secrets: Sequence[NamedSecret]) -> str:
    """What the model is told of the secrets; "" where there are none."""
    if not secrets:
        return ""
    lines = [f"- {placeholder(each.name)}: {_places(each)}" for each in secrets]
    return INSTRUCTION.format(example=placeholder(secrets[0].name), secrets="\n".join(lines))


def secret_of(action: Action) -> str:
    """The name of the secret that an action types; "" for none."""
    return only_secret(action.text) if isinstance(action, TypeText) else ""


async def refusal(action: Action, place: Place, port: SecretPort | None) -> NoticeText | None:
    """Why the secrets that an action names cannot be typed; None where it names none, or may type it."""
    if isinstance(action, AskOperator | Finish) or not names_in(canonical(action).decode()):
        return None
    known = () if port is None else port.secrets
    name = secret_of(action)
    if not name:
        return notice(NoticeCode.SECRET_ONLY_TYPED)
    secret = next((each for each in known if each.name == name), None)
    if secret is None or port is None:
        names = listed([each.name for each in known]) or notice(NoticeCode.SECRETS_NONE)
        return notice(NoticeCode.SECRET_UNKNOWN, name=name, known=names)
    if place.hit is None or not any(fits(binding, _receiving(place)) for binding in secret.bound_to):
        return notice(NoticeCode.SECRET_NOT_BOUND_HERE, name=name, places=_places(secret))
    if not await _is_for_passwords(place, port):
        return notice(NoticeCode.SECRET_FIELD_NOT_KNOWN, name=name)
    return None


async def _is_for_passwords(place: Place, port: SecretPort) -> bool:
    if place.context.control.role is Role.PASSWORD_FIELD:
        return place.context.focus_told
    pid = None if place.window is None else place.window.pid
    return is_terminal_place(place.context) and pid is not None and await port.asks_silently(pid)


def _receiving(place: Place) -> ReceivingPlace:
    context, window = place.context, place.window
    return ReceivingPlace(
        url=context.control.url, app=context.app, title="" if window is None else window.title,
        browser=is_browser(context.app) or bool(context.control.url),
    )  # fmt: skip


def _places(secret: NamedSecret) -> str:
    return listed([binding_text(binding) for binding in secret.bound_to])
