"""What stands in a page, through its frames and shadow roots: at a point, with the focus, or all that can be seen.

Answers are JSON. Lengths in them are CSS pixels of the page, whichever frame an element is in. An element's id names
the browser's target, the frame where that is another, and the element as long as its document lives:
`<target>[:<frame>]/<element>`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from operator_console.browser.devtools import Connection, ConnectionLost, ProtocolError
from operator_console.browser.host.scripts import Script, Worlds
from operator_console.browser.host.tabs import OpenTab, Tabs

_DEEPEST, _MOST_FRAMES = 6, 40
_WITHIN_S = 3.0
"""How long a page may take to answer: it may be busy for ever."""
_LISTENED = frozenset(("click", "mousedown", "mouseup", "pointerdown", "pointerup"))
_FRAMES = frozenset(("IFRAME", "FRAME"))

Box = Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a frame is: its session and id, and where its corner is on the page, with pixels of the page for each of
    its own. `clip`: the part of it that can be seen."""

    target: str
    session: str
    frame: str
    x: float = 0.0
    y: float = 0.0
    across: float = 1.0
    down: float = 1.0
    clip: tuple[float, float, float, float] | None = None

    def inner(self, x: float, y: float) -> tuple[float, float]:
        """A point of the page in the frame's own pixels."""
        return (x - self.x) / self.across, (y - self.y) / self.down

    def outer(self, box: Box) -> list[float]:
        """A box of the frame on the page."""
        x, y, width, height = box
        return [self.x + x * self.across, self.y + y * self.down, width * self.across, height * self.down]

    def name(self, element: str) -> str:
        """The id of an element of it."""
        return f"{self.target}{f':{self.frame}' if self.frame != self.target else ''}/{element}"

    def placed(self, told: dict[str, Any], url: str) -> dict[str, Any]:
        """What a script told of an element, in terms of the page."""
        seen = self.outer(told["seen"]) if "seen" in told else None
        if seen is not None and self.clip is not None:
            seen = _cut(seen, self.clip)
        return {**told, "id": self.name(told["id"]), "box": self.outer(told["box"]), "url": url, "seen": seen}


class PageElements:
    """Looks at the elements of tabs. Every question ends in time; what a frame does not answer is left out."""

    def __init__(self, browser: Connection, tabs: Tabs, worlds: Worlds) -> None:
        self._browser = browser
        self._tabs = tabs
        self._worlds = worlds
        self._questions = itertools.count(1)
        self._releasing: set[asyncio.Task[None]] = set()

    async def at(self, tab: OpenTab, points: Sequence[Sequence[float]]) -> list[dict[str, Any] | None]:
        """The control, or else the deepest element, at each point of the page."""
        async with self._question(tab) as group:
            return list(await asyncio.gather(*(self._at(tab, float(x), float(y), group) for x, y in points)))

    async def focused(self, tab: OpenTab) -> dict[str, Any] | None:
        """The element that gets keys; the document where none has the focus."""
        async with self._question(tab) as group:
            found = await self._deepest(tab, group, "active")
            if found is None:
                return None
            place, node = found
            return await self._told(place, node, group, await self._value(place, "told", node))

    async def listed(self, tab: OpenTab, kind: str, most: int) -> list[dict[str, Any]]:
        """What can be seen, frame by frame in reading order. `kind`: "all", "controls" or "fields"."""
        found: list[dict[str, Any]] = []
        with contextlib.suppress(TimeoutError):
            async with self._question(tab) as group:
                await self._list(_whole(tab), kind, most, group, found, 0)
        return found[:most]

    async def lines(self, tab: OpenTab, most: int) -> dict[str, Any]:
        """The lines of text that can be seen, with their words, and the pictures, whose text is not told."""
        told: dict[str, Any] = {"lines": [], "pictures": []}
        with contextlib.suppress(TimeoutError):
            async with self._question(tab) as group:
                await self._lines(_whole(tab), most, group, told, 0)
        return told

    async def open_list(self, tab: OpenTab) -> dict[str, Any] | None:
        """The list or picker that the browser shows over the page for the element with the focus; None for none."""
        async with self._question(tab) as group:
            found = await self._deepest(tab, group, "active")
            if found is None:
                return None
            place, node = found
            told = await self._value(place, "open", node)
            if not told:
                return None
            made = {**told, "id": place.name(told["id"])}
            return {**made, "box": place.outer(told["box"])} if "box" in told else made

    async def element(self, tab: OpenTab, element: str) -> dict[str, Any] | None:
        """What an element is now; None if it is gone or has no place on the page."""
        async with self._question(tab) as group:
            found = await self._named(tab, element, group)
            if found is None:
                return None
            place, node = found
            told = await self._told(place, node, group, await self._value(place, "told", node))
            quads = await self._browser.send_raw("DOM.getContentQuads", {"objectId": node["objectId"]}, place.session)
            return told if quads["quads"] else None

    async def reach(self, tab: OpenTab, element: str) -> list[float] | None:
        """Scroll an element into view; a point of the page where a click reaches it, None where something covers it."""
        async with self._question(tab) as group:
            found = await self._named(tab, element, group)
            if found is None:
                return None
            place, node = found
            await self._browser.send_raw("DOM.scrollIntoViewIfNeeded", {"objectId": node["objectId"]}, place.session)
            number = element.partition("/")[2]
            before = now = None
            for _ in range(40):  # a page may scroll smoothly
                now = await self._value(place, "spot", number)
                if now is None or now == before:
                    break
                before = now
                await asyncio.sleep(0.02)
            place, node = await self._named(tab, element, group) or (place, node)  # its frame may have been scrolled
            spot = now and now["spot"]
            if not spot:
                return None
            x, y = place.outer([*spot, 0, 0])[:2]
            there = await self._deepest(tab, group, "point", (x, y))
            if there is None or there[0].frame != place.frame:
                return None
            return [x, y] if await self._value(place, "within", number, there[1]) else None

    async def focus(self, tab: OpenTab, element: str) -> bool:
        """Give an element the keyboard focus; whether it has it then."""
        async with self._question(tab) as group:
            found = await self._named(tab, element, group)
            if found is None:
                return False
            place, node = found
            await self._browser.send_raw("DOM.focus", {"objectId": node["objectId"]}, place.session)
            active = await self._deepest(tab, group, "active")
            if active is None or active[0].frame != place.frame:
                return False
            return bool(await self._value(place, "within", element.partition("/")[2], active[1]))

    async def options(self, tab: OpenTab, element: str) -> dict[str, Any] | None:
        """The options of a `<select>` and which is chosen; None for another element."""
        async with self._question(tab) as group:
            found = await self._named(tab, element, group)
            if found is None:
                return None
            place, _ = found
            told = await self._value(place, "options", element.partition("/")[2])
            return {**told, "options": [{**each, "id": place.name(each["id"])} for each in told["options"]]}

    @asynccontextmanager
    async def _question(self, tab: OpenTab) -> AsyncIterator[str]:
        """A name for the objects of one question, which are let go afterwards."""
        group = f"look {next(self._questions)}"
        try:
            async with asyncio.timeout(_WITHIN_S):
                yield group
        finally:
            for session in self._tabs.sessions_of(tab):
                task = asyncio.create_task(self._release(session, group), name="release")
                self._releasing.add(task)
                task.add_done_callback(self._releasing.discard)

    async def _release(self, session: str, group: str) -> None:
        with contextlib.suppress(ProtocolError, ConnectionLost):
            await self._browser.send.Runtime.releaseObjectGroup({"objectGroup": group}, session)

    async def _value(self, place: Place, command: str, *arguments: Any) -> Any:
        return await self._worlds.value(Script.ELEMENTS, place.session, place.frame, command, *arguments)

    async def _node(self, place: Place, group: str, command: str, *arguments: Any) -> dict[str, Any] | None:
        return await self._worlds.node(Script.ELEMENTS, place.session, place.frame, group, command, *arguments)

    async def _at(self, tab: OpenTab, x: float, y: float, group: str) -> dict[str, Any] | None:
        with contextlib.suppress(ProtocolError):  # the page goes away
            found = await self._deepest(tab, group, "point", (x, y))
            if found is not None:
                place, node = found
                told = await self._value(place, "tell", node, *place.inner(x, y))
                control = await self._node(place, group, "node", told["id"])
                return await self._told(place, control or node, group, told)
        return None

    async def _told(self, place: Place, node: dict[str, Any], group: str, told: dict[str, Any]) -> dict[str, Any]:
        """What the script told, with what the browser computes for assistive technology, and whether it is heard."""
        tree: dict[str, Any] = {}
        with contextlib.suppress(ProtocolError):
            tree = await self._browser.send_raw(
                "Accessibility.getPartialAXTree", {"objectId": node["objectId"], "fetchRelatives": False}, place.session
            )
        nodes = list(tree.get("nodes", ()))
        listens = (
            not told["actions"] and await self._listens(place, nodes[0]["backendDOMNodeId"], group) if nodes else False
        )
        shown = [each for each in nodes if not each.get("ignored")]
        return {**place.placed(told, told["url"]), "accessible": shown[0] if shown else None, "listens": listens}

    async def _listens(self, place: Place, node: int, group: str) -> bool:
        """Whether the page's own scripts listen for presses on an element itself."""
        send = self._browser.send_raw
        with contextlib.suppress(ProtocolError):
            theirs = await send("DOM.resolveNode", {"backendNodeId": node, "objectGroup": group}, place.session)
            found = await send(
                "DOMDebugger.getEventListeners", {"objectId": theirs["object"]["objectId"]}, place.session
            )
            return any(each["type"] in _LISTENED for each in found["listeners"])
        return False

    async def _deepest(
        self, tab: OpenTab, group: str, command: str, at: tuple[float, float] | None = None
    ) -> tuple[Place, dict[str, Any]] | None:
        """The deepest node that a command finds, "point" at a point of the page or "active", and its frame; through
        frames and closed shadow roots."""
        place = _whole(tab)
        for _ in range(_DEEPEST):
            inside = () if at is None else place.inner(*at)
            node = await self._node(place, group, command, *inside)
            if node is None:
                return None
            node, told = await self._in_closed_root(place, node, group, command, *inside)
            inner = await self._frame_in(place, node, told)
            if inner is None:
                return place, node
            place = inner
        return None

    async def _in_closed_root(
        self, place: Place, node: dict[str, Any], group: str, command: str, *arguments: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The node, or what the command finds in its closed shadow root; and what the DOM tells of it."""
        told = await self._described(place, node)
        for _ in range(_DEEPEST):
            root = _closed_root(told)
            if root is None:
                break
            shadow = await self._worlds.resolved(place.session, place.frame, group, root)
            deeper = await self._node(place, group, command, *arguments, {"objectId": shadow["objectId"]})
            inner = told if deeper is None else await self._described(place, deeper)
            if deeper is None or inner["backendNodeId"] == told["backendNodeId"]:
                break
            node, told = deeper, inner
        return node, told

    async def _described(self, place: Place, node: dict[str, Any]) -> dict[str, Any]:
        told = await self._browser.send_raw("DOM.describeNode", {"objectId": node["objectId"]}, place.session)
        return {**told["node"]}

    async def _frame_in(self, place: Place, node: dict[str, Any], told: dict[str, Any]) -> Place | None:
        """The frame that an element shows; None if it shows none."""
        if told.get("nodeName") not in _FRAMES or "frameId" not in told:
            return None
        where = await self._value(place, "frame", {"objectId": node["objectId"]})
        return self._inner(place, told["frameId"], where)

    def _inner(self, place: Place, frame: str, where: dict[str, Any]) -> Place:
        session = self._tabs.session_of(frame)
        x, y, across, down = place.outer([where["x"], where["y"], where["across"], where["down"]])
        clip = None if where["seen"] is None else tuple(place.outer(where["seen"]))
        if clip is not None and place.clip is not None:
            clip = tuple(_cut(clip, place.clip))
        return Place(
            target=frame if session else place.target, session=session or place.session, frame=frame, x=x, y=y,
            across=across, down=down, clip=clip,  # type: ignore[arg-type]
        )  # fmt: skip

    async def _list(
        self, place: Place, kind: str, most: int, group: str, found: list[dict[str, Any]], depth: int
    ) -> None:
        with contextlib.suppress(ProtocolError):
            told = await self._value(place, "list", kind, most)
            frames = list(told["frames"])
            found += [place.placed(each, told["url"]) for each in told["elements"]]
            for root in await self._closed_roots(place, told["hosts"], group):
                inner = await self._value(place, "list", kind, most, root)
                found += [place.placed(each, told["url"]) for each in inner["elements"]]
                frames += inner["frames"]
            if depth < _DEEPEST:
                await asyncio.gather(*(
                    self._list(each, kind, most, group, found, depth + 1)
                    for each in await self._frames(place, frames, group)
                ))  # fmt: skip

    async def _lines(self, place: Place, most: int, group: str, found: dict[str, Any], depth: int) -> None:
        with contextlib.suppress(ProtocolError):
            told = await self._value(place, "lines", most)
            for line in told["lines"]:
                parts = [{**part, "box": place.outer(part["box"])} for part in line["parts"]]
                found["lines"].append({"text": line["text"], "box": place.outer(line["box"]), "parts": parts})
            found["pictures"] += [place.outer(each) for each in told["pictures"]]
            if depth < _DEEPEST:
                await asyncio.gather(*(
                    self._lines(each, most, group, found, depth + 1)
                    for each in await self._frames(place, told["frames"], group)
                ))  # fmt: skip

    async def _frames(self, place: Place, frames: Sequence[dict[str, Any]], group: str) -> list[Place]:
        """The frames of these elements."""

        async def one(where: dict[str, Any]) -> Place | None:
            node = await self._node(place, group, "node", where["id"])
            told = {} if node is None else await self._described(place, node)
            return self._inner(place, told["frameId"], where) if "frameId" in told else None

        return [each for each in await asyncio.gather(*map(one, frames[:_MOST_FRAMES])) if each is not None]

    async def _closed_roots(self, place: Place, hosts: Sequence[str], group: str) -> list[dict[str, Any]]:
        """The closed shadow roots among these elements."""

        async def one(host: str) -> dict[str, Any] | None:
            node = await self._node(place, group, "node", host)
            root = None if node is None else _closed_root(await self._described(place, node))
            if root is None:
                return None
            shadow = await self._worlds.resolved(place.session, place.frame, group, root)
            return {"objectId": shadow["objectId"]}

        return [each for each in await asyncio.gather(*map(one, hosts)) if each is not None]

    async def _named(self, tab: OpenTab, element: str, group: str) -> tuple[Place, dict[str, Any]] | None:
        """The element with an id, and its frame; None if its document or it is gone."""
        where, _, number = element.partition("/")
        target, _, frame = where.partition(":")
        session = tab.session if target == tab.target else self._tabs.session_of(target)
        if not session or self._tabs.of(session) is not tab:
            return None
        place = Place(target=target, session=session, frame=frame or target)
        with contextlib.suppress(ProtocolError):
            node = await self._node(place, group, "node", number)
            if node is not None:
                return await self._located(tab, place), node
        return None

    async def _located(self, tab: OpenTab, place: Place) -> Place:
        """A frame with its place on the page."""
        owners: list[tuple[str, str]] = []
        frame, session = place.frame, place.session
        while frame != tab.target and len(owners) < _DEEPEST:
            outer = self._tabs.parent_session(session) if self._tabs.session_of(frame) == session else session
            owners.append((outer, frame))
            frame = tab.parents.get(frame, tab.target)
            session = outer
        found = _whole(tab)
        group = f"look {next(self._questions)}"
        for owner_session, child in reversed(owners):
            owner = await self._browser.send.DOM.getFrameOwner({"frameId": child}, owner_session)
            node = await self._worlds.resolved(owner_session, found.frame, group, owner["backendNodeId"])
            where = await self._value(found, "frame", {"objectId": node["objectId"]})
            found = self._inner(found, child, where)
            await self._release(owner_session, group)
        return found


def _whole(tab: OpenTab) -> Place:
    return Place(target=tab.target, session=tab.session, frame=tab.target)


def _closed_root(told: dict[str, Any]) -> int | None:
    roots = (each for each in told.get("shadowRoots", ()) if each.get("shadowRootType") == "closed")
    return next((each["backendNodeId"] for each in roots), None)


def _cut(box: Box, clip: Box) -> list[float]:
    left, top = max(box[0], clip[0]), max(box[1], clip[1])
    right, bottom = min(box[0] + box[2], clip[0] + clip[2]), min(box[1] + box[3], clip[1] + clip[3])
    return [left, top, max(0.0, right - left), max(0.0, bottom - top)]
