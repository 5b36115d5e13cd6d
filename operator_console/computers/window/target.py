"""`window:REGEX` (matches the title, ignoring case) and `window:0xID`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from operator_console.computers.target_spec import ListHere, TargetListing, TargetSpec
from operator_console.computers.window_wording import quoted
from operator_console.desktop.protocols import Desktop, WindowLayers
from operator_console.desktop.values import Window
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import OneWindow, TargetKind, TargetRef, WindowTarget
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.window.capture import WindowCapture
    from operator_console.desktop.own_window_ids import OwnWindows

Ref = TypeVar("Ref", bound=OneWindow)


def accepts_expression(argument: str) -> bool:
    """Whether an argument is a regular expression, or an id. Raises OperatorError (usage) for a bad one."""
    try:
        re.compile(argument)
    except re.error as error:
        detail = error.msg
        if error.pos is not None:
            detail = notice(NoticeCode.EXPRESSION_ERROR_AT, error=error.msg, position=error.pos)
        raise OperatorError(
            notice(NoticeCode.NOT_A_REGULAR_EXPRESSION, text=argument),
            detail=detail,
            remedy=notice(NoticeCode.ESCAPE_SPECIAL_CHARACTERS),
            exit_code=ExitCode.USAGE,
        ) from error
    return bool(argument)


def _list_here(desktop: Desktop, layers: WindowLayers) -> list[TargetListing]:
    return [_listing(each, desktop.name) for each in desktop.all_windows() if not layers.is_own(each)]


def _listing(window: Window, display_name: str) -> TargetListing:
    ref = WindowTarget(
        spec=f"window:{window.window_id:#x}",
        title=window.title or window.app or f"{window.window_id:#x}",
        display=display_name,
        window_id=window.window_id,
        app=window.app,
    )
    return TargetListing(ref=ref, rect=window.rect, state=window.state.value, pid=window.pid)


def those_that_fit(argument: str, here: Sequence[Ref], text: Callable[[Ref], str]) -> list[Ref]:
    """The windows with an id, or whose text fits an expression, ignoring case."""
    if re.fullmatch(r"0x[0-9a-fA-F]+", argument):
        return [each for each in here if each.window_id == int(argument, 16)]
    expression = re.compile(argument, re.IGNORECASE)
    return [each for each in here if expression.search(text(each))]


def _resolve(argument: str, list_here: ListHere) -> TargetRef:
    here = [each.ref for each in list_here() if isinstance(each.ref, WindowTarget)]
    matching = those_that_fit(argument, here, lambda each: each.title)
    if len(matching) == 1:
        return matching[0]
    listed = "; ".join(f"{each.spec} {quoted(each.title)}" for each in (matching or here))
    if matching:
        raise OperatorError(
            notice(NoticeCode.WINDOWS_FIT, count=len(matching), title=argument),
            detail=listed + ".",
            remedy=notice(NoticeCode.CHOOSE_WINDOW_BY_ID),
        )
    raise OperatorError(
        notice(NoticeCode.NO_WINDOW_FITS, title=argument),
        detail=notice(NoticeCode.OPEN_WINDOWS, windows=listed) if listed else notice(NoticeCode.NO_WINDOW_IS_OPEN),
        remedy=notice(NoticeCode.OPEN_WINDOW_OR_CHOOSE_TARGET),
    )


def _open_capture(ref: TargetRef, own: OwnWindows) -> WindowCapture:
    from operator_console.computers.window.capture import WindowCapture  # loads numpy

    assert isinstance(ref, WindowTarget)
    return WindowCapture(ref, own)


WINDOW = TargetSpec(
    kind=TargetKind.WINDOW,
    grammar="window:REGEX, window:0xID",
    accepts=accepts_expression,
    resolve=_resolve,
    open_capture=_open_capture,
    list_here=_list_here,
)
