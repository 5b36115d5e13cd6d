"""`window:REGEX` (matches the title, ignoring case) and `window:0xID`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FitNotices:
    """What is said where none of the windows fits, or several do."""

    several: NoticeCode
    choose: NoticeCode
    none: NoticeCode
    these: NoticeCode
    nothing: NoticeCode
    remedy: NoticeCode


def one_that_fits(argument: str, here: Sequence[Ref], text: Callable[[Ref], str], says: FitNotices) -> Ref:
    """The window with an id, or whose text fits an expression, ignoring case. Raises OperatorError, none or several."""
    if re.fullmatch(r"0x[0-9a-fA-F]+", argument):
        matching = [each for each in here if each.window_id == int(argument, 16)]
    else:
        expression = re.compile(argument, re.IGNORECASE)
        matching = [each for each in here if expression.search(text(each))]
    if len(matching) == 1:
        return matching[0]
    listed = "; ".join(f"{each.spec} {quoted(text(each))}" for each in (matching or here))
    if matching:
        raise OperatorError(
            notice(says.several, count=len(matching), title=argument), detail=listed + ".", remedy=notice(says.choose)
        )
    raise OperatorError(
        notice(says.none, title=argument),
        detail=notice(says.these, windows=listed) if listed else notice(says.nothing),
        remedy=notice(says.remedy),
    )


_SAYS = FitNotices(
    several=NoticeCode.WINDOWS_FIT, choose=NoticeCode.CHOOSE_WINDOW_BY_ID, none=NoticeCode.NO_WINDOW_FITS,
    these=NoticeCode.OPEN_WINDOWS, nothing=NoticeCode.NO_WINDOW_IS_OPEN,
    remedy=NoticeCode.OPEN_WINDOW_OR_CHOOSE_TARGET,
)  # fmt: skip


def _resolve(argument: str, list_here: ListHere) -> TargetRef:
    here = [each.ref for each in list_here() if isinstance(each.ref, WindowTarget)]
    return one_that_fits(argument, here, lambda each: each.title, _SAYS)


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
