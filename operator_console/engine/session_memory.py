"""What a session has met: the sites that its task names, where it began, and where the agent acted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from dataclasses import replace

from operator_console.domain.actions import Action, Chord, Drag, Release, TypeText
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import Role
from operator_console.domain.frames import Frame, TargetKind, WindowInfo, target_app
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category
from operator_console.domain.scope import Met, Scope
from operator_console.domain.session_request import SessionRequest
from operator_console.policy import PolicyContext
from operator_console.policy.applications import is_browser, is_file_manager
from operator_console.policy.file_paths import is_hidden
from operator_console.policy.input_places import is_file_chooser
from operator_console.policy.places_of_files import folder_of
from operator_console.policy.reasons import EFFECT_OUT_OF_SCOPE, TEXT_FOR_SITE
from operator_console.policy.session_scope import site_of
from operator_console.policy.web_addresses import site

_ADDRESS = re.compile(r"https?://[^\s<>\"'“”)\]]+|(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,24}(?::\d+)?(?![\w@])", re.IGNORECASE)

_KNOWN_FOLDERS = frozenset(("desktop", "documents", "downloads", "home", "music", "pictures", "public", "videos"))
"""By their names in English, as the XDG user directories have them. In another language a window stays below a hidden
folder until it shows a path."""
_ENTRIES = frozenset((Role.LIST_ITEM, Role.CELL, Role.TREE_ITEM))
_COPYING = frozenset(map(Key, ("c", "x", "insert")))


class SessionMemory:
    """What one session has met.

    Attributes:
        met: so far.
        scope: what the operator named. A managed browser reaches no other sites anyway, so there they are not asked
            about.
    """

    def __init__(self, request: SessionRequest) -> None:
        sites = frozenset(filter(None, map(site, _ADDRESS.findall(request.task))))
        named = (each.casefold().removeprefix("*.") for each in request.sites)
        self.met = Met(sites=sites, named=sites | {site(each) for each in named})
        self._in_hidden: dict[int, bool] = {}
        in_browser = request.target.partition(":")[0] == TargetKind.BROWSER.value
        self.scope = Scope(apps=request.apps, sites=() if in_browser else request.sites, effects=request.effects)
        self._begun = False

    def begin(self, frame: Frame) -> None:
        """Take notice of where the session begins: its first frame; later ones change nothing."""
        if not self._begun:
            theirs = frame.focus is not None and not frame.focus.own
            app = frame.focus.app if frame.focus is not None and theirs else target_app(frame.target)
            host = site(frame.url)
            host = host if self.scope.has_site(host) else ""
            self.met = self.met.also(app if self.scope.has_app(app) else "", host)
            self._name(host)
        self._begun = True

    def shown(self, window: WindowInfo | None) -> bool:
        """Take notice of the folder that a window shows; whether it is hidden, or below one that was.

        The title of a file manager is often the name of a folder alone. So a window stays below a hidden folder until
        it shows one of the folders that every home has, or a path.
        """
        if window is None:
            return False
        if is_file_manager(window.app, window.title):
            self._goes_to(folder_of(window.title), window)
        return self._in_hidden.get(window.window_id, False)

    def _goes_to(self, folder: str, window: WindowInfo) -> None:
        if is_hidden(folder):
            self._in_hidden[window.window_id] = True
        elif "/" in folder or folder.casefold() in _KNOWN_FOLDERS:
            self._in_hidden[window.window_id] = False

    def arrived(self, name: str) -> None:
        """Take notice of a file that came in the session; "" for none."""
        self.appeared((posixpath.basename(name.strip()),))

    def appeared(self, names: Collection[str]) -> None:
        """Take notice of files that came in the session, by their names without folders."""
        self.met = replace(self.met, files=self.met.files | (frozenset(names) - {""}))

    def let_in(self, assessment: Assessment) -> None:
        """Take notice of kinds of effect that the operator let in, and of sites to which a text may go: each is asked
        about only once."""
        outside = (each for each in assessment.findings if each.rule == EFFECT_OUT_OF_SCOPE)
        self.met = replace(self.met, effects=self.met.effects | {Category(*each.values) for each in outside})
        self._name(*(host for each in assessment.findings if each.rule == TEXT_FOR_SITE for host in each.values))

    def _name(self, *hosts: str) -> None:
        self.met = replace(self.met, named=self.met.named | (frozenset(hosts) - {""}))

    def acted(self, action: Action, context: PolicyContext, window: WindowInfo | None = None) -> None:
        """Take notice of what was sent, or is permitted: where it lands is asked about only once.

        The title of a file chooser names no folder, so that the entry counts which was used there in `window`.
        """
        if window is not None and is_file_chooser(context):
            self._goes_to(context.control.says.strip() or context.label.strip(), window)
        self.met = self.met.also(context.app, site_of(action, context))
        match action:
            case Drag() | Release() if not is_browser(context.app):
                self.arrived(context.from_control.says)
            case Chord(keys=keys) if context.control.role in _ENTRIES and not _COPYING.isdisjoint(keys):
                self.arrived(context.control.says)
            case TypeText(text=text) if is_file_chooser(context):
                self.arrived(context.typed + text)
            case TypeText(text=text) if is_file_manager(context.app, context.title):
                name = context.typed + text
                self.arrived("" if "/" in name else name)  # a path is gone to
