"""The vendors' models through clouds: a loopback server checks path, headers, signature or token of each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from operator_console.app.model_check import check_model
from operator_console.domain.errors import ConsoleError
from operator_console.domain.message_texts import worded
from operator_console.providers import registry
from operator_console.providers.anthropic.options import AnthropicOptions
from operator_console.providers.anthropic.options import Cloud as AnthropicCloud
from operator_console.providers.gemini.options import Cloud as GeminiCloud
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.openai.options import Cloud as OpenAICloud
from operator_console.providers.openai.options import OpenAIOptions
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.cloud_front import AWS_REGION, BEARER, PROJECT, REGION, CloudFront
from tests.servers.gemini_server import GeminiServer
from tests.servers.openai_server import OpenAIServer
from tests.servers.scripted_server import ScriptedServer

CLAUDE = ({"calls": [{"action": "left_click", "input": {"coordinate": [320, 200]}}]}, {"text": "Done."})
OPENAI = (
    {"calls": [{"actions": [{"type": "click", "button": "left", "x": 320, "y": 200}]}]},
    {"text": "Done."},
)
GEMINI = ({"calls": [{"name": "click", "args": {"x": 500, "y": 500, "intent": "Click"}}]}, {"text": "Done."})


@asynccontextmanager
async def cloud(behind: ScriptedServer) -> AsyncIterator[CloudFront]:
    async with behind, CloudFront(behind) as front:
        yield front


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of the person who runs the tests, and no host of a cloud to ask."""
    for name in (
        "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "CLOUD_ML_REGION", "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION",
        "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "OPENROUTER_API_KEY",
        "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")


class Host:
    """Sets up what a host of the cloud has."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self._patch, self.folder = patch, folder

    def has(self, environment: Mapping[str, str]) -> None:
        for name, value in environment.items():
            self._patch.setenv(name, value)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Host:
    return Host(monkeypatch, tmp_path)


async def checked(
    provider: str, model: str, options: BaseModel, base_url: str, *, api_key: str | None = None
) -> CheckOutcome:
    report = await check_model(provider, model, Ingredients(api_key=api_key, base_url=base_url, options=options))
    return report.outcome


async def failed(provider: str, model: str, options: BaseModel, base_url: str | None) -> ConsoleError:
    with pytest.raises(ConsoleError) as caught:
        await check_model(provider, model, Ingredients(base_url=base_url, options=options))
    return caught.value


async def test_claude_on_vertex_with_a_service_account(host: Host) -> None:
    async with cloud(AnthropicServer(CLAUDE)) as front:
        host.has(front.google_credentials(host.folder))
        options = AnthropicOptions(cloud=AnthropicCloud.VERTEX, region=REGION)

        outcome = await checked("anthropic", "claude-opus-5-5", options, f"{front.url}/claude/v1")

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])
    place = f"/claude/v1/projects/{PROJECT}/locations/{REGION}/publishers/anthropic/models"
    assert front.asked == [f"{place}/claude-opus-5-5:rawPredict"] * 2
    assert front.tokens_given == 1


async def test_gemini_on_vertex_with_a_service_account(host: Host) -> None:
    async with cloud(GeminiServer(GEMINI)) as front:
        host.has(front.google_credentials(host.folder))
        options = GeminiOptions(cloud=GeminiCloud.VERTEX, region=REGION)

        outcome = await checked("gemini", "gemini-3.5-flash", options, front.url)

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])
    place = f"/v1beta1/projects/{PROJECT}/locations/{REGION}/publishers/google/models"
    assert front.asked == [f"{place}/gemini-3.5-flash:generateContent"] * 2
    assert front.tokens_given == 1


async def test_claude_on_bedrock_with_a_profile_of_the_aws_configuration(host: Host) -> None:
    async with cloud(AnthropicServer(CLAUDE)) as front:
        host.has(front.aws_credentials(host.folder))
        options = AnthropicOptions(cloud=AnthropicCloud.BEDROCK, aws_profile="console")

        outcome = await checked("anthropic", "eu.anthropic.claude-opus-5-5-v1:0", options, front.url)

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])
    assert front.asked == ["/model/eu.anthropic.claude-opus-5-5-v1:0/invoke"] * 2


async def test_claude_on_bedrock_with_a_key(host: Host) -> None:
    async with cloud(AnthropicServer(CLAUDE)) as front:
        host.has({"AWS_BEARER_TOKEN_BEDROCK": BEARER, "ANTHROPIC_API_KEY": "sk-of-the-vendor"})
        options = AnthropicOptions(cloud=AnthropicCloud.BEDROCK, region=AWS_REGION)

        outcome = await checked("anthropic", "anthropic.claude-haiku-4-5-20251001-v1:0", options, front.url)

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])


async def test_openai_on_azure_with_a_managed_identity(host: Host) -> None:
    async with cloud(OpenAIServer(OPENAI)) as front:
        host.has({**front.azure_identity(), "OPENAI_API_KEY": "sk-of-the-vendor"})
        options = OpenAIOptions(cloud=OpenAICloud.AZURE)

        outcome = await checked("openai", "gpt-5.5", options, front.url)

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])
    assert front.asked == ["/openai/v1/responses"] * 2
    assert front.tokens_given == 1


@pytest.mark.parametrize("address", ["", "/", "/openai", "/openai/v1", "/openai/v1/"])
async def test_openai_on_azure_with_a_key_at_any_form_of_the_address(host: Host, address: str) -> None:
    async with cloud(OpenAIServer(OPENAI)) as front:
        host.has({"AZURE_OPENAI_API_KEY": BEARER})
        options = OpenAIOptions(cloud=OpenAICloud.AZURE)

        outcome = await checked("openai", "gpt-5.5", options, f"{front.url}{address}")

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])


@pytest.mark.parametrize(
    ("provider", "server", "model", "options", "path"),
    [
        (
            "anthropic",
            lambda: AnthropicServer(CLAUDE),
            "anthropic/claude-opus-5-5",
            AnthropicOptions(cloud=AnthropicCloud.OPENROUTER),
            "/api",
        ),
        (
            "openai",
            lambda: OpenAIServer(OPENAI),
            "openai/gpt-5.5",
            OpenAIOptions(cloud=OpenAICloud.OPENROUTER),
            "/api/v1",
        ),
    ],
)
async def test_openrouter_with_its_own_key(
    host: Host, provider: str, server: Callable[[], ScriptedServer], model: str, options: BaseModel, path: str
) -> None:
    async with cloud(server()) as front:
        host.has({"OPENROUTER_API_KEY": BEARER, "ANTHROPIC_API_KEY": "sk-vendor", "OPENAI_API_KEY": "sk-vendor"})

        outcome = await checked(provider, model, options, f"{front.url}{path}")

    assert (outcome, front.refused) == (CheckOutcome.WORKS, [])


@pytest.mark.parametrize(
    ("provider", "model", "options", "says"),
    [
        ("anthropic", "claude-opus-5-5", AnthropicOptions(cloud=AnthropicCloud.VERTEX), "gcloud auth"),
        ("gemini", "gemini-3.5-flash", GeminiOptions(cloud=GeminiCloud.VERTEX), "gcloud auth"),
        (
            "anthropic",
            "claude-opus-5-5",
            AnthropicOptions(cloud=AnthropicCloud.BEDROCK, region=AWS_REGION),
            "aws configure",
        ),
        ("anthropic", "claude-opus-5-5", AnthropicOptions(cloud=AnthropicCloud.BEDROCK), "region"),
        (
            "anthropic",
            "claude-opus-5-5",
            AnthropicOptions(cloud=AnthropicCloud.BEDROCK, region=AWS_REGION, aws_profile="absent"),
            "aws configure",
        ),
        ("openai", "gpt-5.5", OpenAIOptions(cloud=OpenAICloud.AZURE), "az login"),
        ("openai", "gpt-5.5", OpenAIOptions(cloud=OpenAICloud.OPENROUTER), "OPENROUTER_API_KEY"),
    ],
)
async def test_missing_credentials_are_told_with_the_way_to_sign_in_and_nothing_is_asked(
    provider: str, model: str, options: BaseModel, says: str
) -> None:
    async with cloud(AnthropicServer(())) as front:
        error = await failed(provider, model, options, front.url)

    assert says in worded(error.remedy)
    assert "internal" not in worded(error.title)
    assert front.asked == []


async def test_a_key_that_azure_refuses_is_told_with_the_way_to_sign_in(host: Host) -> None:
    async with cloud(OpenAIServer(OPENAI)) as front:
        host.has({"AZURE_OPENAI_API_KEY": "sk-wrong"})

        error = await failed("openai", "gpt-5.5", OpenAIOptions(cloud=OpenAICloud.AZURE), front.url)

    assert "did not accept the credentials" in worded(error.title)
    assert "az login" in worded(error.remedy)


async def test_a_wrong_secret_of_aws_is_told(host: Host) -> None:
    async with cloud(AnthropicServer(CLAUDE)) as front:
        host.has({"AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wrong"})
        options = AnthropicOptions(cloud=AnthropicCloud.BEDROCK, region=AWS_REGION)

        error = await failed("anthropic", "anthropic.claude-opus-5-5", options, front.url)

    assert "did not accept the credentials" in worded(error.title)
    assert front.refused == ["The request signature we calculated does not match."]


async def test_another_project_is_told_as_refused(host: Host) -> None:
    async with cloud(AnthropicServer(CLAUDE)) as front:
        host.has(front.google_credentials(host.folder))
        options = AnthropicOptions(cloud=AnthropicCloud.VERTEX, region=REGION, project="another")

        error = await failed("anthropic", "claude-opus-5-5", options, f"{front.url}/claude/v1")

    assert "did not accept the credentials" in worded(error.title)


def options_of(spec: Any) -> Any:
    return spec.options()


def test_each_cloud_of_a_provider_is_an_option_and_has_a_service_of_its_own() -> None:
    for spec in registry.BUILT_IN:
        if not spec.clouds:
            continue
        names = {each.value for each in options_of(spec).model_fields["cloud"].annotation}
        assert names == {"", *(cloud.name for cloud in spec.clouds)}
        for each in spec.clouds:
            service = spec.at({"cloud": each.name})
            assert not service.needs_key
            assert service.key_env != spec.key_env
            assert service.recipient != spec.recipient
