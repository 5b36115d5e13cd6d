"""What a model was told with a request beside the picture, as it is recorded.

Calls are named by their position, and pictures by the digests under which they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from operator_console.domain.actions import Action
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.domain.tools import ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldPicture:
    """A picture in a result; `digest`, `mime_type` and `size` as in `Picture`."""

    digest: str
    mime_type: str
    size: Size


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldTool:
    """The result of a function call, as in `ToolResult`."""

    texts: tuple[str, ...]
    pictures: tuple[ToldPicture, ...]
    error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldResult:
    """The answer to the call at `index` of the turn before; the rest as in `CallResult`."""

    index: int
    status: CallStatus
    text: str = ""
    output: str = ""
    acknowledged: bool = False
    executed: Action | None = None
    picture: ToldPicture | None = None
    changed: bool | None = None
    tool: ToldTool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The results and messages of one request, and where the pointer was in native pixels."""

    results: tuple[ToldResult, ...] = ()
    messages: tuple[str, ...] = ()
    pointer: NativePoint | None = None


def told_of(observation: Observation) -> Told:
    """What an observation tells."""
    return Told(
        results=tuple(map(_result, observation.results)),
        messages=tuple(map(str, observation.messages)),
        pointer=observation.frame.pointer,
    )


def pictures_in(observation: Observation) -> tuple[Picture, ...]:
    """The pictures in the results, which `Told` names only."""
    own = (result.picture for result in observation.results if result.picture is not None)
    tools = (result.tool for result in observation.results if result.tool is not None)
    return (*own, *(picture for tool in tools for picture in tool.pictures))


def pictures_named(told: Told) -> tuple[ToldPicture, ...]:
    """The pictures in the results."""
    own = (result.picture for result in told.results if result.picture is not None)
    tools = (result.tool for result in told.results if result.tool is not None)
    return (*own, *(picture for tool in tools for picture in tool.pictures))


def tool_result(told: ToldTool, pictures: Mapping[str, Picture]) -> ToolResult:
    """The result of a function call, with its pictures by digest. Raises KeyError where one is missing."""
    found = tuple(pictures[each.digest] for each in told.pictures)
    return ToolResult(texts=told.texts, pictures=found, error=told.error)


def _result(result: CallResult) -> ToldResult:
    tool = result.tool
    return ToldResult(
        index=result.call.index,
        status=result.status,
        text=str(result.text),
        output=result.output,
        acknowledged=result.acknowledged,
        executed=result.executed,
        picture=_picture(result.picture) if result.picture is not None else None,
        changed=result.changed,
        tool=ToldTool(texts=tool.texts, pictures=tuple(map(_picture, tool.pictures)), error=tool.error)
        if tool is not None
        else None,
    )


def _picture(picture: Picture) -> ToldPicture:
    return ToldPicture(digest=picture.digest, mime_type=picture.mime_type, size=picture.size)
