"""What is known of a model by its name."""

from __future__ import annotations

from typing import get_args

import pytest
from anthropic.types.model import Model

from operator_console.providers.anthropic import SPEC
from operator_console.providers.anthropic.model_traits import ComputerTool, traits_of
from tests.servers.anthropic_rules import MODELS


@pytest.mark.parametrize(
    ("model", "tool", "edge", "adaptive", "bound"),
    [
        ("claude-opus-5-5", "computer_toolset_20260801", 2576, True, True),
        ("claude-fable-5-1", "computer_toolset_20260801", 2576, True, True),
        ("claude-fable-5", "computer_toolset_20260801", 2576, True, False),
        ("claude-sonnet-5", "computer_toolset_20260801", 2576, True, False),
        ("claude-opus-4-8", "computer_toolset_20260801", 2576, True, False),
        ("claude-opus-4-7", "computer_20251124", 2576, True, False),
        ("claude-sonnet-4-6", "computer_20251124", 1568, True, False),
        ("claude-opus-4-5-20251101", "computer_20251124", 1568, False, False),
        ("claude-haiku-4-5-20251001", "computer_20250124", 1568, False, False),
        ("claude-sonnet-4-5", "computer_20250124", 1568, False, False),
        ("claude-opus-4-20250514", "computer_20250124", 1568, False, False),
        ("claude-3-7-sonnet-20250219", "computer_20250124", 1568, False, False),
        ("claude-opus-6", "computer_toolset_20260801", 2576, True, True),
        ("something-else", "computer_toolset_20260801", 2576, True, True),
    ],
)
def test_traits(model: str, tool: str, edge: int, adaptive: bool, bound: bool) -> None:
    traits = traits_of(model)
    assert (traits.tool, traits.image_needs.long_edge) == (ComputerTool(tool), edge)
    assert (traits.adaptive_thinking, traits.bound_thinking) == (adaptive, bound)


def test_the_models_offered_are_known_to_the_sdk_and_to_the_test_server() -> None:
    known = {name for part in get_args(Model) for name in get_args(part)}
    assert set(SPEC.models) <= known
    assert set(SPEC.models) <= set(MODELS)
    assert all(traits_of(model).tool.value in MODELS[model].tools for model in SPEC.models)
