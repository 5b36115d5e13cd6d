"""Assesses an action by what the operator named for the session, and by what was met in it before: where it lands, and
the kinds of its effects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from operator_console.domain.actions import Action, Launch, Navigate
from operator_console.domain.elements import ControlSource
from operator_console.domain.risk import RiskClass
from operator_console.policy.applications import is_browser
from operator_console.policy.findings import Finding, PolicyContext, noteworthy
from operator_console.policy.reasons import EFFECT_OUT_OF_SCOPE
from operator_console.policy.web_addresses import site

UNTOLD_SITE = "?"
"""Stands for the host of every page whose address the browser does not tell."""


def scope_findings(action: Action, context: PolicyContext, found: Iterable[Finding]) -> Iterator[Finding]:
    """Findings for the application and the site that get the action, and for its effects as `found`.

    What is not in scope is asked about once, whatever is allowed; what is first met in the session is worth seeing.
    """
    if (met := context.met) is None:
        return
    app, host = context.app, site_of(action, context)
    if app and app.casefold() not in met.apps:
        yield _met_first("app", app, in_scope=context.scope.has_app(app))
    if host == UNTOLD_SITE:
        if context.scope.sites and host not in met.sites:
            yield Finding(risk=RiskClass.C3, rule="site-not-told", values=(app,))
    elif host and host not in met.sites:
        yield _met_first("site", host, in_scope=context.scope.has_site(host))
    for effect in dict.fromkeys(finding.category for finding in found if finding.risk >= RiskClass.C3):
        if effect is not None and effect not in met.effects and not context.scope.has_effect(effect):
            yield Finding(risk=RiskClass.C3, rule=EFFECT_OUT_OF_SCOPE, values=(effect.value,))


def site_of(action: Action, context: PolicyContext) -> str:
    """The host that an action opens, or of the page that it acts on; `UNTOLD_SITE` in a browser that does not tell it,
    "" elsewhere."""
    if isinstance(action, Navigate | Launch) and action.url:
        return site(action.url)
    untold = not context.url and context.control.source is not ControlSource.ACCESSIBLE
    return UNTOLD_SITE if untold and is_browser(context.app) else site(context.url)


def _met_first(what: str, name: str, *, in_scope: bool) -> Finding:
    if in_scope:
        return noteworthy(f"first-{what}", name)
    return Finding(risk=RiskClass.C3, rule=f"{what}-out-of-scope", values=(name,))
