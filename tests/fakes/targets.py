"""Targets of a kind that a test is given."""

from __future__ import annotations

from operator_console.domain.codec import decode
from operator_console.domain.frames import TargetKind, TargetRef


def target_of(kind: TargetKind, *, spec: str = "", title: str = "", display: str = "", window_id: int = 1) -> TargetRef:
    """A target of this kind; `window_id` counts for a window only."""
    fields = {"kind": kind, "spec": spec, "title": title, "display": display}
    found: TargetRef = decode(TargetRef, fields | ({"window_id": window_id} if kind is TargetKind.WINDOW else {}))
    return found
