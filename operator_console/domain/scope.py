"""What the operator named for a session, and what was met in it: applications and sites."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

from operator_console.domain.risk import Category

_WORD = re.compile(r"\w+")
_EVERY = "*."


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the operator named for the session; (): everything.

    Attributes:
        apps: names of applications, as windows give them, or words of these.
        sites: hosts, and `*.host` for those below one; a port is not compared.
        effects: kinds of effect; None: all, (): none.
    """

    apps: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    effects: tuple[Category, ...] | None = None

    def has_app(self, app: str) -> bool:
        """Whether the application is in scope: all words of one of the names are in its own."""
        words = _words(app)
        return not self.apps or any(_words(each) and _words(each) <= words for each in self.apps)

    def has_site(self, host: str) -> bool:
        """Whether the host is in scope."""
        return not self.sites or any(_matches(host, each.casefold()) for each in self.sites)

    def has_effect(self, effect: Category) -> bool:
        """Whether the kind of effect is in scope. What is not known is no kind that could be named."""
        return self.effects is None or effect is Category.UNKNOWN or effect in self.effects


EVERYTHING = Scope()


class ScopeSource(StrEnum):
    """Who named what is in scope."""

    OPERATOR = "operator"
    MODEL = "model"
    """As the model suggested it before it saw the screen; the operator started the session with it."""
    EDITED = "edited"
    """The model suggested it, and the operator changed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedScope:
    """What a model named, from the task alone, as what the task needs.

    Attributes:
        apps: names as windows give them; of applications that are installed, where that is known.
        dropped: what it named that cannot be used, as it wrote it.
    """

    apps: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    effects: tuple[Category, ...] = ()
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What was met in the session: what its task names, where it began, and where the agent acted since.

    Attributes:
        apps: names of applications, in lower case.
        sites: hosts.
        named: of these, those that the task names, where the session began, and to which the operator let a text go.
        effects: kinds of effect that the operator let in.
        files: names of files that were downloaded, unpacked, copied, named or moved in the session, without folders.
    """

    apps: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    effects: frozenset[Category] = frozenset()
    files: frozenset[str] = frozenset()

    def also(self, app: str, host: str) -> Met:
        """With one place more; "" for none."""
        return replace(self, apps=self.apps | ({app.casefold()} - {""}), sites=self.sites | ({host} - {""}))

    def knows_site(self, host: str) -> bool:
        """Whether it is one of these hosts, or below one."""
        return _is_below(host, self.sites)

    def is_named(self, host: str) -> bool:
        """Whether somebody named it, or a host that it is below."""
        return _is_below(host, self.named)


def _is_below(host: str, hosts: frozenset[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in hosts)


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name.casefold()))


def _matches(host: str, named: str) -> bool:
    bare = named if named.startswith("[") else named.partition(":")[0]
    return host.endswith(bare[1:]) if bare.startswith(_EVERY) else host == bare
