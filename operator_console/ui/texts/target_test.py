"""Texts about the Test of a target."""

from __future__ import annotations

TEST, TEST_NAME = "Test…", "Test the target"
WITH_MARKS = (
    "It shows three marks there and presses them, types a word, and stops in the middle of a long text. What arrived "
    "is read back."
)
WITHOUT_MARKS = (
    "It moves the pointer there to three places and reads back where it is, and stops in the middle of a motion. "
    "Nothing is pressed or typed."
)
ENDS_STOPPED = (
    "It is recorded as a session, without a model. It ends with a stop, as every stop does: press Reset afterwards. "
    "Leave mouse and keyboard alone meanwhile."
)
RESET = "Press Reset to make sessions possible again."
