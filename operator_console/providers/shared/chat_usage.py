"""The tokens in a chat completion (`usage`).

`prompt_tokens` includes those read from a cache, `completion_tokens` includes reasoning, as in OpenAI's own service.
Most endpoints report no more than these two; few tell pictures apart (`image_tokens`).
"""

from __future__ import annotations

from operator_console.domain.proposals import Usage
from operator_console.providers.shared.token_counts import count, part, reported, without


def usage_of(body: bytes) -> Usage:
    """The tokens that a completion reports."""
    usage = reported(body, "usage")
    prompt = part(usage, "prompt_tokens_details")
    thoughts = count(part(usage, "completion_tokens_details"), "reasoning_tokens")
    return Usage(
        input_tokens=count(usage, "prompt_tokens"),
        cached_tokens=count(prompt, "cached_tokens"),
        cache_write_tokens=count(prompt, "cache_write_tokens"),
        image_tokens=count(prompt, "image_tokens") or None,  # 0, with a picture in every request, is no count
        output_tokens=without(count(usage, "completion_tokens"), thoughts),
        thought_tokens=thoughts,
    )
