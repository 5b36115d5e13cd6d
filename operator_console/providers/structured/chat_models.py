"""The connection to a chat model, whatever its service: what it is asked, and what it says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import Usage
from operator_console.providers.shared import results as words
from operator_console.providers.shared.arguments import Arguments
from operator_console.providers.shared.chat_completions import Message
from operator_console.providers.shared.http_client import Answered
from operator_console.providers.shared.model_provider import Connection
from operator_console.providers.shared.own_tools import in_picture
from operator_console.providers.structured.options import JsonMode, StructuredOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request for one answer.

    Attributes:
        system: the instruction; "" for none.
        messages: in the form of chat completions; texts are plain or parts, pictures are data URLs.
        schema: the JSON schema of the answer.
        mode: how the form of the answer is asked for.
    """

    system: str
    messages: Sequence[Message]
    schema: Mapping[str, Any]
    mode: JsonMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer that is complete: its text, which is not empty, and thoughts that are kept apart."""

    text: str
    thoughts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """The unit in which a model gives points.

    Attributes:
        scale: in words, for the instruction.
        arguments_of: gives the arguments of an action on a frame.
        show: describes an action with such points.
    """

    scale: str
    arguments_of: Callable[[Mapping[str, object], FrameGeometry], Arguments]
    show: words.Show


ON_GRID = Points(
    scale="in thousandths of the screen's width and height",
    arguments_of=Arguments.on_grid,
    show=words.show_on_grid,
)
IN_PICTURE = Points(scale="in pixels of the screen", arguments_of=in_picture, show=words.show_in_picture)


def split_data_url(url: str) -> tuple[str, str]:
    """The media type and the base64 data of a picture in a request."""
    head, _, data = url.partition(";base64,")
    return head.removeprefix("data:"), data


class ChatModel(ABC):
    """One connection to one model.

    Attributes:
        points: the unit in which it gives points.
        image_needs: limits for the pictures it is sent.
    """

    points = IN_PICTURE
    image_needs: ImageNeeds

    def __init__(self, model: str, options: StructuredOptions, client: Connection) -> None:
        self._model, self._options, self._connection = model, options, client

    @abstractmethod
    async def request(self, request: Request) -> Answered:
        """One answer, not read yet.

        Raises:
            ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is none.
            OperatorError: There is no key.
        """

    @abstractmethod
    def read(self, body: bytes) -> Said:
        """What an answer says.

        Raises:
            ProviderRefused, ProviderRejected, ProviderMalformed: It is not complete.
        """

    @abstractmethod
    def usage_of(self, body: bytes) -> Usage:
        """The tokens that an answer reports, also one that is not complete."""

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def parts_of(message: Message) -> Sequence[Message]:
    """The parts of a message, of which a text alone is one."""
    content: str | Sequence[Message] = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
