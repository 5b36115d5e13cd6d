"""Scripts of the console's own that read a page, by name, in a world that the page's scripts do not see."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from operator_console.browser.connection import Connection, ProtocolError
from operator_console.resource_files import resource_path

_WORLD = "operator-console"


class Script(StrEnum):
    """The scripts; each is a function in resources/browser/."""

    PAGE_TEXT = "page_text"


async def watch_input(browser: Connection, session: str) -> None:
    """Have each document of a tab or frame begin with resources/browser/input.js, in a world of its own."""
    await browser.send.Page.addScriptToEvaluateOnNewDocument({
        "source": resource_path("browser", "input.js").read_text(encoding="utf-8"), "worldName": _WORLD,
        "runImmediately": True,
    }, session)  # fmt: skip


async def run_script(browser: Connection, session: str, frame: str, params: dict[str, Any]) -> dict[str, Any]:
    """Run a script in a frame of a tab.

    Args:
        browser: the connection.
        session: of the tab or frame.
        frame: the frame's id, unless `params` names one.
        params: `name` of the script; `arguments`, a list of JSON values; `frame`.

    Returns:
        Under `value`, what it returned.

    Raises:
        ProtocolError: there is no such script or frame, or it failed.
    """
    script = Script(params["name"])
    source = resource_path("browser", f"{script.value}.js").read_text(encoding="utf-8")
    world = await browser.send.Page.createIsolatedWorld(
        {"frameId": str(params.get("frame") or frame), "worldName": _WORLD}, session
    )
    result = await browser.send.Runtime.callFunctionOn({
        "functionDeclaration": source, "executionContextId": world["executionContextId"], "returnByValue": True,
        "arguments": [{"value": value} for value in params.get("arguments", [])],
    }, session)  # fmt: skip
    if "exceptionDetails" in result.keys():  # noqa: SIM118  the type says that it is always there
        raise ProtocolError("the script failed")
    return {"value": result["result"].get("value")}
