"""Texts of the task field while a runbook is written or runs."""

from __future__ import annotations

OPEN, OPEN_NAME = "Open…", "Open a runbook file"
SAVE, SAVE_NAME = "Save…", "Save the runbook as a file"
HELP, HELP_NAME = "Help", "Help on runbooks"
PLACEHOLDER = 'One step a line, for example:\nclick button "Save"\nexpect "Saved once"'
