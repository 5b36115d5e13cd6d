"""The tasks that the oracle has a way for."""

from __future__ import annotations

import re
from pathlib import Path

SHORT = ("click-button", "enter-text", "choose-list", "drag-box", "scroll-text-2")
"""One of each kind of input."""


def all_tasks() -> tuple[str, ...]:
    """By their names in oracle.js, in its order."""
    source = Path(__file__).with_name("oracle.js").read_text(encoding="utf-8")
    listed = source[source.index("const plain = {") : source.index("const link = document")]
    return tuple(dict.fromkeys(re.findall(r"'([a-z0-9-]+)':", listed)))
