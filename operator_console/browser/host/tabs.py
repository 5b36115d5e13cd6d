"""The tabs of the browser: which one is shown, what document it has loaded, and the dialog that it waits with.

The browser's events are fed in; nothing here sends a command.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from operator_console.domain.pages import DialogKind

_DIALOGS = {
    "alert": DialogKind.ALERT, "confirm": DialogKind.CONFIRM, "prompt": DialogKind.PROMPT,
    "beforeunload": DialogKind.LEAVE,
}  # fmt: skip


@dataclass(slots=True, kw_only=True)
class OpenDialog:
    """A dialog that waits for an answer.

    Attributes:
        number: names it.
        values: what its fields hold, as typed.
        focus: the number of the field that has the focus.
        selected: whether all of that field is selected.
        files: of a file chooser, the names that may be chosen.
        session: whose dialog it is.
        node: of a file chooser, the file field.
        element: of a list, its element, as in `elements.py`.
        options, chosen, first, beside: of a list, as of `PageDialog`.
        request: of a sign-in, the request that waits.
    """

    number: int
    kind: DialogKind
    session: str
    message: str = ""
    origin: str = ""
    values: list[str] = field(default_factory=list)
    focus: int = 0
    selected: bool = False
    files: tuple[str, ...] = ()
    several: bool = False
    node: int = 0
    request: str = ""
    element: str = ""
    options: list[dict[str, Any]] = field(default_factory=list)
    chosen: int = -1
    first: int = 0
    beside: list[float] = field(default_factory=lambda: [0.0] * 4)


@dataclass(slots=True, kw_only=True)
class OpenTab:
    """A tab.

    Attributes:
        target: its id in the browser.
        session: of the host's own connection to it.
        opener: the tab that opened it, "" for none.
        opening: whether it is not ready yet.
        loader: names the document that is loaded.
        frames: the origin of each frame by its id; the page's own first.
        parents: the frame that a frame stands in, by its id.
        requests: what was asked for and not answered yet.
        crashed: whether its renderer is dead.
        picker: the kind of field whose picker the browser shows over the page; "" for none.
    """

    target: str
    session: str
    opener: str = ""
    opening: bool = True
    url: str = ""
    title: str = ""
    loader: str = ""
    loading: bool = False
    frames: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    requests: set[str] = field(default_factory=set)
    dialogs: list[OpenDialog] = field(default_factory=list)
    crashed: bool = False
    picker: str = ""

    @property
    def waiting(self) -> tuple[OpenDialog, ...]:
        """The dialogs that the page stands still for. Beside an open list it goes on."""
        return tuple(each for each in self.dialogs if each.kind is not DialogKind.LIST)

    def close(self, dialog: OpenDialog) -> None:
        """A dialog was answered."""
        self.dialogs = [each for each in self.dialogs if each is not dialog]


class Tabs:
    """All tabs, in the order in which they were opened.

    Attributes:
        requested: how many requests the pages have begun so far.
    """

    def __init__(self) -> None:
        self._tabs: dict[str, OpenTab] = {}
        self._sessions: dict[str, str] = {}
        self._frames: dict[str, tuple[str, str]] = {}
        self._shown = ""
        self._before: list[str] = []
        self._numbers = itertools.count(1)
        self.requested = 0

    def __iter__(self) -> Iterator[OpenTab]:
        return iter(self._tabs.values())

    @property
    def shown(self) -> OpenTab | None:
        """The tab that is captured and acted on; None where there is none."""
        return self._tabs.get(self._shown)

    def numbered(self, number: int) -> OpenTab | None:
        """The tab at a place, from 1; None where there is none."""
        tabs = list(self._tabs.values())
        return tabs[number - 1] if 1 <= number <= len(tabs) else None

    def of(self, session: str) -> OpenTab | None:
        """The tab that a session, or that of one of its frames, belongs to."""
        return self._tabs.get(self._sessions.get(session, ""))

    def add(self, target: str, session: str, *, opener: str = "") -> OpenTab:
        """A tab is being opened."""
        tab = OpenTab(target=target, session=session, opener=opener)
        self._tabs[target] = tab
        self._sessions[session] = target
        return tab

    def opened(self, target: str, *, shown: bool) -> None:
        """A tab is ready. `shown`: it was opened in front of the others, and not behind them."""
        if (tab := self._tabs.get(target)) is not None:
            tab.opening = False
            if shown or self.shown is None:
                self.show(target)

    def add_frame(self, target: str, session: str, parent: str) -> None:
        """A frame of another site has a session of its own. `parent`: the session of the frame around it."""
        self._sessions[session] = self._sessions.get(parent, "")
        self._frames[target] = (session, parent)

    def session_of(self, frame: str) -> str:
        """The session of a frame of another site; "" for any other."""
        return self._frames.get(frame, ("", ""))[0]

    def parent_session(self, session: str) -> str:
        """The session of the frame around that which a session is of."""
        return next((parent for own, parent in self._frames.values() if own == session), "")

    def sessions_of(self, tab: OpenTab) -> list[str]:
        """All sessions of a tab and its frames."""
        return [session for session, target in self._sessions.items() if target == tab.target]

    def show(self, target: str) -> None:
        """Show this tab."""
        if target in self._tabs and target != self._shown:
            self._before = [each for each in (*self._before, self._shown) if each not in ("", target)]
            self._shown = target

    def remove(self, target: str) -> None:
        """A tab was closed; its opener is shown, else the one that was shown before."""
        gone = self._tabs.pop(target, None)
        self._sessions = {session: of for session, of in self._sessions.items() if of != target}
        self._before = [each for each in self._before if each in self._tabs]
        if gone is None or self._shown != target:
            return
        last = next(reversed(self._tabs), "")
        self._shown = gone.opener if gone.opener in self._tabs else self._before.pop() if self._before else last

    def detached(self, session: str) -> None:
        """A session has ended: of a frame, or of a tab that was closed."""
        target = self._sessions.pop(session, "")
        self._frames = {frame: of for frame, of in self._frames.items() if of[0] != session}
        if (tab := self._tabs.get(target)) is not None and tab.session == session:
            self.remove(target)

    def describe(self, info: dict[str, Any]) -> bool:
        """What the browser knows of a target; whether the title of a tab is new. Its address is that of its document,
        while the browser already names the one that it goes to."""
        tab = self._tabs.get(info["targetId"])
        if tab is None or tab.title == info["title"]:
            return False
        tab.title = info["title"]
        return True

    def event(self, method: str, params: dict[str, Any], session: str) -> bool:
        """An event of a page; whether it changes what is told."""
        tab = self.of(session)
        if tab is None:
            return False
        match method:
            case "Page.frameNavigated":
                return _navigated(tab, params["frame"], own=session == tab.session)
            case "Page.navigatedWithinDocument":
                if session == tab.session and params["frameId"] == tab.target:
                    tab.url = params["url"]
                return True
            case "Page.frameAttached":
                tab.parents[params["frameId"]] = params["parentFrameId"]
                return False
            case "Page.frameDetached":
                tab.frames.pop(params["frameId"], None)
                return True
            case "Page.frameStartedLoading" | "Page.frameStoppedLoading" | "Page.frameStartedNavigating":
                if params["frameId"] == tab.target and "ameDocument" not in params.get("navigationType", ""):
                    tab.loading = method != "Page.frameStoppedLoading"
                return True
            case "Page.javascriptDialogOpening":
                self._asked(tab, params, session)
                self.show(tab.target)  # until it is answered, other tabs of the same site wait too
                return True
            case "Page.javascriptDialogClosed":
                tab.dialogs = [each for each in tab.dialogs if each.kind not in _DIALOGS.values()]
                return True
            case "Inspector.targetCrashed":
                tab.crashed = True
                return True
            case _:
                return self._network(tab, method, params)

    def ask(self, tab: OpenTab, dialog: OpenDialog) -> None:
        """A dialog opens that is none of the page's scripts."""
        tab.dialogs.append(dialog)

    def next_number(self) -> int:
        """A number for a dialog."""
        return next(self._numbers)

    def _asked(self, tab: OpenTab, params: dict[str, Any], session: str) -> None:
        kind = _DIALOGS.get(params["type"], DialogKind.CONFIRM)
        values = [params.get("defaultPrompt", "")] if kind is DialogKind.PROMPT else []
        tab.dialogs.append(OpenDialog(
            number=self.next_number(), kind=kind, session=session, message=params.get("message", ""),
            origin=origin_of(params.get("url", tab.url)), values=values,
        ))  # fmt: skip

    def _network(self, tab: OpenTab, method: str, params: dict[str, Any]) -> bool:
        """Whether requests wait now and did not before, or none waits any more."""
        waited = bool(tab.requests)
        match method:
            case "Network.requestWillBeSent":
                if not str(params["request"]["url"]).startswith(("data:", "blob:")):
                    tab.requests.add(params["requestId"])
                    self.requested += 1
            # A body that nobody reads never finishes loading, so a request counts until its answer begins.
            case "Network.responseReceived" | "Network.loadingFinished" | "Network.loadingFailed":
                tab.requests.discard(params["requestId"])
        return waited != bool(tab.requests)


def _navigated(tab: OpenTab, frame: dict[str, Any], *, own: bool) -> bool:
    origin = origin_of(frame.get("url", ""))
    if own and not frame.get("parentId"):
        # An error page stands at the address that could not be reached.
        tab.url = frame.get("unreachableUrl") or frame["url"] + frame.get("urlFragment", "")
        tab.loader = frame["loaderId"]
        tab.frames, tab.parents = {frame["id"]: origin}, {}
        tab.requests.clear()
        tab.dialogs.clear()
        tab.crashed = False
    else:
        tab.frames[frame["id"]] = origin
        if frame.get("parentId"):
            tab.parents[frame["id"]] = frame["parentId"]
    return True


def origin_of(url: str) -> str:
    """scheme://host:port of an address; the scheme alone where it has no host."""
    scheme, colon, rest = url.partition(":")
    if not rest.startswith("//"):
        return scheme + colon
    host = rest[2:].split("/")[0].split("?")[0].split("#")[0].rpartition("@")[2]
    return f"{scheme}://{host}"
