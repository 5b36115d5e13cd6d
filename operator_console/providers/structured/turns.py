"""The turns of a conversation, in the form of chat completions, from which each service's own form is made.

With each screen comes the list of its elements. It is kept as long as the picture, so that requests stay small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.pages import Page
from operator_console.domain.proposals import CallResult, Observation
from operator_console.providers.shared import results as words
from operator_console.providers.shared.chat_turns import ChatTurns, Message, messages_of
from operator_console.providers.shared.history import Json

_SCREEN = "screen_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenTurns(ChatTurns):
    """Turns with pictures and lists of elements.

    Attributes:
        screen: What is said of the screen that the next turn shows.
        images: Whether pictures are sent.
    """

    screen: str = ""
    images: bool = True

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn with a text, followed by the current screen if there is a picture of it."""
        turn = ChatTurns.user_turn(self, text, picture if self.images else None)
        return turn if picture is None else {**turn, _SCREEN: self.screen}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The turn that tells what became of all calls. `geometry` is that of the frame that the calls refer to."""
        turn = ChatTurns.answer_turn(self, observation, geometry)
        if not self.images:
            turn = {**turn, "messages": [_without_images(message) for message in turn["messages"]]}
        return {**turn, _SCREEN: self.screen}

    def page_text(self, page: Page, *, answering: bool) -> str:
        """Nothing: it is told with the elements."""
        return ""

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn; 1 for a list of elements alone."""
        return ChatTurns.pictures_in(self, turn) or int(_SCREEN in turn)

    def without_pictures(self, turn: Json) -> Json:
        """A copy without pictures and the list of elements."""
        return ChatTurns.without_pictures(self, {name: value for name, value in turn.items() if name != _SCREEN})


def request_messages(turns: Sequence[Json], most_pictures: int) -> list[Message]:
    """The messages of a request, with the newest `most_pictures` pictures."""
    return messages_of([_with_screen(turn) for turn in turns], most_pictures)


def said(text: str) -> Message:
    """A message of the model."""
    return {"role": "assistant", "content": text}


def tell(results: Sequence[tuple[CallResult, str]]) -> str:
    """What became of the actions of a turn."""
    lines = [f"{result.call.index + 1}. {result.call.name}: {text}" for result, text in results]
    return "\n".join(["What became of your actions:", *lines])


def new_turns(show: words.Show, *, images: bool, screen: str = "") -> ScreenTurns:
    """Turns for a session; `show` describes an action in the terms of the model."""
    return ScreenTurns(show=show, tell=tell, screen=screen, images=images)


def _with_screen(turn: Json) -> Json:
    """The turn with the text about its screen: after what became of calls, before anything else that is said."""
    if _SCREEN not in turn:
        return turn
    *before, last = turn["messages"]
    content = [*last["content"]]
    content.insert(1 if turn.get("answers") else 0, {"type": "text", "text": turn[_SCREEN]})
    return {**turn, "messages": [*before, {**last, "content": content}]}


def _without_images(message: Any) -> Message:
    return {**message, "content": [part for part in message["content"] if part["type"] != "image_url"]}
