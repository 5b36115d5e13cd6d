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
class ScreenTurns:
    """Turns with pictures and lists of elements. Implements `TurnFormat`.

    Attributes:
        chat: Writes everything else.
        screen: What is said of the screen that the next turn shows.
        images: Whether pictures are sent.
    """

    chat: ChatTurns
    screen: str = ""
    images: bool = True

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn with a text, followed by the current screen if there is a picture of it."""
        turn = self.chat.user_turn(text, picture if self.images else None)
        return turn if picture is None else {**turn, _SCREEN: self.screen}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The turn that tells what became of all calls. `geometry` is that of the frame that the calls refer to."""
        turn = self.chat.answer_turn(observation, geometry)
        if not self.images:
            turn = {**turn, "messages": [_without_images(message) for message in turn["messages"]]}
        return {**turn, _SCREEN: self.screen}

    def withdraws(self, results: Sequence[CallResult]) -> bool:
        """Never: every result has a form."""
        return False

    def withdrawn_text(self, results: Sequence[CallResult], geometry: FrameGeometry) -> str:
        """Describes the calls of a turn that was removed from the history."""
        return self.chat.withdrawn_text(results, geometry)

    def digest_lines(self, observation: Observation, geometry: FrameGeometry) -> tuple[str, ...]:
        """One line for each result and message."""
        return self.chat.digest_lines(observation, geometry)

    def page_text(self, page: Page, *, answering: bool) -> str:
        """Nothing: it is told with the elements."""
        return ""

    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn was made by `answer_turn`."""
        return self.chat.answers_calls(turn)

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn; 1 for a list of elements alone."""
        return self.chat.pictures_in(turn) or int(_SCREEN in turn)

    def without_pictures(self, turn: Json) -> Json:
        """A copy without pictures and the list of elements, or the same object if it has none."""
        if _SCREEN in turn:
            turn = {name: value for name, value in turn.items() if name != _SCREEN}
        return self.chat.without_pictures(turn)


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
    return ScreenTurns(chat=ChatTurns(show=show, tell=tell), screen=screen, images=images)


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
