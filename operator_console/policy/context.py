"""What policy may know when it judges one action: plain facts, gathered by the engine, never asked for here.

Not the autonomy and not the operator's wishes: those come in at `verdict`. Built by engine.calls for each call.
"""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.keys import Key


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """The surroundings of one action.

    Attributes:
        app: name or class of the application that would receive it, "" where unknown.
        title: its window's title.
        url: the page's address where the computer knows it.
        label: the text at the target: under the pointer, or of the field that text goes into.
        nearby: other texts close to the target, nearest first.
        read: whether the target was looked at for text at all (False: the label is unknown, not empty).
        intent: the model's reason, not verified; it may raise a class, never lower it.
        typed: what was typed into this field since it got the focus, for judging Enter.
        held: keys the agent already holds down.
        own_window: the target belongs to the console itself.
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
    own_window: bool = False
