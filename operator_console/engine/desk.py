"""What the parts of one session share, in one value, so that none needs a long parameter list. No behaviour."""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.requests import SessionRequest
from operator_console.engine.channel import OperatorChannel
from operator_console.engine.extras import Options, Ports
from operator_console.engine.hands import Hands
from operator_console.engine.meter import Meter
from operator_console.engine.ports import Clock
from operator_console.engine.recorder import Recorder
from operator_console.engine.turn_picture import TurnPicture


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One session's request, ports and shared parts."""

    request: SessionRequest
    ports: Ports
    options: Options
    clock: Clock
    recorder: Recorder
    channel: OperatorChannel
    meter: Meter
    hands: Hands
    expected: TurnPicture
