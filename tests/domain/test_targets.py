"""Each kind of target has its own fields; targets in files from before that are read as they were meant."""

from __future__ import annotations

import pytest

from operator_console.domain.codec import CodecError, canonical, decode, encode
from operator_console.domain.frames import (
    MonitorTarget,
    TargetKind,
    TargetRef,
    VirtualTarget,
    VmTarget,
    VncTarget,
    WindowTarget,
    as_recorded,
    target_app,
    target_display,
    target_window_id,
)
from operator_console.domain.geometry import Rect
from operator_console.domain.viewer_names import Passes, Viewer

TARGETS: list[TargetRef] = [
    MonitorTarget(spec="monitor:1", title="Monitor 1", display=":9"),
    WindowTarget(spec="window:0x7", title="Notes", display=":9", window_id=7, app="Mousepad"),
    VmTarget(
        spec="vm:0x8", title="Virtual machine · debian", display=":9", window_id=8, app="Qemu-system-x86_64",
        viewer=Viewer.QEMU_GTK, name="debian", layout="de", window_rect=Rect(10, 20, 1024, 793),
    ),
    VirtualTarget(spec="virtual", title="Virtual desktop", display=":77"),
    VncTarget(spec="vnc:host:5900", title="A machine elsewhere"),
]  # fmt: skip
_BEFORE = {"spec": "s", "title": "t", "display": ":9", "window_id": None, "app": ""}
"""The one form that all targets had."""
_SINCE = {"shared": "", "sandboxed": False, "address": ""}
"""What an isolated desktop tells besides."""
_SINCE_OF_WINDOWS: dict[str, object] = {"joined": []}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.kind)
def test_a_target_comes_back_from_a_file_with_its_kind(target: TargetRef) -> None:
    back: TargetRef = decode(TargetRef, encode(target))
    assert back == target
    assert isinstance(back.kind, TargetKind)
    assert canonical(back) == canonical(target)


@pytest.mark.parametrize(
    ("fields", "meant"),
    [
        ({"kind": "monitor"}, MonitorTarget(spec="s", title="t", display=":9")),
        ({"kind": "virtual", **_SINCE}, VirtualTarget(spec="s", title="t", display=":9")),
        (
            {"kind": "window", "window_id": 7, "app": "XTerm", **_SINCE_OF_WINDOWS},
            WindowTarget(spec="s", title="t", display=":9", window_id=7, app="XTerm"),
        ),
    ],
)
def test_a_target_of_an_older_file_is_read(fields: dict[str, object], meant: TargetRef) -> None:
    told = {**_BEFORE, **fields}
    older = {name: value for name, value in told.items() if name not in {**_SINCE, **_SINCE_OF_WINDOWS}}
    found: TargetRef = decode(TargetRef, older)
    assert found == meant
    assert encode(found) == told, "readers of records find the same fields"


@pytest.mark.parametrize("kind", ["window", "printer"])
def test_a_window_without_its_id_and_an_unknown_kind_are_no_targets(kind: str) -> None:
    with pytest.raises(CodecError):
        decode(TargetRef, {"kind": kind, "spec": "s", "title": "t"})


def test_what_a_kind_has_no_field_for_is_nothing() -> None:
    assert [target_display(each) for each in TARGETS] == [":9", ":9", ":9", ":77", ""]
    assert [target_window_id(each) for each in TARGETS] == [None, 7, 8, None, None]
    assert [target_app(each) for each in TARGETS] == ["", "Mousepad", "Qemu-system-x86_64", "", ""]


def test_where_a_viewers_window_was_is_not_recorded() -> None:
    recorded = as_recorded(TARGETS[2])
    assert isinstance(recorded, VmTarget)
    assert recorded.window_rect is None


def test_only_tigervncs_viewer_passes_on_characters() -> None:
    assert [viewer for viewer in Viewer if viewer.passes("debian") is Passes.KEYSYMS] == [Viewer.TIGERVNC]


@pytest.mark.parametrize("name", ["QEMU", "QEMU (debian)"])
def test_to_a_machine_of_qemu_tigervncs_viewer_passes_on_positions(name: str) -> None:
    assert Viewer.TIGERVNC.passes(name) is Passes.POSITIONS
