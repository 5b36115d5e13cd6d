"""Targets of a kind that a test is given."""

from __future__ import annotations

from operator_console.domain.codec import decode
from operator_console.domain.frames import TargetKind, TargetRef
from operator_console.domain.viewer_names import Viewer


def target_of(kind: TargetKind, *, spec: str = "", title: str = "", display: str = "", window_id: int = 1) -> TargetRef:
    """A target of this kind; `window_id` counts for one that is a window only."""
    fields: dict[str, object] = {"kind": kind, "spec": spec, "title": title, "display": display}
    if kind.is_one_window:
        fields["window_id"] = window_id
    if kind is TargetKind.VM:
        fields |= {"viewer": Viewer.QEMU_GTK, "name": title}
    found: TargetRef = decode(TargetRef, fields)
    return found
