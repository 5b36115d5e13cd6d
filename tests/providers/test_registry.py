"""Finding providers by name or model, and incomplete specs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from operator_console.domain.errors import OperatorError
from operator_console.domain.proposals import Provider
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.registry import BUILT_IN, create, find, resolve
from operator_console.providers.spec import Ingredients, ProviderSpec


@pytest.mark.parametrize(
    ("provider", "model", "found"),
    [
        ("", "", ("gemini", "gemini-3.8-flash")),
        ("gemini", "", ("gemini", "gemini-3.8-flash")),
        ("", "gemini-3.5-flash-lite", ("gemini", "gemini-3.5-flash-lite")),
        ("anthropic", "", ("anthropic", "claude-opus-5-5")),
        ("", "claude-sonnet-5-5", ("anthropic", "claude-sonnet-5-5")),
        ("openai", "", ("openai", "gpt-5.6-sol")),
        ("", "gpt-5.5", ("openai", "gpt-5.5")),
        ("", "computer-use-preview", ("openai", "computer-use-preview")),
        ("", "models/gemini-3.5-flash", ("gemini", "models/gemini-3.5-flash")),
        ("gemini", "my-tuned-one", ("gemini", "my-tuned-one")),
        ("", "ByteDance-Seed/UI-TARS-1.5-7B", ("ui_tars", "ByteDance-Seed/UI-TARS-1.5-7B")),
        ("", "doubao-1-5-ui-tars-250428", ("ui_tars", "doubao-1-5-ui-tars-250428")),
        ("cogagent", "", ("cogagent", "THUDM/cogagent-9b-20241220")),
        ("", "cogagent-9b-20241220", ("cogagent", "cogagent-9b-20241220")),
        ("qwen", "", ("qwen", "Qwen/Qwen3-VL-8B-Instruct")),
        ("", "qwen2.5vl:7b", ("qwen", "qwen2.5vl:7b")),
        ("runbook", "", ("runbook", "")),
        ("", "demo.json", ("scripted", "demo.json")),
        ("scripted", "demo.txt", ("scripted", "demo.txt")),
        ("structured", "claude-opus-5-5", ("structured", "claude-opus-5-5")),
    ],
)
def test_what_is_meant(provider: str, model: str, found: tuple[str, str]) -> None:
    info, chosen = resolve(provider, model)
    assert (info.name, chosen) == found


@pytest.mark.parametrize(
    ("provider", "model", "exit_code"),
    [
        ("nobody", "", 2),
        ("", "mystery-7", 2),
        ("scripted", "", 2),
    ],
)
def test_what_is_refused(provider: str, model: str, exit_code: int) -> None:
    with pytest.raises(OperatorError) as caught:
        resolve(provider, model)
    assert caught.value.exit_code == exit_code
    assert caught.value.remedy


def test_every_contracted_name_is_there() -> None:
    assert sorted(spec.name for spec in BUILT_IN) == [
        "anthropic", "cogagent", "gemini", "openai", "qwen", "runbook", "scripted", "structured", "ui_tars",
    ]  # fmt: skip
    assert find("gemini").sends_to
    assert not find("runbook").sends_to


def test_it_makes_providers_of_the_right_shape(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("[]", encoding="utf-8")
    scripted: Provider = create("", str(script), Ingredients())
    gemini: Provider = create("", "", Ingredients(api_key="k", options=GeminiOptions(keep_screenshots=2)))
    assert (scripted.name, gemini.name, gemini.model) == ("scripted", "gemini", "gemini-3.8-flash")
    assert gemini.image_needs.mime_type == "image/png"


@pytest.mark.parametrize("spec", BUILT_IN, ids=lambda spec: spec.name)
def test_what_a_spec_names_is_there(spec: ProviderSpec) -> None:
    assert issubclass(spec.options(), BaseModel)
    spec.preload()


def test_no_key_is_refused_before_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OperatorError, match="no key") as caught:
        create("gemini", "", Ingredients())
    assert caught.value.exit_code == 5
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    assert create("gemini", "", Ingredients()).name == "gemini"


def test_options_of_another_provider_are_no_options() -> None:
    class Other(BaseModel):
        pass

    with pytest.raises(TypeError):
        create("gemini", "", Ingredients(api_key="k", options=Other()))


@pytest.mark.parametrize(
    "bad",
    [{"disabled_safety_policies": ("ODD",)}, {"thinking_level": "ODD"}, {"keep_screenshots": 0}, {"keep_turns": 1}],
)
def test_options_that_cannot_be(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        GeminiOptions(**bad)


def _load(model: str, ingredients: Ingredients) -> Provider:
    raise AssertionError


WHOLE: dict[str, Any] = {"name": "acme", "title": "Acme", "load": _load}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "Acme"}, "name"),
        ({"title": " "}, "title"),
        ({"load": None}, "load"),
        ({"options": None}, "options"),
        ({"key_env": ("ACME_API_KEY",)}, "sends_to"),
        ({"models": ("a",), "default_model": "b"}, "default model"),
        ({"model_is": "a file", "default_model": "b"}, "no known models"),
        ({"model_pattern": "("}, "regular expression"),
    ],
)
def test_an_incomplete_spec_is_refused(change: dict[str, Any], said: str) -> None:
    ProviderSpec(**WHOLE)
    with pytest.raises(ValueError, match=said):
        ProviderSpec(**{**WHOLE, **change})


def test_looking_at_the_registry_imports_no_sdk() -> None:
    code = (
        "import sys; from operator_console.providers import registry; registry.resolve(); registry.specs();"
        "print(sorted(m for m in ('google.genai', 'pydantic', 'httpx2', 'PIL') if m in sys.modules))"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert made.stdout.strip() == "[]"
