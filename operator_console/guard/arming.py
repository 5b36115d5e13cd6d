"""The start and the orderly end of a session that can act. Part of the guard's process.

All or nothing: what fails, is cancelled or is stopped on the way leaves no injector and no lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from operator_console.desktop.ledger import Gate, Word
from operator_console.domain.errors import OperatorError
from operator_console.guard import latch
from operator_console.guard.armed import Armed
from operator_console.guard.child import Child, ChildFailed
from operator_console.guard.holding import Holding
from operator_console.guard.latch import LatchStatus
from operator_console.guard.listening import Listening

_log = logging.getLogger(__name__)


async def begin(
    session: str, displays: tuple[str, str], listening: Listening, epoch: int, undisturbed: Callable[[], bool]
) -> Armed:
    """Lock, prove the stop, start the injector, write `armed`.

    Args:
        displays: where the stop is heard, what is acted on.
        epoch: of the session.
        undisturbed: whether nothing was stopped meanwhile.

    Raises:
        OperatorError: Latched, locked, no live stop, no injector, or stopped while starting.
        OSError: The run folder cannot be written.
    """
    display, target = displays
    holding = Holding.take(display, target)
    child: Child | None = None
    try:
        liveness = await listening.prove()
        if not liveness.live:
            raise OperatorError(
                "The stop is not live",
                detail=liveness.detail,
                remedy="Nothing runs without a live stop. `operator-console doctor` tells more.",
            )
        holding.ledger.set(Word.PROBE_KEYCODE, listening.probe_keycode)
        holding.ledger.set(Word.PACED, int(target == display))
        child = await _start_child(holding)
        armed = Armed(session, holding, child, epoch, listening.watch_corners())
        if not undisturbed():
            raise OperatorError("Stopped while starting", remedy="Reset, then start again.")
        # Open in memory, but nobody can send a grant before the answer hands the pipe over.
        holding.ledger.gate = Gate.OPEN
        holding.write(armed.status(display, live=True))
    except BaseException:
        if child is not None:
            child.kill()
            child.wait_dead()
            child.close()
        holding.give_up()
        raise
    return armed


async def finish(armed: Armed, latched: Callable[[], LatchStatus | None]) -> None:
    """An orderly end; a stop that is pressed meanwhile stands. Raises OSError where the latch cannot be written."""
    try:
        await armed.end()
    finally:
        try:
            stopped = latched()
            if stopped is None:
                armed.holding.clear()
            else:
                armed.holding.write(stopped)
        finally:
            armed.holding.give_up()


def file_stop(armed: Armed | None, status: LatchStatus) -> None:
    """Write why it stopped. Where that fails, "armed" stands in the file, and counts as stopped without its lock."""
    try:
        if armed is not None:
            armed.holding.write(status)
        else:
            latch.write_latch(status)
    except OSError:
        _log.exception("the latch could not be written")


def refusal(error: Exception) -> OperatorError:
    """What to tell the console of a start or an end that failed."""
    if isinstance(error, OperatorError):
        return error
    _log.error("arming or disarming failed", exc_info=error)
    if isinstance(error, OSError):
        return OperatorError(
            "The run folder cannot be written",
            detail=str(error),
            remedy="Nothing runs without it: make room there, or let $OPERATOR_CONSOLE_HOME name another folder.",
        )
    return OperatorError("The guard failed", detail=repr(error), remedy="Run `operator-console doctor`.")


async def _start_child(holding: Holding) -> Child:
    try:
        return await Child.start(holding.target, holding.ledger_fd)
    except ChildFailed as error:
        raise OperatorError("The injector did not start", detail=str(error),
                            remedy="Run `operator-console doctor`.") from error  # fmt: skip
