"""Dialogs that wait for an answer: those of scripts, HTTP authentication, and the choice of a file.

The browser shows none of them: the console draws them, and what acts fills them in and answers them here. Files are
chosen from one folder of the operator's, which offers nothing that a link leads to.
"""

from __future__ import annotations

import contextlib
import mimetypes
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from operator_console.browser.devtools import Connection, ProtocolError
from operator_console.browser.dialog_layout import WHOLE_FOLDER, DialogLayout, PartKind
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.host.tabs import OpenDialog, OpenTab, Tabs, origin_of
from operator_console.domain.geometry import NativePoint
from operator_console.domain.pages import DialogKind

MOST_FILES = 200


class Uploads:
    """Files that may be uploaded. `folder`: None offers none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def offered(self, accept: str = "") -> tuple[str, ...]:
        """Their names, in order; `accept`: as the page says, which of them it takes ("" for all)."""
        wanted = [each.strip().lower() for each in accept.split(",") if each.strip()]
        names = (name for name in self._names() if not wanted or any(_is(name, each) for each in wanted))
        return tuple(sorted(names, key=str.casefold)[:MOST_FILES])

    def paths(self, names: Sequence[str]) -> list[Path] | None:
        """Where these files are; None if one of them is not offered."""
        if self._folder is None or not names or not set(names) <= set(self._names()):
            return None
        return [self._folder / name for name in names]

    def _names(self) -> Iterator[str]:
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            for each in self._folder.iterdir():
                if each.is_file() and not each.is_symlink() and not each.name.startswith("."):
                    yield each.name


def _is(name: str, wanted: str) -> bool:
    """Whether a file is what one part of the attribute `accept` names: ".pdf", "image/png", "image/*"."""
    if wanted.startswith("."):
        return name.lower().endswith(wanted)
    kind = mimetypes.guess_type(name)[0] or ""
    return kind == wanted or (wanted.endswith("/*") and kind.startswith(wanted[:-1]))


class Step(StrEnum):
    """What can be done to a dialog."""

    ACCEPT = "accept"
    DISMISS = "dismiss"
    FOCUS = "focus"
    """A field, by its number, gets the keys."""
    TYPE = "type"
    ERASE = "erase"
    """The last character of the field with the focus, or all of it if it is selected."""
    SELECT = "select"
    """All of that field: what is typed next takes its place."""
    CLEAR = "clear"
    SCROLL = "scroll"
    """A list, so that another row is its first."""


Do = tuple[Step, dict[str, Any]]
"""A step, with what belongs to it."""


def clicked(layout: DialogLayout, at: NativePoint) -> list[Do]:
    """What a click at a pixel does to the dialog that is drawn there. Lists are answered by keys."""
    part = layout.part_at(at.x, at.y)
    if part is None:
        return []
    match part.kind:
        case PartKind.ACCEPT:
            return [(Step.ACCEPT, {})]
        case PartKind.DISMISS:
            return [(Step.DISMISS, {})]
        case PartKind.FIELD:
            return [(Step.FOCUS, {"field": part.number})]
        case PartKind.FILE:
            return [(Step.CLEAR, {}), (Step.TYPE, {"text": part.name})]
        case PartKind.OPTION | PartKind.DISABLED:
            return []


class Dialogs:
    """Opens dialogs that the browser reports, and answers them.

    Args:
        tabs: to which they belong.
        browser: where the answer is sent.
        options: the folder for uploads.
        changed: called when one opens or changes.
    """

    def __init__(self, tabs: Tabs, browser: Connection, options: HostOptions, changed: Callable[[], None]) -> None:
        self._tabs = tabs
        self._browser = browser
        self._uploads = Uploads(Path(options.upload_folder) if options.upload_folder else None)
        self._changed = changed

    async def sign_in(self, params: dict[str, Any], session: str) -> None:
        """A server asks for user name and password. Asked for is what the page itself needs; all else goes without."""
        challenge, tab = params["authChallenge"], self._tabs.of(session)
        own = tab is not None and params["resourceType"] == "Document" and params["frameId"] == tab.target
        if tab is None or not own or challenge.get("source") == "Proxy":
            await self._browser.send.Fetch.continueWithAuth(
                {"requestId": params["requestId"], "authChallengeResponse": {"response": "CancelAuth"}}, session
            )
            return
        self._tabs.ask(tab, OpenDialog(
            number=self._tabs.next_number(), kind=DialogKind.SIGN_IN, session=session,
            message=challenge.get("realm", ""), origin=origin_of(challenge.get("origin", "")), values=["", ""],
            request=params["requestId"],
        ))  # fmt: skip
        self._changed()

    async def choose_file(self, params: dict[str, Any], session: str) -> None:
        """A page asks for files. A whole folder is not offered."""
        tab = self._tabs.of(session)
        if tab is None or "backendNodeId" not in params:
            return
        node = params["backendNodeId"]
        told = await self._browser.send.DOM.describeNode({"backendNodeId": node}, session)
        flat = told["node"].get("attributes", [])
        attributes = dict(zip(flat[::2], flat[1::2], strict=True))
        whole_folder = "webkitdirectory" in attributes
        self._tabs.ask(tab, OpenDialog(
            number=self._tabs.next_number(), kind=DialogKind.CHOOSE_FILE, session=session,
            message=WHOLE_FOLDER if whole_folder else "",
            origin=tab.frames.get(params["frameId"], origin_of(tab.url)), values=[""],
            files=() if whole_folder else self._uploads.offered(attributes.get("accept", "")),
            several=params["mode"] == "selectMultiple", node=node,
        ))  # fmt: skip
        self._changed()

    async def answer(self, tab: OpenTab, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out a step on the dialog with the number `dialog`. Raises ProtocolError if it is none of now's."""
        dialog = tab.dialogs[-1] if tab.dialogs else None
        if dialog is None or dialog.number != params["dialog"]:
            raise ProtocolError("this dialog is not open any more")
        step = Step(params["do"])
        if step is Step.ACCEPT:
            await self._end(dialog, accept=True)
            tab.close(dialog)
        elif step is Step.DISMISS:
            await self.dismiss(tab, dialog)
        elif step is Step.FOCUS:
            dialog.focus = min(max(int(params["field"]), 0), max(len(dialog.values) - 1, 0))
        elif step is Step.SCROLL:
            dialog.first = int(params["first"])
            dialog.selected = False
        elif dialog.values:
            value = "" if dialog.selected and step is not Step.SELECT else dialog.values[dialog.focus]
            edited = {Step.TYPE: value + str(params.get("text", "")), Step.ERASE: value[:-1], Step.CLEAR: ""}
            dialog.values[dialog.focus] = edited.get(step, value)
            dialog.selected = step is Step.SELECT
        self._changed()
        return {}

    async def dismiss(self, tab: OpenTab, dialog: OpenDialog) -> None:
        """Close a dialog with its answer "no"; one that waits no more is forgotten."""
        tab.close(dialog)
        with contextlib.suppress(ProtocolError):
            await self._end(dialog, accept=False)

    async def _end(self, dialog: OpenDialog, *, accept: bool) -> None:
        send = self._browser.send
        match dialog.kind:
            case DialogKind.SIGN_IN:
                given: Any = {"response": "CancelAuth"}
                if accept:
                    user, password = dialog.values
                    given = {"response": "ProvideCredentials", "username": user, "password": password}
                await send.Fetch.continueWithAuth(
                    {"requestId": dialog.request, "authChallengeResponse": given}, dialog.session
                )
            case DialogKind.CHOOSE_FILE:
                if accept:
                    files = [str(path) for path in self._chosen(dialog)]
                    await send.DOM.setFileInputFiles({"files": files, "backendNodeId": dialog.node}, dialog.session)
            case DialogKind.LIST:
                return  # its keys answer it
            case _:
                answer: Any = {"accept": accept}
                if dialog.kind is DialogKind.PROMPT:
                    answer["promptText"] = dialog.values[0]
                await send.Page.handleJavaScriptDialog(answer, dialog.session)

    def _chosen(self, dialog: OpenDialog) -> list[Path]:
        """The files that the field names. Raises ProtocolError if one is not offered."""
        text = dialog.values[0]
        names = re.findall(r'"([^"]+)"', text) or [text.strip()]
        paths = self._uploads.paths(names) if set(names) <= set(dialog.files) else None
        if paths is None or (len(paths) > 1 and not dialog.several):
            raise ProtocolError("only the listed files can be chosen")
        return paths
