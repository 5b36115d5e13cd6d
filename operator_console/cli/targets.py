"""`targets`: lists the monitors and windows that a model can work on."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operator_console.computers.target_spec import TargetListing

LOGS = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Use the first column as --target. There is also virtual[:WxH], an isolated desktop.\n\n"
        "exit: 0, or 5 if there is no display"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list")


def execute(args: argparse.Namespace) -> int:
    from operator_console.computers.targets import list_targets
    from operator_console.desktop.own_window_ids import OwnWindows
    from operator_console.engine.action_wording import shown

    found = list_targets(OwnWindows())
    if args.json:
        import json

        print(json.dumps([_fields(each) for each in found], indent=2))
        return 0
    width = max((len(each.ref.spec) for each in found), default=0)
    for each in found:
        rect = each.rect
        notes = [f"{rect.width} × {rect.height} at {rect.x}, {rect.y}"]
        notes += ["primary"] if each.primary else []
        notes += [each.state] if each.state != "shown" else []
        print(f"{each.ref.spec:<{width}}  {shown(each.ref.title)}  ({', '.join(notes)})")
    return 0


def _fields(each: TargetListing) -> dict[str, object]:
    rect = each.rect
    return {
        "target": each.ref.spec,
        "kind": each.ref.kind.value,
        "title": each.ref.title,
        "app": each.ref.app,
        "pid": each.pid,
        "display": each.ref.display,
        "rect": {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height},
        "state": each.state,
        "primary": each.primary,
    }
