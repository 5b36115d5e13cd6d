"""Texts of the main window itself."""

from __future__ import annotations

from operator_console.ui.window_place import Part

DIVIDER_NAMES = {
    Part.SIDE: "Width of the timeline",
    Part.INSPECTOR: "Height of the step",
    Part.HELP_CONTENTS: "Width of the contents",
}
