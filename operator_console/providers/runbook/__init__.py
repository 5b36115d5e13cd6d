"""Runs steps written as plain text, without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.runbook.provider import RunbookProvider


def _load(model: str, ingredients: Ingredients) -> RunbookProvider:
    from operator_console.providers.runbook.provider import RunbookProvider

    if ingredients.reader is None:
        raise ValueError("the runbook provider needs a ScreenReader")
    return RunbookProvider(ingredients.reader, ingredients.elements)


def _check_task(task: str) -> None:
    from operator_console.providers.runbook.language import load, parse

    parse(load(task))


SPEC = ProviderSpec(
    name="runbook",
    title="Runbook: plain text steps, no model",
    choice="Runbook: written steps, no AI",
    model_pattern=r"runbook$",
    needs_reader=True,
    load=_load,
    check_task=_check_task,
)
