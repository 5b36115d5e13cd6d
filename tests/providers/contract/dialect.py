"""What the contract tests need to know of a dialect.

To have a provider tested, write a class with these members beside `gemini_dialect` and `anthropic_dialect`, and add an
instance to DIALECTS in `conftest`. It translates between domain values and the vendor's words, and is written from the
vendor's documentation, without the provider's own code: that code is what is tested. Coordinates are written as the
vendor's models write them, for example in whole pixels of the picture. Servers are imported where they are made: the
vendors' SDKs take seconds, and most tests that list the dialects try few of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hypothesis.strategies import SearchStrategy

from operator_console.domain.actions import Action, Back, CloseTab, Forward, Navigate, ReadPage, SwitchTab
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import Provider
from tests.servers.scripted_server import Json, ScriptedServer, Turn

BROWSER_KINDS = frozenset({"navigate", "back", "forward", "switch_tab", "close_tab", "read_page"})


def browser_call(action: Action) -> tuple[str, dict[str, Any]]:
    """The function of the console that does something in a managed browser, and its arguments."""
    match action:
        case Navigate(url=url):
            return "navigate", {"url": url}
        case Back():
            return "go_back", {}
        case Forward():
            return "go_forward", {}
        case SwitchTab(number=number):
            return "switch_tab", {"number": number}
        case CloseTab():
            return "close_tab", {}
        case ReadPage():
            return "get_browser_state", {}
        case _:
            raise NotImplementedError(action.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The answer to one call, as the model is told."""

    text: str
    failed: bool


class Dialect(Protocol):
    """One vendor's dialect, or that of some of its models.

    Attributes:
        title: for the names of tests.
        kinds: the kinds of actions that the model can ask for, of those in `scripted_task.TASK`.
        batches: whether a turn may hold several actions.
        browser_kinds: the kinds of actions by which the model controls a managed browser.
        text_ends: whether a turn of text alone ends the task; else it is a question.
        most_pictures: how many pictures a request may hold, with the provider's default options.
        model: what `--model` is given.
        provider_name: what `--provider` is given; "" if the model implies it.
    """

    @property
    def title(self) -> str: ...
    @property
    def kinds(self) -> frozenset[str]: ...
    @property
    def batches(self) -> bool: ...
    @property
    def browser_kinds(self) -> frozenset[str]: ...
    @property
    def text_ends(self) -> bool: ...
    @property
    def most_pictures(self) -> int: ...
    @property
    def model(self) -> str: ...
    @property
    def provider_name(self) -> str: ...

    def server(self, turns: Sequence[Turn], *, api_key: str = "", browser: bool = False) -> ScriptedServer:
        """The vendor's loopback server, not started; `browser`: what the model works on is a browser."""
        ...

    def provider(self, url: str, *, api_key: str = "test-key", model: str = "", timeout_s: float = 30.0) -> Provider:
        """The provider that is tested, with its default options; `model` "" for this dialect's."""
        ...

    def environment(self, url: str, api_key: str) -> Mapping[str, str]:
        """The variables with which the whole program uses the server at `url`."""
        ...

    # -- turns of the model, for the server's script

    def turn(self, *actions: Action, geometry: FrameGeometry, text: str = "", thought: str = "") -> Turn:
        """A turn that asks for these actions on a frame of this geometry."""
        ...

    def function(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        """A turn that calls a function, of the session or of the console, or one that does not exist."""
        ...

    def browses(self, action: Action) -> Turn:
        """A turn that asks a managed browser for this action, of one of `browser_kinds`."""
        ...

    def says(self, text: str) -> Turn:
        """A turn of text alone."""
        ...

    def ends(self, text: str) -> Turn:
        """A turn that ends the task."""
        ...

    def outside(self, geometry: FrameGeometry) -> Turn:
        """A turn with a click at a point outside the picture."""
        ...

    def cut_off(self, *actions: Action, geometry: FrameGeometry) -> Turn:
        """A turn that ended at the limit of tokens."""
        ...

    def refuses(self, reason: str) -> Turn:
        """The model or the service refuses."""
        ...

    def again(self, raw: bytes) -> Turn:
        """A turn that was recorded (`Proposal.raw`), said again."""
        ...

    def hostile(self) -> SearchStrategy[bytes]:
        """Bodies of answers that are like those of the vendor, but wrong in any way."""
        ...

    # -- what the server received

    def texts(self, body: Json) -> list[str]:
        """All texts of a request, in order."""
        ...

    def offered(self, body: Json) -> set[str]:
        """The names of the functions that a request offers."""
        ...

    def pictures(self, body: Json) -> int:
        """The number of pictures in a request."""
        ...

    def told(self, body: Json) -> list[Told]:
        """The answers to the calls of the model's newest turn, in order."""
        ...
