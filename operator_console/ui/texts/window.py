"""Texts of the main window itself."""

from __future__ import annotations

DIVIDER_TIP = "Drag to resize. Double-click for the usual size."
