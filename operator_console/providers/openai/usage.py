"""The tokens in an answer of the Responses API (`usage`).

`input_tokens` includes those read from a cache and those written to it, `output_tokens` includes reasoning. Pictures
are not told apart.
"""

from __future__ import annotations

from operator_console.domain.proposals import Usage
from operator_console.providers.shared.token_counts import count, part, reported, without


def usage_of(body: bytes) -> Usage:
    """The tokens that an answer reports."""
    usage = reported(body, "usage")
    taken = part(usage, "input_tokens_details")
    thoughts = count(part(usage, "output_tokens_details"), "reasoning_tokens")
    return Usage(
        input_tokens=count(usage, "input_tokens"),
        cached_tokens=count(taken, "cached_tokens"),
        cache_write_tokens=count(taken, "cache_write_tokens"),
        output_tokens=without(count(usage, "output_tokens"), thoughts),
        thought_tokens=thoughts,
    )
