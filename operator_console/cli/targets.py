"""`targets`: lists the monitors and windows that a model can work on."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.computers.target_spec import TargetListing

LOGS = True
_STARTED = {"virtual": "an isolated desktop", "browser": "a browser of its own"}
"""What is started for a session, by the value of `TargetKind`."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Use the first column as --target. virtual is an isolated desktop, started for the session; virtual:WxH gives\n"
        "it another size. browser is a browser, started for the session; browser:URL begins with an address.\n\n"
        "exit: 0, or 5 if there is no display"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list")


def execute(args: argparse.Namespace) -> int:
    from operator_console.computers.targets import list_targets
    from operator_console.desktop.own_window_ids import OwnWindows
    from operator_console.domain.display_names import in_wayland_session
    from operator_console.domain.message_texts import notice
    from operator_console.domain.notices import NoticeCode
    from operator_console.engine.action_wording import shown

    found = list_targets(OwnWindows())
    if in_wayland_session(os.environ):
        print(notice(NoticeCode.WAYLAND_TARGETS), file=sys.stderr)
    if args.json:
        import json

        print(json.dumps([_fields(each) for each in found], indent=2))
        return 0
    width = max((len(each.ref.spec) for each in found), default=0)
    for each in found:
        print(f"{each.ref.spec:<{width}}  {shown(each.ref.title)}  ({', '.join(_notes(each))})")
        if each.trouble:
            print(f"{'':<{width}}  {each.trouble} {each.remedy}")
    return 0


def _notes(each: TargetListing) -> list[str]:
    started = _STARTED.get(each.ref.kind.value)
    if started is not None:
        return ["cannot be started here" if each.trouble else f"{started}, started for the session"]
    rect = each.rect
    notes = [f"{rect.width} × {rect.height} at {rect.x}, {rect.y}"] if rect is not None else []
    notes += ["primary"] if each.primary else []
    notes += [each.state] if each.state != "shown" else []
    return notes


def _fields(each: TargetListing) -> dict[str, object]:
    from operator_console.domain.frames import target_app, target_display

    rect = each.rect
    return {
        "target": each.ref.spec,
        "kind": each.ref.kind.value,
        "title": each.ref.title,
        "app": target_app(each.ref),
        "pid": each.pid,
        "display": target_display(each.ref),
        "rect": rect and {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height},
        "state": each.state,
        "trouble": " ".join(part for part in (each.trouble, each.remedy) if part),
        "primary": each.primary,
    }
