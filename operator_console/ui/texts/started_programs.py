"""Texts about the programs that are started with an isolated desktop."""

from __future__ import annotations

PROGRAMS = "Programs to start"
HINT = "One a line, as Mousepad or xterm. May be empty."
TIP = "By the name that menus show, or that of a program. Kept in the settings at Start."
ADD, ADD_NAME = "Add…", "Add a program"
ADD_TIP = "Choose one of the applications that are installed here"
NONE = "No application was found"
