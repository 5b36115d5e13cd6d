"""Tokens as each vendor reports them, counted in one way.

The bodies follow the types of the SDKs (google.genai `GenerateContentResponseUsageMetadata`, openai `ResponseUsage` and
`CompletionUsage`, anthropic `Usage`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from operator_console.domain.prices import Price, cost
from operator_console.domain.proposals import Usage
from operator_console.providers.anthropic.answer import usage_of as anthropic
from operator_console.providers.gemini.answer import usage_of as gemini
from operator_console.providers.openai.answer import usage_of as openai
from operator_console.providers.shared.chat_completions import usage_of as chat
from tests.providers.contract.hostile import ANY_JSON

Read = Callable[[bytes], Usage]

READERS: tuple[tuple[Read, str], ...] = (
    (gemini, "usageMetadata"), (openai, "usage"), (anthropic, "usage"), (chat, "usage"),
)  # fmt: skip


def read(reader: Read, name: str, **usage: Any) -> Usage:
    return reader(json.dumps({name: usage}).encode())


def test_gemini_thinks_apart_from_its_output_and_tells_pictures() -> None:
    usage = read(
        gemini, "usageMetadata", promptTokenCount=2900, candidatesTokenCount=80, thoughtsTokenCount=300,
        cachedContentTokenCount=2048, totalTokenCount=3280,
        promptTokensDetails=[
            {"modality": "TEXT", "tokenCount": 596}, {"modality": "IMAGE", "tokenCount": 1152},
            {"modality": "IMAGE", "tokenCount": 1152},
        ],
        cacheTokensDetails=[{"modality": "IMAGE", "tokenCount": 1152}],
    )  # fmt: skip
    assert usage == Usage(
        input_tokens=2900, cached_tokens=2048, image_tokens=2304, output_tokens=80, thought_tokens=300
    )
    assert usage.total_tokens == 3280


def test_gemini_adds_what_its_own_tools_put_into_the_prompt() -> None:
    usage = read(
        gemini, "usageMetadata", promptTokenCount=100, toolUsePromptTokenCount=40, candidatesTokenCount=5,
        totalTokenCount=145, promptTokensDetails=[{"modality": "TEXT", "tokenCount": 100}],
        toolUsePromptTokensDetails=[{"modality": "IMAGE", "tokenCount": 30}],
    )  # fmt: skip
    assert (usage.input_tokens, usage.image_tokens, usage.total_tokens) == (140, 30, 145)


def test_openai_reasons_within_its_output_and_counts_cached_input_as_input() -> None:
    usage = read(
        openai, "usage", input_tokens=2000, output_tokens=500, total_tokens=2500,
        input_tokens_details={"cached_tokens": 1500, "cache_write_tokens": 300},
        output_tokens_details={"reasoning_tokens": 450},
    )  # fmt: skip
    assert usage == Usage(
        input_tokens=2000, cached_tokens=1500, cache_write_tokens=300, output_tokens=50, thought_tokens=450
    )
    assert usage.total_tokens == 2500


def test_anthropic_counts_cached_input_apart_and_thinks_within_its_output() -> None:
    usage = read(
        anthropic, "usage", input_tokens=12, cache_read_input_tokens=5000, cache_creation_input_tokens=700,
        output_tokens=200, output_tokens_details={"thinking_tokens": 150},
    )  # fmt: skip
    assert usage == Usage(
        input_tokens=5712, cached_tokens=5000, cache_write_tokens=700, output_tokens=50, thought_tokens=150
    )
    price = Price(input=Decimal(5), output=Decimal(25), cached=Decimal("0.5"))
    money = cost(usage, price)
    assert money is not None
    assert money.amount * 1_000_000 == 12 * 5 + 5000 * Decimal("0.5") + 700 * Decimal("6.25") + 200 * 25


def test_a_completion_with_all_details() -> None:
    usage = read(
        chat, "usage", prompt_tokens=1800, completion_tokens=90, total_tokens=1890,
        prompt_tokens_details={"cached_tokens": 64, "image_tokens": 1600},
        completion_tokens_details={"reasoning_tokens": 30},
    )  # fmt: skip
    assert usage == Usage(input_tokens=1800, cached_tokens=64, image_tokens=1600, output_tokens=60, thought_tokens=30)


def test_a_completion_of_most_endpoints_has_two_counts() -> None:
    usage = read(chat, "usage", prompt_tokens=1800, completion_tokens=90, prompt_tokens_details=None)
    assert usage == Usage(input_tokens=1800, output_tokens=90)
    zeros = read(chat, "usage", prompt_tokens=9, completion_tokens=9, prompt_tokens_details={"image_tokens": 0})
    assert zeros.image_tokens is None, "every request has a picture, so this is not a count"


@pytest.mark.parametrize(("reader", "name"), READERS)
@pytest.mark.parametrize("usage", [None, {}, [], "many", 7])
def test_no_count_is_not_reported(reader: Read, name: str, usage: object) -> None:
    assert reader(json.dumps({name: usage}).encode()) == Usage()
    assert reader(b"{}") == reader(b"<html>") == reader(b"") == reader(b"[" * 100_000) == Usage()


@pytest.mark.parametrize("count", [-1, 1.5, "12", True, None, 10**13, [3]])
def test_what_cannot_be_a_count_is_left_out_and_the_rest_is_kept(count: object) -> None:
    assert read(openai, "usage", input_tokens=count, output_tokens=5) == Usage(output_tokens=5)
    assert read(anthropic, "usage", input_tokens=4, cache_read_input_tokens=count, output_tokens=5) == Usage(
        input_tokens=4, output_tokens=5
    )


@pytest.mark.parametrize(("reader", "name"), READERS)
@given(usage=ANY_JSON)
def test_any_usage_is_read_without_an_error(reader: Read, name: str, usage: object) -> None:
    made = reader(json.dumps({name: usage}).encode())
    assert made.total_tokens >= 0
