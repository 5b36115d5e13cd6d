"""The operator's choices for one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from operator_console.domain.prices import Price
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.scope import ScopeSource
from operator_console.domain.tools import SandboxTool

DEFAULT_MAX_STEPS = 100
DEFAULT_MAX_MINUTES = 30.0
DEFAULT_LEAD_TIME_S = 0.5
MOST_OF_A_LIMIT = 1_000_000_000
"""The largest limit in steps or minutes that a field of the window can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePassword:
    """The password of the machine that a session works on, as the operator typed it; hidden from `repr`.

    Attributes:
        user: the user whose password it is, where the machine has users; else "".
        keep: whether both are kept in the system's keyring once the machine has accepted them.
    """

    value: str = field(repr=False)
    user: str = field(default="", repr=False)
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """The operator's choices for one run.

    Attributes:
        target: a target spec of the command line ("monitor:1").
        model: "" for the provider's default.
        profile: the model profile that the provider, model, limits and price were taken from; "" for none.
        price: of the model's tokens; None if it is not known.
        max_cost: the run pauses before this amount, in the currency of `price`, is exceeded; None for no limit.
        lead_time_s: how long the target ring shows before an action of class C1 that needs no approval, and half of how
            long it does before a riskier one; 0 in `run`.
        mcp_servers: the MCP servers of this session, all required; None: those that the settings enable.
        sandbox_tools: the sandboxed tools of this session; None: those of the settings.
        sandbox_folder: their working folder; None: that of the settings, else a new one.
        sites: what a managed browser may reach, instead of the settings' `allowed_sites`; (): those of the settings.
            On another target, the sites in scope: acting on another one is asked about once; (): all.
        apps: the applications in scope, by words of their names; (): all.
        effects: the kinds of effect in scope; None: all. Another one is asked about at first, whatever `allow` has.
        scope_by: who named `sites`, `apps` and `effects`.
        hide: shutters, as the command line writes them, besides those of the settings.
        record: the new session file; None: a new name in the sessions folder.
        resume: the session file to continue.
    """

    task: str
    target: str = "monitor:1"
    provider: str = "gemini"
    model: str = ""
    profile: str = ""
    price: Price | None = None
    max_cost: Decimal | None = None
    autonomy: Autonomy = Autonomy.GUARDED
    allow: tuple[Category, ...] = ()
    max_steps: int = DEFAULT_MAX_STEPS
    max_minutes: float = DEFAULT_MAX_MINUTES
    lead_time_s: float = 0.0
    mcp_servers: tuple[str, ...] | None = None
    sandbox_tools: tuple[SandboxTool, ...] | None = None
    sandbox_folder: Path | None = None
    sites: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    effects: tuple[Category, ...] | None = None
    scope_by: ScopeSource = ScopeSource.OPERATOR
    hide: tuple[str, ...] = ()
    record: Path | None = None
    resume: Path | None = None
