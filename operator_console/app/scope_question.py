"""Asks a model which applications, sites and kinds of effect a task needs, before anything of the screen is shown.

The model is told the task and nothing else, so that no page can have a say. What it names is no permission: it is shown
in the set-up, where the operator edits it, and what a session then meets besides is asked about. The idea of planning
before anything untrusted is read is that of arXiv 2601.09923, here as a fence instead of a script.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import pydantic

from operator_console.domain.errors import OperatorError, ProviderMalformed, ProviderTransient
from operator_console.domain.frames import TargetKind
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import AnswersPrompts
from operator_console.domain.risk import Category
from operator_console.domain.scope import Scope, SuggestedScope
from operator_console.providers import registry
from operator_console.providers.shared import answers
from operator_console.providers.spec import Ingredients
from operator_console.resource_files import resource_path
from operator_console.settings.model import check_site
from operator_console.tools.installed_applications import Applications, NoSuchApplication

_MEANINGS = {
    Category.SEND: "sends mail, a message or a form to somebody",
    Category.POST: "publishes something, comments, shares",
    Category.DELETE: "deletes something",
    Category.TERMINAL: "runs command lines",
    Category.INSTALL: "installs or removes programs",
    Category.DOWNLOAD_RUN: "starts a downloaded program",
    Category.UPLOAD: "uploads files",
    Category.LOGIN: "signs in",
    Category.PERSONAL_DATA: "types identity, health or bank numbers",
    Category.SYSTEM: "changes settings of the system, power or users",
    Category.PAY: "pays, orders, books, transfers money",
    Category.CREDENTIALS: "fills in a password, a key or a code",
    Category.SECURITY: "changes permissions, keys or protection",
    Category.LEGAL: "agrees to terms or gives consent",
}
"""For the model. What is not known is no kind of effect that it could name."""

_ON_THIS_COMPUTER = frozenset((TargetKind.MONITOR, TargetKind.WINDOW, TargetKind.VIRTUAL))
_MOST_NAMED = 40
_LONGEST_NAME = 120

_Names = Annotated[
    list[Annotated[str, pydantic.Field(max_length=_LONGEST_NAME)]], pydantic.Field(max_length=_MOST_NAMED)
]
FindApplication = Callable[[str], str]
"""Gives the name that windows of an application have, by its name for people; "" if it is not installed."""


class _Named(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", strict=True)

    applications: _Names
    sites: _Names
    effects: _Names


async def suggest_scope(
    provider: str, model: str, ingredients: Ingredients, task: str, target: TargetKind
) -> SuggestedScope:
    """Ask the model. Cancelling ends the request.

    Raises:
        ProviderError: There is no usable answer.
        OperatorError: Nothing can be sent, or the model answers in actions alone.
    """
    made = await asyncio.to_thread(registry.create, provider, model, ingredients)
    try:
        if not isinstance(made, AnswersPrompts):
            raise OperatorError(notice(NoticeCode.MODEL_KNOWS_ACTIONS_ALONE))
        said = await made.answer(await asyncio.to_thread(question, task))
        return await asyncio.to_thread(read_scope, said, target, window_name)
    except (ProviderMalformed, ProviderTransient) as error:
        error.remedy = notice(NoticeCode.ASK_AGAIN_OR_NAME_SCOPE)  # a session would repeat the request
        raise
    finally:
        await made.close()


def question(task: str) -> str:
    """What the model is asked."""
    effects = "\n".join(f"- {category.value}: {meaning}" for category, meaning in _MEANINGS.items())
    text = resource_path("prompts", "scope.md").read_text("utf-8")
    return text.replace("{effects}", effects).replace("{task}", task).strip()


def read_scope(said: str, target: TargetKind, find: FindApplication) -> SuggestedScope:
    """What an answer names. Entries that are no host, no installed application or no kind of effect are dropped.

    On a target of another computer applications are taken as they are named; for a browser of the console's own none
    is, because it is the only one there.

    Raises:
        ProviderMalformed: It is not of the form that was asked for.
    """
    try:
        named = _Named.model_validate(answers.strict_json(answers.json_text(said)))
    except (ValueError, RecursionError) as error:
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), said.strip()[:300]) from error
    apps = {name: find(name) if target in _ON_THIS_COMPUTER else _words(name) for name in named.applications}
    if target is TargetKind.BROWSER:
        apps = {}
    sites = {name: _host(name) for name in named.sites}
    effects = {name: _effect(name) for name in named.effects}
    found = [*apps.items(), *sites.items(), *effects.items()]
    return SuggestedScope(
        apps=_each(apps.values()), sites=_each(sites.values()),
        effects=tuple(dict.fromkeys(effect for effect in effects.values() if effect is not None)),
        dropped=_each(name for name, kept in found if not kept),
    )  # fmt: skip


def window_name(name: str) -> str:
    """As `FindApplication`, by the desktop entries of the system and the programs on PATH. Blocks."""
    environment = {each: os.environ[each] for each in ("PATH", "XDG_DATA_DIRS") if each in os.environ}
    installed = Applications(environment)
    # "Firefox" for "Firefox ESR": by whole words, as the scope is compared with names of windows.
    longer = (each for each in installed.names() if Scope(apps=(name,)).has_app(each))
    for wanted in (name, *longer):
        try:
            found = installed.find(wanted)
        except NoSuchApplication:
            continue
        return found.window_class or (found.name if found.terminal else Path(found.words[0]).name)
    return ""


def _words(name: str) -> str:
    """The name, with nothing that the field of applications reads otherwise."""
    return " ".join(name.replace(",", " ").split())


def _host(name: str) -> str:
    """The host, as the field of sites takes it; "" for what is none, or would be every host of a kind ("*.com")."""
    host = name.strip().casefold().rstrip(".")
    try:
        check_site(host)
    except ValueError:
        return ""
    return host if "." in host.removeprefix("*.") and "," not in host else ""


def _effect(name: str) -> Category | None:
    try:
        effect = Category(name.strip().casefold())
    except ValueError:
        return None
    return effect if effect in _MEANINGS else None


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))
