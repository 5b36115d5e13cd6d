"""The tokens in an answer of `generateContent` (`usageMetadata`).

`promptTokenCount` includes cached tokens, but not those of tool results that the service itself adds, which are in
`toolUsePromptTokenCount`; `candidatesTokenCount` does not include thinking. `promptTokensDetails` tells how many of the
prompt's tokens are pictures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from operator_console.domain.proposals import Usage
from operator_console.providers.shared.token_counts import count, reported


def usage_of(body: bytes) -> Usage:
    """The tokens that an answer reports."""
    usage = reported(body, "usageMetadata")
    prompt, added = count(usage, "promptTokenCount"), count(usage, "toolUsePromptTokenCount")
    return Usage(
        input_tokens=prompt if added is None else (prompt or 0) + added,
        cached_tokens=count(usage, "cachedContentTokenCount"),
        image_tokens=_images(usage),
        output_tokens=count(usage, "candidatesTokenCount"),
        thought_tokens=count(usage, "thoughtsTokenCount"),
    )


def _images(usage: Mapping[str, Any]) -> int | None:
    """The tokens of pictures; None without a list of kinds. A kind that is not in a list has none."""
    found = [
        entry
        for name in ("promptTokensDetails", "toolUsePromptTokensDetails")
        if isinstance(usage.get(name), list)
        for entry in usage[name]
        if isinstance(entry, dict)
    ]
    if not found:
        return None
    return sum(count(entry, "tokenCount") or 0 for entry in found if entry.get("modality") == "IMAGE")
