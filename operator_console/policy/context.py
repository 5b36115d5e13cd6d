"""The facts about the screen and the model that an assessment depends on.

The autonomy level and the operator's settings are not among them; they apply when the verdict is reached.
"""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.keys import Key


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """The context of one action.

    Attributes:
        app: name or class of the application that would receive it, "" if unknown.
        title: title of the application's window.
        url: address of the open page, "" if unknown.
        label: text at the target: under the pointer, or of the focused field.
        nearby: other texts close to the target, nearest first.
        read: whether the text at the target was read. If False, an empty `label` means unknown.
        intent: the model's stated reason, unverified; it can raise the risk class, never lower it.
        typed: text typed into the focused field since it got the focus.
        held: keys the agent already holds down.
    """

    app: str = ""
    title: str = ""
    url: str = ""
    label: str = ""
    nearby: tuple[str, ...] = ()
    read: bool = False
    intent: str = ""
    typed: str = ""
    held: tuple[Key, ...] = ()
