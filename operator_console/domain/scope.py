"""What the operator named for a session, and what was met in it: applications and sites."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_WORD = re.compile(r"\w+")
_EVERY = "*."


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the operator named for the session; (): everything.

    Attributes:
        apps: names of applications, as windows give them, or words of these.
        sites: hosts, and `*.host` for those below one; a port is not compared.
    """

    apps: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()

    def has_app(self, app: str) -> bool:
        """Whether the application is in scope: all words of one of the names are in its own."""
        words = _words(app)
        return not self.apps or any(_words(each) and _words(each) <= words for each in self.apps)

    def has_site(self, host: str) -> bool:
        """Whether the host is in scope."""
        return not self.sites or any(_matches(host, each.casefold()) for each in self.sites)


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What was met in the session: what its task names, where it began, and where the agent acted since.

    Attributes:
        apps: names of applications, in lower case.
        sites: hosts.
        files: names of files that were downloaded, unpacked, copied, named or moved in the session, without folders.
    """

    apps: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def also(self, app: str, host: str) -> Met:
        """With one place more; "" for none."""
        return replace(self, apps=self.apps | ({app.casefold()} - {""}), sites=self.sites | ({host} - {""}))

    def knows_site(self, host: str) -> bool:
        """Whether it is one of these hosts, or below one."""
        return any(host == each or host.endswith(f".{each}") for each in self.sites)


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name.casefold()))


def _matches(host: str, named: str) -> bool:
    bare = named if named.startswith("[") else named.partition(":")[0]
    return host.endswith(bare[1:]) if bare.startswith(_EVERY) else host == bare
