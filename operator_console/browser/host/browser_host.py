"""The browser host's loop: starts the browser, follows its tabs, and serves the console and the injector.

Each side connects to a socket of its own (`roles.py`) and names a tab's frame by its target id where the protocol has a
session; "" is the tab that is shown. `Operator.*` are commands and events of the host's own:

    Operator.state          everything about tabs and the document that is shown
    Operator.text           the text of the page
    Operator.elements       what stands in it: `elements.py`
    Operator.element        what an element is now; scrolls it into view, gives it the focus
    Operator.navigate, Operator.history, Operator.openTab, Operator.showTab, Operator.closeTab
    Operator.revive         loads a page again that has crashed
    Operator.lastPaint      when the page was last painted
    Operator.release        releases what this side holds, without a click or a drop
    Operator.dialog         fills in or answers the dialog that waits
    Operator.changed        (event, to the console) the state
    Operator.painted        (event, to the console) its last picture is no longer what is shown
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import select
import shutil
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from operator_console import __version__
from operator_console.browser.chromium import BrowserProcess, LaunchOptions, launch
from operator_console.browser.devtools import Connection, ConnectionLost, NotAMessage, ProtocolError, Unpacker, packed
from operator_console.browser.dialog_layout import SECRET_FIELDS
from operator_console.browser.fence.browser_arguments import PREFERENCES, fence_arguments
from operator_console.browser.fence.proxy import Fence
from operator_console.browser.host.dialogs import Dialogs
from operator_console.browser.host.downloads import Downloads
from operator_console.browser.host.element_search import PageElements
from operator_console.browser.host.har import HttpArchive
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.host.input_queue import InputQueue, Send
from operator_console.browser.host.open_lists import OpenLists
from operator_console.browser.host.paint_watch import PaintWatch
from operator_console.browser.host.roles import ADDRESS_NOT_OPENED, COMMANDS, Role, is_input
from operator_console.browser.host.scripts import Script, Worlds, watch_input
from operator_console.browser.host.tabs import OpenDialog, OpenTab, Tabs
from operator_console.browser.kept_profile import NotRestored, keep, restore
from operator_console.browser.site_rules import EMPTY_PAGE, SiteRules, may_open, preferences
from operator_console.domain.events import Blocked

_READ_BYTES = 1 << 18
_START_S = 20.0
_KEEPS_SESSION_COOKIES = {"session": {"restore_on_startup": 1}}  # as "Continue where you left off" does
_END_S = 5.0
_ANSWER_S = 4.0  # for a server's first answer; it goes on loading afterwards
_SOON_S = 2.0  # for what the browser does by itself, after it has said that it will
_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
# The browser's own controls are no tabs.
_PAGES_AND_WORKERS = [*({"type": kind, "exclude": True} for kind in ("browser", "tab", "browser_ui")), {}]
_log = logging.getLogger(__name__)


def state_of(tabs: Tabs, *, scale: float, pointer: tuple[float, float] | None) -> dict[str, Any]:
    """As JSON.

    Keys: tabs (target, url, title, shown), document, url, title, loading, crashed, requests (those that wait
    for their answer), requested (how many were made so far), scale (pixels for each CSS pixel), pointer (CSS pixels),
    picker (the kind of field), dialog.
    """
    shown = tabs.shown
    listed = [
        {"target": tab.target, "url": tab.url, "title": tab.title, "shown": tab is shown} for tab in tabs
    ]  # fmt: skip
    state: dict[str, Any] = {"tabs": listed, "requested": tabs.requested, "pointer": pointer, "scale": scale}
    if shown is not None:
        dialog = shown.dialogs[-1] if shown.dialogs else None
        state |= {
            "document": f"{shown.target}:{shown.loader}", "url": shown.url, "title": shown.title,
            "crashed": shown.crashed, "picker": shown.picker,
            "loading": shown.loading or any(tab.opening for tab in tabs), "requests": len(shown.requests),
            "dialog": None if dialog is None else _told(dialog),
        }  # fmt: skip
    return state


def _told(dialog: OpenDialog) -> dict[str, Any]:
    hidden = SECRET_FIELDS.get(dialog.kind)
    return {
        "number": dialog.number, "kind": dialog.kind.value, "message": dialog.message, "origin": dialog.origin,
        "values": ["" if number == hidden else value for number, value in enumerate(dialog.values)],
        "filled": [bool(value) for value in dialog.values], "focus": dialog.focus, "files": list(dialog.files),
        "several": dialog.several, "options": dialog.options, "chosen": dialog.chosen, "first": dialog.first,
        "element": dialog.element, "beside": dialog.beside,
    }  # fmt: skip


class CommandRefused(RuntimeError):
    """A side asked for what it may not do, or what cannot be done now. `code`: of the answer."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


async def serve(options: HostOptions) -> int:
    """Run until standard input ends or the browser is gone. Returns the exit code.

    Prints one line of JSON when the browser is ready, or could not be started: {"ready": ...} or {"failed": why}.
    """
    try:
        return await _served(options)
    finally:
        await asyncio.to_thread(shutil.rmtree, options.folder, ignore_errors=True)


async def _served(options: HostOptions) -> int:
    try:
        async with asyncio.timeout(_START_S):
            host = await Host.start(options)
    except (OSError, TimeoutError, ProtocolError, NotRestored) as error:
        why = "it did not answer in time" if isinstance(error, TimeoutError) else str(error)
        _say({"failed": why, "log": _last_lines(Path(options.folder) / "browser.log")})
        return 1
    try:
        _say({"ready": host.version, "pid": host.pid})
        await host.run()
    finally:
        await host.close()
    return 0


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _last_lines(log: Path) -> str:
    with contextlib.suppress(OSError):
        return "\n".join(log.read_text(errors="replace").splitlines()[-5:])
    return ""


class Host:
    """The browser of one session, and who is connected to it. Make it with `start`."""

    def __init__(
        self, options: HostOptions, process: BrowserProcess | None, browser: Connection, fence: Fence | None = None
    ) -> None:
        self._options = options
        self._fence = fence
        if fence is not None:
            fence.tell(self._blocked)
        self._process = process
        self._scale = options.scale
        self._browser = browser
        self._tabs = Tabs()
        self._dialogs = Dialogs(self._tabs, browser, options, self._changed)
        self._paints = PaintWatch(browser, lambda: self._tell("Operator.painted", {}))
        self._downloads = Downloads(Path(options.downloads), self._tell)
        self._worlds = Worlds(browser)
        self._elements = PageElements(browser, self._tabs, self._worlds)
        self._lists = OpenLists(self._tabs, self._elements, self._changed)
        self._clients: dict[Role, Client] = {}
        self._servers: list[asyncio.Server] = []
        self._over = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._first = asyncio.Event()
        self._happened = asyncio.Event()
        self._pointer: tuple[float, float] | None = None
        self._archive: HttpArchive | None = None
        self._note: Callable[[str, dict[str, Any]], None] = lambda *_: None
        self._front = ""
        self.version = ""

    @classmethod
    async def start(cls, options: HostOptions) -> Host:
        """Start the browser, or join an open one, and wait for its first tab. Raises OSError, ProtocolError."""
        if options.joins:
            from operator_console.browser.open_browser import join

            return await cls._begun(cls(options, None, Connection(*await join(options.joins))))
        if options.kept_profile:
            await asyncio.to_thread(restore, Path(options.kept_profile), options.profile_key, options.profile)
        fence = Fence(SiteRules(allowed=options.allowed, blocked=options.blocked, start=options.url))
        address = await fence.start()
        kept = _KEEPS_SESSION_COOKIES if options.kept_profile else {}
        launching = LaunchOptions(
            program=Path(options.program), profile=options.profile, width=options.width, height=options.height,
            scale=options.scale, headless=options.headless, arguments=fence_arguments(address),
            preferences={**preferences(options.url), **PREFERENCES, **kept},
        )  # fmt: skip
        environment = {**os.environ, "TMPDIR": options.folder}
        try:
            process, reader, writer = await launch(launching, environment, Path(options.folder) / "browser.log")
        except BaseException:
            await fence.close()
            raise
        return await cls._begun(cls(options, process, Connection(reader, writer), fence))

    @staticmethod
    async def _begun(host: Host) -> Host:
        try:
            await host._begin()
        except BaseException:
            await host.close()
            raise
        return host

    async def _begin(self) -> None:
        self._browser.listen(self._event, self._over.set)
        send = self._browser.send
        self.version = (await send.Browser.getVersion())["product"]
        if self._options.har:
            self._archive = HttpArchive(self.version, __version__)
            self._note = self._archive.event
        await asyncio.to_thread(self._downloads.prepare)
        await send.Browser.setDownloadBehavior(
            {"behavior": "allowAndName", "downloadPath": self._options.downloads, "eventsEnabled": True}
        )
        await send.Target.setDiscoverTargets({"discover": True})
        await send.Target.setAutoAttach({**_ATTACH, "filter": _PAGES_AND_WORKERS})  # type: ignore[typeddict-item]
        await self._first.wait()
        tab = self._tabs.shown
        if tab is None:
            raise ProtocolError("the browser has no tab")
        if self._process is None:
            await self._take_over_open(tab)
        elif not self._options.headless:
            await self._fit_window(tab)
        tab.loading = bool(self._options.url)
        if self._options.url:  # it may ask for a password before it answers
            self._start(self._first_page(tab, self._options.url), "first page")
        for role in Role:
            path = self._options.socket(role)
            self._servers.append(await asyncio.start_unix_server(self._accepted(role), path))
            path.chmod(0o600)

    async def _take_over_open(self, tab: OpenTab) -> None:
        """Work on in an open browser, with a tab of its own where an address is given."""
        send = self._browser.send
        if self._options.url:
            await send.Target.createTarget({"url": EMPTY_PAGE})
            await self._until(lambda: self._tabs.shown not in (None, tab))
            tab = self._tabs.shown or tab
        found = await send.Runtime.evaluate({"expression": "devicePixelRatio", "returnByValue": True}, tab.session)
        self._scale = float(found["result"].get("value", 1.0))

    async def _first_page(self, tab: OpenTab, url: str) -> None:
        """Go to the first page, before which there is none to go back to."""
        await self._navigate(tab, url)
        await self._until(lambda: not tab.loading, _START_S)
        await self._browser.send.Page.resetNavigationHistory(None, tab.session)

    async def _fit_window(self, tab: OpenTab) -> None:
        """Make the window so large that the page has the wanted size."""
        send = self._browser.send
        window = await send.Browser.getWindowForTarget({"targetId": tab.target})
        seen = (await send.Page.getLayoutMetrics(None, tab.session))["cssLayoutViewport"]
        bounds = window["bounds"]
        more_width = self._options.width - seen["clientWidth"]
        more_height = self._options.height - seen["clientHeight"]
        if more_width or more_height:
            await send.Browser.setWindowBounds({
                "windowId": window["windowId"],
                "bounds": {"width": bounds["width"] + more_width, "height": bounds["height"] + more_height},
            })  # fmt: skip

    @property
    def pid(self) -> int:
        """Of the browser's process, to which its window belongs; 0 for a browser that was joined."""
        return 0 if self._process is None else self._process.pid

    async def run(self) -> None:
        """Serve until standard input ends, or the browser is gone."""
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._stdin_readable)
        try:
            await self._over.wait()
        finally:
            loop.remove_reader(sys.stdin.fileno())

    def _stdin_readable(self) -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            self._over.set()

    async def close(self) -> None:
        """End the browser with its children."""
        for server in self._servers:
            server.close()
        for client in (*self._clients.values(),):
            client.close()
        for task in (*self._tasks,):
            task.cancel()
        await self._lists.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._process is None:
            await self._leave_open()
            return
        with contextlib.suppress(ProtocolError, ConnectionLost, TimeoutError):
            async with asyncio.timeout(_END_S):
                await self._browser.send.Browser.close()  # in order, so that the profile is complete
        await self._browser.close()
        if not await self._process.ended(_END_S):
            _log.warning("the browser did not end by itself")
        self._process.kill()
        if self._fence is not None:
            await self._fence.close()
        await self._keep()
        self._downloads.end()

    async def _keep(self) -> None:
        """Keep the profile and the requests, where that is asked for."""
        options = self._options
        try:
            if options.kept_profile:
                await asyncio.to_thread(keep, options.profile, Path(options.kept_profile), options.profile_key)
            if self._archive is not None:
                await asyncio.to_thread(self._archive.write, Path(options.har))
        except (OSError, ValueError):
            _log.exception("not all of the session was kept")

    async def _leave_open(self) -> None:
        """Give an open browser back its own ways, and leave it."""
        with contextlib.suppress(ProtocolError, ConnectionLost, TimeoutError):
            async with asyncio.timeout(_END_S):
                await self._browser.send.Browser.setDownloadBehavior({"behavior": "default"})
        await self._browser.close()
        await self._keep()

    # Events of the browser

    def _event(self, method: str, params: dict[str, Any], session: str) -> None:
        self._note(method, params)
        match method:
            case "Target.attachedToTarget":
                self._start(self._attached(params, session), "attached")
            case "Target.detachedFromTarget":
                self._tabs.detached(params["sessionId"])
                self._browser.end_session(params["sessionId"])
                self._changed()
            case "Target.targetInfoChanged":
                if self._tabs.describe(params["targetInfo"]):
                    self._changed()
            case "Fetch.requestPaused":
                self._start(self._browser.send.Fetch.continueRequest({"requestId": params["requestId"]}, session), "")
            case "Page.screencastFrame":
                self._start(self._paints.frame(params, session), "painted")
            case "Input.dragIntercepted":
                for client in self._clients.values():
                    client.queue.drag_begun(params["data"], session)
                    client.tell({"method": method, "params": params})
            case "Browser.downloadWillBegin":
                self._downloads.begun(params)
            case "Browser.downloadProgress":
                self._downloads.progress(params)
            case _:
                if self._tabs.event(method, params, session):
                    self._changed()
                self._asks(method, params, session)

    def _asks(self, method: str, params: dict[str, Any], session: str) -> None:
        match method:
            case "Fetch.authRequired":
                self._start(self._dialogs.sign_in(params, session), "sign in")
            case "Page.fileChooserOpened":
                self._start(self._dialogs.choose_file(params, session), "file chooser")
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                self._paints.left()
            case "Page.javascriptDialogOpening":
                self._start(self._read_titles(), "titles")  # no picture is taken meanwhile
            case _:
                pass

    async def _attached(self, params: dict[str, Any], parent: str) -> None:
        """Prepare a new tab, frame or worker, before its first script runs."""
        info, session = params["targetInfo"], params["sessionId"]
        kind = info["type"]
        prepared: list[Coroutine[Any, Any, Any]] = []
        if kind == "page":
            self._tabs.add(info["targetId"], session, opener=info.get("openerId", ""))
            prepared = [*self._page_size(session), *self._preparations(session), self._first_frame(session)]
        elif kind == "iframe":
            self._tabs.add_frame(info["targetId"], session, parent)
            prepared = self._preparations(session)
        if params["waitingForDebugger"]:
            prepared.append(self._browser.send.Runtime.runIfWaitingForDebugger(None, session))
        try:
            # All are sent before the first is answered: a pop-up answers none of them until it may run.
            await asyncio.gather(*prepared)
            if kind == "page":
                await self._opened(info["targetId"], session)
        except (ProtocolError, ConnectionLost):
            pass  # it is closed already

    async def _opened(self, target: str, session: str) -> None:
        """A tab is prepared: show it, unless the page opened it in the background."""
        seen = await self._unless_asked(self._tabs.of(session), self._browser.send.Runtime.evaluate(
            {"expression": "document.visibilityState"}, session
        ))  # fmt: skip
        # From now on the page is told that it has the focus, and can be seen, whether its window has it or not.
        focus = self._browser.send.Emulation.setFocusEmulationEnabled({"enabled": True}, session)
        await self._unless_asked(self._tabs.of(session), focus)
        self._tabs.opened(target, shown=not seen or seen["result"].get("value") != "hidden")
        self._first.set()
        self._changed()

    async def _first_frame(self, session: str) -> None:
        """The document that a new tab begins with, unless the browser has told of the next one already."""
        tree = await self._browser.send.Page.getFrameTree(None, session)
        if (tab := self._tabs.of(session)) is not None and not tab.loader:
            self._tabs.event("Page.frameNavigated", {"frame": tree["frameTree"]["frame"]}, session)

    def _page_size(self, session: str) -> list[Coroutine[Any, Any, Any]]:
        send, options = self._browser.send, self._options
        if self._process is None or not (options.headless or options.mobile):
            return []
        size = send.Emulation.setDeviceMetricsOverride({
            "width": options.width, "height": options.height, "deviceScaleFactor": options.scale,
            "mobile": options.mobile,
        }, session)  # fmt: skip
        return [size]

    def _preparations(self, session: str) -> list[Coroutine[Any, Any, Any]]:
        send = self._browser.send
        return [
            send.Page.enable(None, session),
            send.Network.enable({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}, session),
            send.Page.setInterceptFileChooserDialog({"enabled": True}, session),
            watch_input(self._browser, session),
            send.Fetch.enable({"handleAuthRequests": True}, session),
            send.WebAuthn.enable({"enableUI": False}, session),  # no window that asks for a passkey
            send.Target.setAutoAttach(_ATTACH, session),  # type: ignore[arg-type]
        ]

    def _changed(self) -> None:
        self._happened.set()
        shown = self._tabs.shown
        if shown is not None and shown.target != self._front:
            self._front = shown.target  # a tab behind another takes no input
            self._start(self._browser.send.Page.bringToFront(None, shown.session), "bring to front")
        self._tell("Operator.changed", self._state())
        if shown is not None:
            self._start(self._paints.follow(shown.session), "watch")

    def _state(self) -> dict[str, Any]:
        return state_of(self._tabs, scale=self._scale, pointer=self._pointer)

    def _tell(self, method: str, params: dict[str, Any]) -> None:
        if (console := self._clients.get(Role.LOOK)) is not None:
            console.tell({"method": method, "params": params})

    def _blocked(self, blocked: Blocked) -> None:
        told = {"site": blocked.site, "by": blocked.by.value, "count": blocked.count}
        self._tell("Operator.blocked", told)

    def _require_open(self, url: str) -> None:
        """Raises CommandRefused for a site that may not be reached; the fence would refuse it, too, but not say so."""
        if self._fence is None or url.startswith("file:"):
            return
        try:
            by = self._fence.rules.judge_url(url)
        except ValueError as error:
            raise CommandRefused(str(error)) from error
        if by is not None:
            self._blocked(Blocked(site=url.partition("#")[0][:200], by=by))
            raise CommandRefused(f"{url} is not among what this browser may reach")

    # Who is connected

    def _accepted(self, role: Role) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if (former := self._clients.get(role)) is not None and former.gone:
                await former.ended.wait()  # what it held is released first
            if role in self._clients:
                writer.close()
                return
            client = self._clients[role] = Client(role, reader, writer, self._carry_out, self._send_input)
            try:
                await client.serve()
            finally:
                await client.end()
                self._pointer = client.queue.pointer or self._pointer
                self._clients.pop(role, None)
                client.ended.set()

        return serve_one

    async def _carry_out(self, client: Client, message: dict[str, Any]) -> dict[str, Any]:
        """The result of a command. Raises CommandRefused, ProtocolError, ConnectionLost."""
        method, params = str(message["method"]), dict(message.get("params") or {})
        if method not in COMMANDS[client.role]:
            raise CommandRefused(f"{method} is not for {client.role}")
        if method == "Operator.release":
            await client.queue.release()
            return {}
        if method == "Operator.lastPaint":
            return {"at": self._paints.last_s}
        tab = self._tabs.shown
        if method == "Operator.state":
            if tab is not None:
                await self._lists.refresh(tab)
            return self._state()
        if tab is None:
            raise CommandRefused("no tab is open")
        if method.startswith("Operator."):
            return await self._own(method, params, tab)
        session = self._session(str(message.get("sessionId", "")), tab)
        if is_input(method):
            result = await client.queue.put(method, params, session)
            self._pointer = client.queue.pointer or self._pointer
            await self._lists.after_input(tab, method, params)
            return result
        if method == "Page.captureScreenshot":
            taking = self._paints.capture(params, session, tell=client.role is Role.LOOK)
            told, _ = await asyncio.gather(taking, self._read_titles())
            return {**told}
        return await self._browser.send_raw(method, params, session)

    async def _read_titles(self) -> None:
        """Ask for the titles of the tabs: the browser tells of a new address, but not of a new title."""
        told = await self._browser.send.Target.getTargets()
        new = [self._tabs.describe({**info}) for info in told["targetInfos"]]
        if any(new):
            self._changed()

    async def _send_input(self, method: str, params: dict[str, Any], session: str) -> dict[str, Any]:
        """Send input; it counts as taken when a dialog opens or the page closes itself: the browser answers neither."""
        tab = self._tabs.of(session)
        try:
            return await self._unless_asked(tab, self._browser.begin(method, params, session))
        except ProtocolError:
            if tab in list(self._tabs):
                raise
            return {}

    async def _unless_asked(
        self, tab: OpenTab | None, work: Awaitable[Any], within_s: float | None = None
    ) -> dict[str, Any]:
        """The result of a command; nothing, when a dialog opens in this tab first, or the time is over."""
        sending = asyncio.ensure_future(work)
        before = () if tab is None else tab.waiting
        asked = asyncio.create_task(
            self._until(lambda: tab is not None and any(each not in before for each in tab.waiting), None), name="asked"
        )
        try:
            await asyncio.wait({sending, asked}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
            sending.add_done_callback(_forget)
        return dict(sending.result()) if sending.done() else {}

    async def _until(self, condition: Callable[[], bool], within_s: float | None = _SOON_S) -> None:
        """Wait until something in the tabs makes it true, or the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while not condition():
                    self._happened.clear()
                    await self._happened.wait()

    def _session(self, target: str, shown: OpenTab) -> str:
        if not target:
            return shown.session
        found = next((tab.session for tab in self._tabs if tab.target == target), "") or self._tabs.session_of(target)
        if not found:
            raise CommandRefused("this tab or frame is closed")
        return found

    async def _own(self, method: str, params: dict[str, Any], tab: OpenTab) -> dict[str, Any]:
        match method:
            case "Operator.text":
                longest = int(params["longest"])
                return {"text": await self._worlds.value(Script.PAGE_TEXT, tab.session, tab.target, longest)}
            case "Operator.elements":
                return {"found": await self._found(tab, params)}
            case "Operator.element":
                return {"found": await self._element(tab, str(params["do"]), str(params["element"]))}
            case "Operator.dialog":
                return await self._dialogs.answer(tab, params)
            case _:
                return await self._go(method, params, tab)

    async def _go(self, method: str, params: dict[str, Any], tab: OpenTab) -> dict[str, Any]:
        match method:
            case "Operator.navigate":
                return await self._navigate(tab, self._opened_url(params))
            case "Operator.revive":
                if not tab.crashed:
                    raise CommandRefused("the page has not crashed")
                # Not by a reload, which would send a form a second time.
                return await self._navigate(tab, tab.url)
            case "Operator.history":
                return await self._history(tab, int(params["by"]))
            case "Operator.openTab":
                return await self._open_tab(self._opened_url(params))
            case "Operator.showTab":
                wanted = self._tabs.numbered(int(params["number"]))
                if wanted is None:
                    raise CommandRefused("there is no such tab")
                self._tabs.show(wanted.target)
            case "Operator.closeTab":
                await self._close_tab(tab)
            case _:
                raise CommandRefused(method)
        self._changed()
        return {}

    def _opened_url(self, params: dict[str, Any]) -> str:
        url = str(params.get("url") or EMPTY_PAGE).strip()
        if not may_open(url, self._options.url):
            raise CommandRefused("such an address is not opened", ADDRESS_NOT_OPENED)
        self._require_open(url)
        return url

    async def _navigate(self, tab: OpenTab, url: str) -> dict[str, Any]:
        """Go to an address; answers when its document comes, something is asked first, or it takes long."""
        tab.loading = True
        if not await self._may_be_left(tab):
            opened = await self._open_tab(url)
            await self._browser.send.Target.closeTarget({"targetId": tab.target})
            await self._until(lambda: tab not in self._tabs)
            return opened
        answer = await self._unless_asked(tab, self._browser.send.Page.navigate({"url": url}, tab.session), _ANSWER_S)
        if answer.get("errorText"):
            tab.loading = False
            self._changed()
        return answer

    async def _found(self, tab: OpenTab, params: dict[str, Any]) -> Any:
        """What a question about the elements of a page finds."""
        elements, most = self._elements, int(params.get("most", 0))
        try:
            match str(params["what"]):
                case "at":
                    return await elements.at(tab, params["points"])
                case "focused":
                    return await elements.focused(tab)
                case "lines":
                    return await elements.lines(tab, most)
                case kind:
                    return await elements.listed(tab, kind, most)
        except TimeoutError as error:
            raise CommandRefused("the page does not answer") from error

    async def _element(self, tab: OpenTab, do: str, element: str) -> Any:
        """What becomes of an element: what it is now, a point where a click reaches it, whether it has the focus."""
        elements = self._elements
        try:
            match do:
                case "look":
                    return await elements.element(tab, element)
                case "reach":
                    return await elements.reach(tab, element)
                case "focus":
                    return await elements.focus(tab, element)
                case "options":
                    return await elements.options(tab, element)
                case _:
                    raise CommandRefused(do)
        except TimeoutError as error:
            raise CommandRefused("the page does not answer") from error

    async def _history(self, tab: OpenTab, by: int) -> dict[str, Any]:
        send = self._browser.send
        if not await self._may_be_left(tab):
            raise CommandRefused("the page does not answer")
        history = await send.Page.getNavigationHistory(None, tab.session)
        index = history["currentIndex"] + by
        if not 0 <= index < len(history["entries"]):
            return {"moved": False}
        before = tab.loader, tab.url
        await send.Page.navigateToHistoryEntry({"entryId": history["entries"][index]["id"]}, tab.session)
        await self._until(lambda: (tab.loader, tab.url) != before or bool(tab.dialogs))
        return {"moved": True}

    async def _open_tab(self, url: str) -> dict[str, Any]:
        opened = await self._browser.send.Target.createTarget({"url": url})
        await self._until(lambda: any(tab.target == opened["targetId"] and not tab.opening for tab in self._tabs))
        return {"targetId": opened["targetId"]}

    async def _close_tab(self, tab: OpenTab) -> None:
        """Close a tab. Its page may ask whether to leave it, unless it asks something else already."""
        send = self._browser.send
        if len(list(self._tabs)) == 1:  # the browser would end with its last tab
            await self._navigate(tab, EMPTY_PAGE)
            return
        if not tab.dialogs:
            # Chromium drops the request while the page has not gone on after a question whether to leave it.
            await self._answers(tab)
            await send.Page.close(None, tab.session)
            await self._until(lambda: tab not in self._tabs or bool(tab.dialogs))
            if tab.dialogs:
                return
        if tab in self._tabs:
            await send.Target.closeTarget({"targetId": tab.target})
            await self._until(lambda: tab not in self._tabs)

    async def _may_be_left(self, tab: OpenTab) -> bool:
        """Dismiss what a page asks, as what leaves it does; False if it asks again at once, or does not answer."""
        for dialog in (*tab.dialogs,):
            await self._dialogs.dismiss(tab, dialog)
        return await self._answers(tab)

    async def _answers(self, tab: OpenTab) -> bool:
        """Whether a page runs its scripts soon, unless it has crashed."""
        with contextlib.suppress(ProtocolError):  # it has crashed
            ask = self._browser.send.Runtime.evaluate({"expression": "1"}, tab.session)
            return bool(await self._unless_asked(tab, ask, _SOON_S))
        return True

    def _start(self, work: Awaitable[Any], name: str) -> None:
        async def quietly() -> None:
            with contextlib.suppress(ProtocolError, ConnectionLost):
                await work

        task = asyncio.create_task(quietly(), name=name or "browser")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _forget(sending: asyncio.Future[dict[str, Any]]) -> None:
    if not sending.cancelled():
        sending.exception()


class Client:
    """One connection of a side. Its commands are carried out as they come; input in its order, one at a time."""

    def __init__(
        self, role: Role, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
        carry_out: Callable[[Client, dict[str, Any]], Awaitable[dict[str, Any]]], send: Send,
    ) -> None:  # fmt: skip
        self.role = role
        self._reader, self._writer = reader, writer
        self._carry_out = carry_out
        self._tasks: set[asyncio.Task[None]] = set()
        self.queue = InputQueue(send, lambda: self.gone)
        self.ended = asyncio.Event()

    @property
    def gone(self) -> bool:
        """Whether the other side has closed it; what it sent may not be read, and what it held not released yet."""
        descriptor = self._writer.get_extra_info("socket").fileno()
        if descriptor < 0:
            return True
        poll = select.poll()
        poll.register(descriptor, 0)
        return bool(poll.poll(0))  # no event is asked for: a hangup is told all the same, poll(2)

    async def serve(self) -> None:
        """Until the other side closes it, or sends what is no message."""
        unpacker = Unpacker()
        with contextlib.suppress(OSError, NotAMessage):
            while data := await self._reader.read(_READ_BYTES):
                for message in unpacker.feed(data):
                    task = asyncio.create_task(self._answer(message), name=f"{self.role} command")
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)

    def tell(self, message: dict[str, Any]) -> None:
        """Send an event."""
        with contextlib.suppress(OSError):
            self._writer.write(packed(message))

    def close(self) -> None:
        """Close it; the browser ends."""
        self._writer.close()

    async def end(self) -> None:
        """Drop its input, release what it holds, and close it."""
        for task in (*self._tasks,):
            task.cancel()
        await self.queue.end()
        self._writer.close()

    async def _answer(self, message: dict[str, Any]) -> None:
        reply: dict[str, Any] = {"id": message.get("id", 0)}
        try:
            reply["result"] = await self._carry_out(self, message)
        except (ProtocolError, ConnectionLost, CommandRefused) as error:
            reply["error"] = {"code": getattr(error, "code", 0), "message": str(error)}
        except (KeyError, ValueError, TypeError) as error:
            reply["error"] = {"code": -32602, "message": repr(error)}
        self.tell(reply)
