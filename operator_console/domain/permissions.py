"""What the operator permits for the rest of a session, in one sentence drawn from an action that was asked about.

The values come from what the console itself knows: the control as its application tells it, the application, the window
and the site. Whether an action is covered is equality of these values (`policy/permission_coverage.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from operator_console.domain.elements import Role
from operator_console.domain.keys import Key, show_keys
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.risk import RiskClass

LATEST_ACTIONS = 50
"""Of so many actions, the latest ones, an offer says how many it would have covered."""


class PermittedAct(StrEnum):
    """The kinds of action that a permission can be given for."""

    PRESS = "press"
    """One press of the left button on a named control, or its own action that does the same."""
    TYPE = "type"
    """Text into a named field, without Enter."""
    REPLACE = "replace"
    """As that, and the field is emptied first."""
    OPEN_LINKS = "open_links"
    """A press on a link that stays on its site."""
    KEYS = "keys"
    """Keys that are pressed together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a permission covers: an action is covered if all of this is equal, and its class not higher.

    Attributes:
        act: the kind of action.
        risk: the highest class that is covered.
        role, name, link: of the control, as its application tells them; `link` is the address that it leads to. Of KEYS
            only the role, of what has the focus; of OPEN_LINKS nothing.
        app: the application.
        window: the title of its window; "" on a site, and where any window of the application counts.
        site: the host of the page; "" outside a browser.
        keys, repeat: of KEYS.
        reasons: at C3, what asks: category, rule, and what the rule quotes.
        groups, dialog: at C3, the groups that the control is in, and title and text of its dialog; () outside one.
    """

    act: PermittedAct
    risk: RiskClass
    role: Role = Role.UNKNOWN
    name: str = ""
    link: str = ""
    app: str = ""
    window: str = ""
    site: str = ""
    keys: tuple[Key, ...] = ()
    repeat: int = 1
    reasons: tuple[tuple[str, ...], ...] = ()
    groups: tuple[str, ...] = ()
    dialog: tuple[str, ...] = ()

    def covers(self, other: Coverage) -> bool:
        """Whether an action with these values is covered."""
        return other.risk <= self.risk and replace(other, risk=self.risk) == self

    @property
    def sentence(self) -> NoticeText:
        """What the operator permits, in one sentence."""
        return notice(NoticeCode.PERMIT_UNTIL_END, what=self.what)

    @property
    def what(self) -> NoticeText:
        """The same without how long."""
        keys = show_keys(self.keys)
        match self.act, bool(self.site):
            case PermittedAct.PRESS, True:
                return notice(NoticeCode.PERMIT_PRESS_ON_SITE, name=self.name, site=self.site)
            case PermittedAct.PRESS, False:
                return notice(NoticeCode.PERMIT_PRESS_IN_WINDOW, name=self.name, window=self.window)
            case PermittedAct.TYPE, True:
                return notice(NoticeCode.PERMIT_TYPE_ON_SITE, name=self.name, site=self.site)
            case PermittedAct.TYPE, False:
                return notice(NoticeCode.PERMIT_TYPE_IN_WINDOW, name=self.name, window=self.window)
            case PermittedAct.REPLACE, True:
                return notice(NoticeCode.PERMIT_REPLACE_ON_SITE, name=self.name, site=self.site)
            case PermittedAct.REPLACE, False:
                return notice(NoticeCode.PERMIT_REPLACE_IN_WINDOW, name=self.name, window=self.window)
            case PermittedAct.KEYS, True:
                return notice(NoticeCode.PERMIT_KEYS_ON_SITE, keys=keys, site=self.site)
            case PermittedAct.KEYS, False:
                return notice(NoticeCode.PERMIT_KEYS_IN_APP, keys=keys, app=self.app)
            case _:
                return notice(NoticeCode.PERMIT_LINKS_OF_SITE, site=self.site)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionOffer:
    """What "Allow" may be widened to.

    Attributes:
        coverage: what would be permitted.
        covered: how many of the latest actions it would have covered.
        of: how many actions these are, at most `LATEST_ACTIONS`.
    """

    coverage: Coverage
    covered: int = 0
    of: int = 0

    @property
    def share(self) -> NoticeText:
        """How many of the latest actions it would have covered, as a sentence."""
        if not self.of:
            return notice(NoticeCode.PERMIT_NO_ACTION_BEFORE)
        return notice(NoticeCode.PERMIT_WOULD_HAVE_COVERED, covered=self.covered, of=self.of)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A permission that stands in a session."""

    permission_id: str
    coverage: Coverage


class RevokedBy(StrEnum):
    """What ended a permission before its session did."""

    OPERATOR = "operator"
    TAKE_OVER = "take_over"
    """What a person did in the target may have changed what a name stands for."""
    STOP = "stop"
