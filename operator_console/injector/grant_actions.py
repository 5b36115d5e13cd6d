"""Carries out one admitted grant: checks its numbers, then performs a pointer or a key action, or uses an element.

Every check is made before the first event, and repeated while the screen may change during the action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.domain.actions import (
    Chord,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Move,
    Press,
    Release,
    Scroll,
    TypeText,
    UseElement,
)
from operator_console.domain.errors import RejectedReason
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.accessibility.element_actions import ElementActions
from operator_console.injector.action_errors import Refused
from operator_console.injector.action_limits import check_limits
from operator_console.injector.input_method.client import InputMethod
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.key_actions import KeyActions
from operator_console.injector.keyboard.viewer_keys import ViewerKeys
from operator_console.injector.pointer import PointerActions
from operator_console.injector.progress import Progress
from operator_console.injector.target_check import TargetCheck

if TYPE_CHECKING:
    from operator_console.injector.keyboard.typist import Typist


class GrantActions:
    """Performs the actions of grants on one display."""

    def __init__(
        self,
        sender: InputSender,
        typist: Typist,
        target_check: TargetCheck,
        input_method: InputMethod,
        element_actions: ElementActions,
    ) -> None:
        self._sender = sender
        self._element_actions = element_actions
        self._viewer_keys = ViewerKeys()
        self._pointer_actions = PointerActions(sender, typist, target_check)
        self._key_actions = KeyActions(sender, typist, target_check, self._pointer_actions, input_method)

    def perform(self, grant: Grant, progress: Progress) -> str:
        """Perform the grant's action; returns the outcome's `output`. Raises ActionError."""
        action = grant.action
        self._viewer_keys.check(grant, holds_keys=self._sender.holds_keys)
        self._key_actions.release_clipboard()
        match action:
            case CursorPosition():
                x, y = self._sender.position()
                return f"{x},{y}"
            case Move() | Click() | Press() | Release() | Drag() | Scroll():
                check_limits(action)
                self._pointer_actions.perform(grant, action, progress)
            case TypeText() | Chord() | KeyDown() | KeyUp() | HoldKeys():
                check_limits(action)
                self._key_actions.perform(grant, action, progress)
            case UseElement():
                self._element_actions.perform(grant, action, progress)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ACTION_UNSUPPORTED, kind=action.kind))
        return ""
