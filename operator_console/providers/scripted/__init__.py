"""Turns from a JSON file, for tests and demonstrations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.providers.spec import Ingredients, ProviderSpec

if TYPE_CHECKING:
    from operator_console.providers.scripted.provider import ScriptedProvider


def _load(model: str, ingredients: Ingredients) -> ScriptedProvider:
    from operator_console.providers.scripted.provider import ScriptedProvider

    return ScriptedProvider.from_file(Path(model))


SPEC = ProviderSpec(
    name="scripted",
    title="Scripted: prepared turns from a JSON file",
    model_pattern=r".*\.json$",
    model_is="the path of a JSON file",
    load=_load,
)
