"""Scripts of the console's own that read a page, by name, in a world that the page's scripts do not see."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Any

from operator_console.browser.devtools import Connection, ProtocolError
from operator_console.resource_files import resource_path

WORLD = "operator-console"
"""The name of their world."""

_MOST_KEPT = 500  # worlds of frames


class Script(StrEnum):
    """The scripts; each is a function in resources/browser/."""

    PAGE_TEXT = "page_text"
    ELEMENTS = "elements"
    INPUT = "input"
    QUIET_MENUS = "quiet_menus"


async def watch_input(browser: Connection, session: str) -> None:
    """Have each document of a tab or frame begin with input.js and quiet_menus.js."""
    sources = (source_of(Script.INPUT), f"({source_of(Script.QUIET_MENUS)})()")
    for source in sources:
        await browser.send.Page.addScriptToEvaluateOnNewDocument(
            {"source": source, "worldName": WORLD, "runImmediately": True}, session
        )


@cache
def source_of(script: Script) -> str:
    """The text of a script."""
    return resource_path("browser", f"{script.value}.js").read_text(encoding="utf-8")


class Worlds:
    """Runs the scripts in frames: in each, in one world of its own as long as its document lives."""

    def __init__(self, browser: Connection) -> None:
        self._browser = browser
        self._contexts: dict[tuple[str, str], int] = {}

    async def value(self, script: Script, session: str, frame: str, *arguments: Any) -> Any:
        """What a script returns, as JSON. Arguments are JSON, or remote objects ({"objectId": ...}).

        Raises ProtocolError, ConnectionLost: there is no such frame, or the script failed.
        """
        return (await self._run(script, session, frame, arguments, {"returnByValue": True})).get("value")

    async def node(
        self, script: Script, session: str, frame: str, group: str, *arguments: Any
    ) -> dict[str, Any] | None:
        """The node that a script returns, as a remote object of a group; None for none. Raises as `value`."""
        found = await self._run(script, session, frame, arguments, {"objectGroup": group})
        return found if found.get("subtype") == "node" else None

    async def resolved(self, session: str, frame: str, group: str, node: int) -> dict[str, Any]:
        """A node of the DOM, by its backend id, as a remote object in the world of the scripts."""
        told = await self._browser.send.DOM.resolveNode({
            "backendNodeId": node, "executionContextId": await self._context(session, frame), "objectGroup": group,
        }, session)  # fmt: skip
        return {**told["object"]}

    async def _run(
        self, script: Script, session: str, frame: str, arguments: tuple[Any, ...], how: dict[str, Any]
    ) -> dict[str, Any]:
        given = [each if isinstance(each, dict) and "objectId" in each else {"value": each} for each in arguments]
        call = {"functionDeclaration": source_of(script), "arguments": given, **how}
        try:
            told = await self._called(session, frame, call)
        except ProtocolError:  # another document came, before or meanwhile
            self._contexts.pop((session, frame), None)
            told = await self._called(session, frame, call)
        if "exceptionDetails" in told:
            raise ProtocolError(
                f"the script failed: {told['exceptionDetails'].get('exception', {}).get('description')}"
            )
        return {**told["result"]}

    async def _called(self, session: str, frame: str, call: dict[str, Any]) -> dict[str, Any]:
        where = {"executionContextId": await self._context(session, frame)}
        return await self._browser.send_raw("Runtime.callFunctionOn", call | where, session)

    async def _context(self, session: str, frame: str) -> int:
        key = (session, frame)
        if key not in self._contexts:
            made = await self._browser.send.Page.createIsolatedWorld({"frameId": frame, "worldName": WORLD}, session)
            self._contexts[key] = made["executionContextId"]
            while len(self._contexts) > _MOST_KEPT:
                self._contexts.pop(next(iter(self._contexts)))
        return self._contexts[key]
