"""The tokens in an answer of the Messages API (`usage`).

Its `input_tokens` are only those after the last cache point: what was read from a cache and written to it is counted
apart. `output_tokens` includes thinking. Pictures are not told apart.
"""

from __future__ import annotations

from operator_console.domain.proposals import Usage
from operator_console.providers.shared.token_counts import count, part, reported, without


def usage_of(body: bytes) -> Usage:
    """The tokens that an answer reports."""
    usage = reported(body, "usage")
    fresh = count(usage, "input_tokens")
    read, written = count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens")
    thoughts = count(part(usage, "output_tokens_details"), "thinking_tokens")
    return Usage(
        input_tokens=None if fresh is read is written is None else (fresh or 0) + (read or 0) + (written or 0),
        cached_tokens=read,
        cache_write_tokens=written,
        output_tokens=without(count(usage, "output_tokens"), thoughts),
        thought_tokens=thoughts,
    )
