"""What a session has met: the sites that its task names, where it began, and where the agent acted."""

from __future__ import annotations

import re

from operator_console.domain.actions import Action
from operator_console.domain.frames import Frame, TargetKind, target_app
from operator_console.domain.scope import Met, Scope
from operator_console.domain.session_request import SessionRequest
from operator_console.policy import PolicyContext
from operator_console.policy.session_scope import site_of
from operator_console.policy.web_addresses import site

_ADDRESS = re.compile(r"https?://[^\s<>\"'“”)\]]+|(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,24}(?::\d+)?(?![\w@])", re.IGNORECASE)


class SessionMemory:
    """What one session has met.

    Attributes:
        met: so far.
        scope: what the operator named. A managed browser reaches no other sites anyway, so there they are not asked
            about.
    """

    def __init__(self, request: SessionRequest) -> None:
        sites = frozenset(filter(None, map(site, _ADDRESS.findall(request.task))))
        self.met = Met(sites=sites)
        in_browser = request.target.partition(":")[0] == TargetKind.BROWSER.value
        self.scope = Scope(apps=request.apps, sites=() if in_browser else request.sites)
        self._begun = False

    def begin(self, frame: Frame) -> None:
        """Take notice of where the session begins: its first frame; later ones change nothing."""
        if not self._begun:
            theirs = frame.focus is not None and not frame.focus.own
            app = frame.focus.app if frame.focus is not None and theirs else target_app(frame.target)
            host = site(frame.url)
            self.met = self.met.also(app if self.scope.has_app(app) else "", host if self.scope.has_site(host) else "")
        self._begun = True

    def acted(self, action: Action, context: PolicyContext) -> None:
        """Take notice of what was sent, or is permitted: where it lands is asked about only once."""
        self.met = self.met.also(context.app, site_of(action, context))
