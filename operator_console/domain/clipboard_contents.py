"""What a clipboard holds, as far as it matters for what pastes it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipboard:
    """The contents of a clipboard.

    Attributes:
        text: None if it holds none.
        files: whether it holds files of a file manager.
    """

    text: str | None = field(default=None, repr=False)
    files: bool = False
