"""What a permission for an action would cover, by structure alone; and for what none is ever offered.

None is offered where the control is not known from its application, in a terminal, in a bank, for what is always asked
(C4), and for a C3 that `--allow` does not permit either. C3 is offered for one press on one named control only, and
covers a later press only for the same reasons, in the same groups and the same dialog.
"""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.actions import Action, Button, Chord, Click, TypeText, UseElement
from operator_console.domain.decisions import Assessment
from operator_console.domain.element_uses import PRESSED_BY, ElementUse
from operator_console.domain.elements import ControlSource, Role
from operator_console.domain.keys import Key
from operator_console.domain.permissions import Coverage, PermittedAct
from operator_console.domain.risk import ALWAYS_ASKED, RiskClass
from operator_console.domain.secrets_by_name import names_in
from operator_console.policy.applications import is_browser, is_money_place
from operator_console.policy.findings import PolicyContext
from operator_console.policy.input_places import is_terminal_place
from operator_console.policy.web_addresses import site

LONGEST_NAME = 80
"""Characters. A longer name cannot be shown whole in one sentence, so nothing is offered for it."""
_PRESSED = frozenset((Role.BUTTON, Role.LINK, Role.MENU_ITEM, Role.TAB))
"""Roles of which a press does the same each time; a check box or a switch does the opposite the next time."""
_FIELDS = frozenset((Role.COMBO_BOX, Role.SEARCH_FIELD, Role.SPIN_BUTTON, Role.TEXT_FIELD))
_ACT_ON_FOCUS = frozenset(map(Key, ("enter", "kp_enter", "space", "delete", "kp_decimal", "backspace")))
"""Keys that press, submit or delete what has the focus, so that they do something else in each place."""


def coverage(action: Action, context: PolicyContext, assessment: Assessment) -> Coverage | None:
    """What a permission for this action would cover; None: none can be given for it."""
    control = context.control
    known = control.source is ControlSource.ACCESSIBLE and context.focus_told
    held = context.held or context.buttons
    if not known or held or is_terminal_place(context) or is_money_place(context.app, context.title, context.url):
        return None
    place = _place(assessment.risk, context)
    if place is None or not RiskClass.C1 <= assessment.risk <= RiskClass.C3 or not assessment.rule:
        return None
    match action:
        case Click(button=Button.LEFT, count=1, modifiers=()):
            return _press(place, context, assessment)
        case UseElement(use=ElementUse.PRESS, name=name) if name.lower() in PRESSED_BY.get(control.role, ()):
            return _press(place, context, assessment)
        case TypeText(submit=False, text=text) if assessment.risk < RiskClass.C3:
            fits = control.role in _FIELDS and text.isprintable() and not names_in(text) and _is_whole(control.name)
            act = PermittedAct.REPLACE if action.clear else PermittedAct.TYPE
            return replace(place, act=act, role=control.role, name=control.name) if fits else None
        case Chord(keys=keys, repeat=repeat) if assessment.risk < RiskClass.C3 and _ACT_ON_FOCUS.isdisjoint(keys):
            if context.menu_open or control.role is Role.PASSWORD_FIELD:
                return None
            where = replace(place, window="")
            return replace(where, act=PermittedAct.KEYS, role=control.role, keys=keys, repeat=repeat)
        case _:
            return None


def _place(risk: RiskClass, context: PolicyContext) -> Coverage | None:
    """The site, or the window of an application; None where neither is known for certain. The title of a browser's
    window is what its page says, so it names no place."""
    if host := site(context.url):
        return Coverage(act=PermittedAct.PRESS, risk=risk, app=context.app, site=host)
    in_browser = context.url or is_browser(context.app)
    if in_browser or not (_is_whole(context.title) and _is_whole(context.app)):
        return None
    return Coverage(act=PermittedAct.PRESS, risk=risk, app=context.app, window=context.title)


def _press(place: Coverage, context: PolicyContext, assessment: Assessment) -> Coverage | None:
    control = context.control
    if control.role not in _PRESSED:
        return None
    if assessment.risk < RiskClass.C3:
        if control.role is Role.LINK and place.site and site(control.link) == place.site:
            return replace(place, act=PermittedAct.OPEN_LINKS)
        named = replace(place, role=control.role, name=control.name, link=control.link)
        return named if _is_whole(control.name) else None
    reasons: list[tuple[str, ...]] = []
    for finding in assessment.findings:
        if finding.risk >= RiskClass.C3:
            if finding.category is None or finding.category in ALWAYS_ASKED:
                return None
            reasons.append((finding.category.value, finding.rule, *finding.values))
    if not reasons or not _is_whole(control.name):
        return None
    return replace(
        place, role=control.role, name=control.name, link=control.link, reasons=tuple(sorted(reasons)),
        groups=control.group,
        dialog=() if control.dialog is None else (control.dialog.title, control.dialog.text),
    )  # fmt: skip


def _is_whole(name: str) -> bool:
    """Whether a name says something, and can be shown as it is: in one line, with nothing invisible in it."""
    return bool(name.strip()) and len(name) <= LONGEST_NAME and name.isprintable()
