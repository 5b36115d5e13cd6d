"""Has policy assess an action where it was located."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from operator_console.domain.actions import Action, Chord, HoldKeys, KeyDown, TypeText
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import UNKNOWN_CONTROL, ControlSource, TextKnowledge
from operator_console.domain.frames import KeyboardFocus, WindowInfo
from operator_console.domain.keys import MODIFIERS, Key
from operator_console.domain.permissions import Coverage
from operator_console.domain.risk import RiskClass
from operator_console.engine.action_wording import exact_text
from operator_console.engine.turn.locate import Place
from operator_console.engine.typed_secrets import secret_of
from operator_console.policy import assess
from operator_console.policy.permission_coverage import coverage

LONG_TEXT = 10_000
"""Characters; a longer text is assessed in a thread, because that takes long enough to delay the lease's answer."""
_COMMANDS = frozenset(map(Key, ("ctrl", "ctrl_r", "alt", "super", "super_r")))
_ALSO_WITH_COMMAND = frozenset(
    map(Key, ("enter", "kp_enter", "space", "delete", "kp_decimal", "backspace", "v", "insert"))
)
"""Keys that do another thing in another control also with Ctrl, Alt or Super."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessed:
    """An action with its assessment; of several places, the one where it is riskiest.

    Attributes:
        late: a control was not told in time that makes a difference: it would be asked about, it gets text or keys, its
            window was just given the focus, or it is only read from the picture and would get a secret.
    """

    action: Action
    place: Place
    assessment: Assessment
    late: bool = False

    @property
    def window(self) -> WindowInfo | None:
        """The window that receives it; None: not known."""
        return self.place.window

    @property
    def coverage(self) -> Coverage | None:
        """What a permission for it would cover; None: none can be given."""
        certain = self.place.hit is not None and not self.late and self.place.focus is KeyboardFocus.TARGET
        return coverage(self.action, self.place.context, self.assessment) if certain else None


async def assessed(action: Action, places: Sequence[Place], before: Assessed | None = None) -> Assessed:
    """Assess an action; in a thread for a long text, so that the loop keeps answering the lease.

    Args:
        action: the action.
        places: where it was located.
        before: what was assessed already; it counts where nothing else is known now.
    """

    def judge() -> Sequence[Assessment]:
        return [
            before.assessment if before is not None and _is_same(before, action, place)
            else _with_controls(assess(action, place.context), place)
            for place in places
        ]  # fmt: skip

    found = await asyncio.to_thread(judge) if len(exact_text(action)) > LONG_TEXT else judge()
    each = list(zip(places, found, strict=True))
    place, assessment = max(each, key=lambda one: one[1].risk)
    late = any(_is_late(action, at, one.risk) for at, one in each)
    return Assessed(action=action, place=place, assessment=assessment, late=late)


def _is_same(before: Assessed, action: Action, place: Place) -> bool:
    same_hit = (before.place.hit is None) == (place.hit is None)
    return before.action == action and before.place.context == place.context and same_hit


def _is_late(action: Action, place: Place, risk: RiskClass) -> bool:
    control = place.context.control
    if place.hit is None or control.knowledge is not TextKnowledge.NOT_YET:
        return place.hit is not None and bool(secret_of(action)) and control.source is not ControlSource.ACCESSIBLE
    return place.given or _goes_into_control(action) or risk >= RiskClass.C3


def _goes_into_control(action: Action) -> bool:
    """Whether what it does depends on the control that gets it: the same text is a secret in a field for passwords."""
    match action:
        case TypeText():
            return True
        case Chord(keys=keys) | HoldKeys(keys=keys):
            pressed = frozenset(keys)
        case KeyDown(key=key):
            pressed = frozenset((key,))
        case _:
            return False
    return bool(pressed - MODIFIERS) and (_COMMANDS.isdisjoint(pressed) or not _ALSO_WITH_COMMAND.isdisjoint(pressed))


def _with_controls(assessment: Assessment, place: Place) -> Assessment:
    context = place.context
    return replace(
        assessment, control=None if place.hit is None else context.control,
        from_control=None if context.from_control == UNKNOWN_CONTROL else context.from_control,
    )  # fmt: skip
