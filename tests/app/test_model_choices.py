"""The list of models in the window."""

from __future__ import annotations

from operator_console.app.model_choices import model_choices
from operator_console.providers import registry
from operator_console.settings.model import Settings


def test_a_model_is_called_as_its_service_calls_it() -> None:
    titles = [choice.title for choice in model_choices(Settings(), registry.find("openai"))]
    assert titles[0] == "gpt-5.6-sol"
    assert "gpt-5.6-sol (" in [each.title for each in model_choices(Settings(), registry.find("structured"))][-1]
