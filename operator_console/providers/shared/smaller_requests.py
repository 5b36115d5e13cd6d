"""Options under which less of a conversation is sent again, for a service that does not take a request of its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, TypeVar

from operator_console.domain.errors import RejectedPart
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_FEWEST_SCREENSHOTS, _FEWEST_TURNS = 1, 2


class _Keeping(Protocol):
    @property
    def keep_screenshots(self) -> int: ...

    @property
    def keep_turns(self) -> int: ...

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self: ...


Options = TypeVar("Options", bound=_Keeping)


def smaller(options: Options, part: RejectedPart) -> tuple[Options, str]:
    """Half as many screenshots, then half as many turns, and a sentence on it.

    "" where there is no less to send, or the service does not take another `part` of the request than its size.
    """
    if part is not RejectedPart.SIZE:
        return options, ""
    if options.keep_screenshots > _FEWEST_SCREENSHOTS:
        count = options.keep_screenshots // 2
        change = notice(NoticeCode.FEWER_SCREENSHOTS_FROM_NOW, count=count)
        return options.model_copy(update={"keep_screenshots": count}), change
    if options.keep_turns > _FEWEST_TURNS:
        count = max(_FEWEST_TURNS, options.keep_turns // 2)
        return options.model_copy(update={"keep_turns": count}), notice(NoticeCode.FEWER_TURNS_FROM_NOW, count=count)
    return options, ""
