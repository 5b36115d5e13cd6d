"""Profiles as the window edits them: written to the settings file, with keys in the keyring, and offered as models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

import pytest

from operator_console.app.model_choices import model_choices, profile_choices, told_mark, told_title
from operator_console.app.profile_editing import ProfileEditing
from operator_console.app.profile_setup import with_price
from operator_console.app.session_setup import make_provider
from operator_console.domain.errors import OperatorError
from operator_console.domain.redaction import redact
from operator_console.domain.session_request import SessionRequest
from operator_console.providers import registry
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.qwen.options import QwenOptions
from operator_console.providers.qwen.provider import QwenProvider
from operator_console.settings.model import Notices, SessionDefaults, Settings
from operator_console.settings.profiles import Profile, ProfilePrice
from operator_console.ui.profile_values import CheckOutcome
from tests.edited_profiles import changed, profile
from tests.malformed_keys import MALFORMED, ONE_OF_EACH_SORT, left_of
from tests.servers.chat_server import ChatServer
from tests.servers.plain_servers import answering
from tests.settings.memory_keyring import MemoryKeyring, memory_keyring

BENCH = profile(
    name="Bench", provider="qwen", model="other", base_url="http://127.0.0.1:9/v1",
    options={"generation": "2.5", "keep_turns": 5}, max_steps=7, max_minutes=2.25, max_cost=Decimal("0.50"),
    price={"input": Decimal("0.1"), "output": Decimal(4), "currency": "EUR"},
)  # fmt: skip


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    with memory_keyring() as backend:
        yield backend


class Kept:
    """Settings in memory, edited as the window's backend does."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.refusal: OperatorError | None = None
        self.editing = ProfileEditing(lambda: self.settings, self.change)

    async def change(self, settings: Settings) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.settings = settings


async def test_what_is_saved_comes_back(memory: MemoryKeyring) -> None:
    kept = Kept()
    await kept.editing.save(BENCH, "", "its-own-key")
    assert kept.settings.profiles == {
        "Bench": Profile(
            provider="qwen", model="other", base_url="http://127.0.0.1:9/v1",
            options={"generation": "2.5", "keep_turns": 5}, max_steps=7, max_minutes=2.25, max_cost=Decimal("0.50"),
            price=ProfilePrice(input=Decimal("0.1"), output=Decimal(4), currency="EUR"),
        )
    }  # fmt: skip
    shown = await kept.editing.model_settings()
    assert shown.profiles == (replace(BENCH, own_key=True),)
    assert [each.name for each in shown.providers] == [spec.name for spec in registry.specs()]
    assert memory.kept == {("operator-console", "profile:Bench"): "its-own-key"}


async def test_a_table_among_the_options_comes_back(memory: MemoryKeyring) -> None:
    table = {"extra_body": {"enable_thinking": False}, "keep_turns": 5}
    kept = Kept(Settings(profiles={"Own": Profile(provider="qwen", model="other", options=table)}))
    (shown,) = (await kept.editing.model_settings()).profiles
    assert shown.values["options"] == table
    await kept.editing.save(changed(shown, max_steps=9), "Own", None)
    saved = kept.settings.profiles["Own"]
    assert QwenOptions.model_validate(saved.options) == QwenOptions.model_validate(table)


async def test_a_new_name_keeps_the_place_the_key_and_the_choice(memory: MemoryKeyring) -> None:
    kept = Kept(Settings(session=SessionDefaults(profile="Bench")))
    await kept.editing.save(BENCH, "", "its-own-key")
    await kept.editing.save(changed(BENCH, name="Other"), "", None)
    await kept.editing.save(changed(BENCH, name="Renamed"), "Bench", None)
    assert list(kept.settings.profiles) == ["Renamed", "Other"]
    assert kept.settings.session.profile == "Renamed"
    assert memory.kept == {("operator-console", "profile:Renamed"): "its-own-key"}
    await kept.editing.save(changed(BENCH, name="Renamed"), "Renamed", "")
    assert memory.kept == {}
    await kept.editing.save(changed(BENCH, name="Renamed"), "Renamed", "a-new-key")
    await kept.editing.delete("Renamed")
    assert (list(kept.settings.profiles), memory.kept) == (["Other"], {})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "qwen"}, "name of a provider"),
        ({"name": "Taken"}, "already"),
        ({"name": "a/b"}, "name a profile"),
        ({"provider": "acme"}, "not installed"),
        ({"options": {"keep_turns": 1}}, "keep_turns"),
        ({"options": {"generation": "9"}}, "generation"),
        ({"base_url": "bench:8000"}, "https://"),
        ({"max_steps": -1}, "max_steps"),
        ({"price": None}, "needs a price"),
    ],
)
async def test_what_cannot_be_is_named_and_nothing_is_saved(
    memory: MemoryKeyring, change: dict[str, Any], said: str
) -> None:
    kept = Kept(Settings(profiles={"Taken": Profile(provider="gemini")}))
    before = kept.settings
    with pytest.raises(OperatorError) as caught:
        await kept.editing.save(changed(BENCH, **change), "", "its-own-key")
    assert said in str(caught.value)
    assert caught.value.remedy
    assert (kept.settings, memory.kept) == (before, {})


async def test_a_key_that_is_none_stops_the_save(memory: MemoryKeyring) -> None:
    kept = Kept()
    with pytest.raises(OperatorError, match="not a valid key"):
        await kept.editing.save(BENCH, "", "two words")
    assert kept.settings.profiles == {}


async def test_a_check_uses_the_form_and_not_what_is_saved(memory: MemoryKeyring) -> None:
    kept = Kept()
    await kept.editing.save(BENCH, "", "its-own-key")
    # On the button in pixels, which generation 2.5 writes; another generation would read it as beside the button.
    call = {"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [320, 200]}}
    answer = {"content": f"<tool_call>\n{json.dumps(call)}\n</tool_call>"}
    async with ChatServer([answer, answer], models=["other"], api_key="its-own-key") as server:
        here = changed(BENCH, base_url=server.base_url)
        found = await kept.editing.check(here, "Bench", None)
        assert (found.outcome, found.seconds > 0) == (CheckOutcome.WORKS, True), found
        refused = await kept.editing.check(here, "Bench", "another-key")
        assert refused.outcome is CheckOutcome.KEY_REFUSED
        assert redact("sent with another-key") == "sent with [hidden]"
        dropped = await kept.editing.check(here, "Bench", "")
        assert dropped.outcome is CheckOutcome.KEY_REFUSED
        unknown = await kept.editing.check(changed(here, model="qwen3-vl"), "Bench", None)
        assert unknown.outcome is CheckOutcome.MODEL_UNKNOWN
        wrong = await kept.editing.check(changed(here, options={"keep_turns": 1}), "Bench", None)
        assert (wrong.outcome, "keep_turns" in wrong.said) == (CheckOutcome.NOT_SENT, True)
        assert server.violations == []
    gone = await kept.editing.check(changed(BENCH, provider="acme"), "Bench", None)
    assert (gone.outcome, "not installed" in gone.said) == (CheckOutcome.NOT_SENT, True)


def test_profiles_are_offered_with_where_they_send_pictures(memory: MemoryKeyring) -> None:
    settings = Settings(
        profiles={
            "Here": Profile(provider="qwen", base_url="http://localhost:8000/v1", max_steps=3),
            "There": Profile(provider="openai", base_url="https://models.example.test/v1", model="m"),
            "Plain": Profile(provider="gemini"),
            "Steps": Profile(provider="runbook"),
            "Gone": Profile(provider="acme"),
        }
    )
    found = {each.profile: each for each in profile_choices(settings)}
    assert list(found) == ["Here", "There", "Plain", "Steps"]
    assert [found[name].leaves != "" for name in found] == [False, True, True, False]
    assert "models.example.test" in found["There"].leaves
    assert "OpenAI" not in found["There"].leaves
    assert (found["There"].needs_key, found["There"].has_key) == (True, False)
    assert (found["Here"].needs_key, found["Here"].takes_key, found["Here"].max_steps) == (False, True, 3)
    assert "m at https://models.example.test/v1" in found["There"].summary
    told = settings.model_copy(update={"notices": Notices(seen=("openai", "gemini"))})
    again = {each.profile: each.told for each in profile_choices(told)}
    assert again == {"Here": True, "There": False, "Plain": True, "Steps": True}
    mark = told_mark(settings, "openai", "There")
    assert told_title(mark) == mark.replace("openai", registry.find("openai").title, 1)
    assert told_title("gemini") == "Google Gemini"
    assert told_title("removed at https://x.test") == "removed at https://x.test"
    told = settings.model_copy(update={"notices": Notices(seen=(mark,))})
    assert {each.profile: each.told for each in profile_choices(told)}["There"]
    assert not model_choices(told, registry.find("openai"))[0].told


@pytest.mark.parametrize(
    ("address", "said"),
    [("", "Google"), ("http://127.0.0.1:8080", ""), ("https://proxy.example.test/g", "proxy.example.test")],
)
def test_an_address_in_the_environment_is_where_pictures_go(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, address: str, said: str
) -> None:
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", address)
    choice = model_choices(Settings(), registry.find("gemini"))[0]
    assert said in choice.leaves
    assert (choice.leaves == "") is (choice.told) is (said == "")
    assert told_mark(Settings(), "gemini") == (f"gemini at {address}" if address else "gemini")


async def test_a_session_gets_endpoint_options_and_key_of_its_profile(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QWEN_API_KEY", "of-the-provider")
    kept = Kept()
    await kept.editing.save(BENCH, "", "its-own-key")
    await kept.editing.save(profile(name="G", provider="gemini", options={"keep_turns": 5}), "", None)
    services = cast(Any, SimpleNamespace(settings=kept.settings, reader=None))
    nothing = cast(Any, None)
    request = SessionRequest(task="t", provider="qwen", model="other", profile="Bench")
    provider = make_provider(services, request, nothing, nothing)
    assert isinstance(provider, QwenProvider)
    endpoint: Any = provider._endpoint
    assert (endpoint._base_url, endpoint._api_key) == ("http://127.0.0.1:9/v1", "its-own-key")
    with pytest.raises(OperatorError, match="no key"):
        make_provider(services, SessionRequest(task="t", provider="gemini", profile="G"), nothing, nothing)
    with pytest.raises(OperatorError, match="no model profile") as caught:
        make_provider(services, replace(request, profile="Forgotten"), nothing, nothing)
    assert caught.value.remedy
    with pytest.raises(OperatorError, match="now one of the provider") as caught:
        make_provider(services, replace(request, provider="ui_tars"), nothing, nothing)
    assert caught.value.remedy


def test_the_options_of_the_section_hold_where_the_profile_says_nothing() -> None:
    from operator_console.settings.model import with_sections

    kind = with_sections({"gemini": GeminiOptions})
    settings = kind.model_validate({
        "gemini": {"keep_turns": 9, "keep_screenshots": 8},
        "profiles": {"a": {"provider": "gemini", "options": {"keep_turns": 5}}},
    })  # fmt: skip
    from operator_console.app.profile_setup import ingredients_for

    made = ingredients_for(settings, registry.find("gemini"), "a")
    assert made.options == GeminiOptions(keep_turns=5, keep_screenshots=8)
    assert ingredients_for(settings, registry.find("gemini")).options == settings.section("gemini")


def test_price_and_cost_limit_are_filled_in_where_the_request_has_none() -> None:
    price = ProfilePrice(input=Decimal(1), output=Decimal(2))
    settings = Settings(profiles={"a": Profile(provider="gemini", price=price, max_cost=Decimal(3))})
    request = SessionRequest(task="t", profile="a")
    assert with_price(settings, request) == replace(request, price=price.as_price(), max_cost=Decimal(3))
    own = replace(request, max_cost=Decimal(9))
    assert with_price(settings, own).max_cost == Decimal(9)
    other = SessionRequest(task="t")
    assert with_price(settings, other) is other


@pytest.mark.parametrize("kind", ONE_OF_EACH_SORT)
async def test_what_cannot_be_a_key_of_a_profile_is_neither_saved_nor_tried_nor_shown(
    memory: MemoryKeyring, kind: str
) -> None:
    kept, key = Kept(), MALFORMED[kind]
    async with answering(200) as server:
        here = changed(BENCH, base_url=f"http://127.0.0.1:{server.port}/v1")
        report = await kept.editing.check(here, "", key)
        assert (report.outcome, server.requests) == (CheckOutcome.NOT_SENT, [])
        assert left_of(key, repr(report)) == []
        assert "Copy the key again" in report.remedy
        with pytest.raises(OperatorError) as caught:
            await kept.editing.save(here, "", key)
    assert left_of(key, repr(caught.value) + caught.value.text) == []
    assert MemoryKeyring.kept == {}


async def test_a_malformed_key_of_the_environment_is_no_key_in_the_lists(
    memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", MALFORMED["a line break"])
    assert not model_choices(Settings(), registry.find("openai"))[0].has_key
    found = await Kept().editing.model_settings()
    assert {each.name: each.key_source for each in found.providers}["openai"] == ""
