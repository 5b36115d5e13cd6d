"""What a session is set up from, in memory but for its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from operator_console.app.session_ports import SessionGuard
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.elements import PointText, TextKnowledge
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.ports import Injector
from operator_console.settings.file_locations import Paths
from operator_console.settings.model import Settings
from tests.fakes.guard import FakeGuard


class BlindReader:
    """Fits `SessionReader` and reads nothing."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        return ()

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        return PointText(knowledge=TextKnowledge.UNREADABLE)

    def box_around(self, frame: Frame, point: NativePoint) -> Rect | None:
        return None

    def caret(self, before: Frame, now: Frame) -> Rect | None:
        return None

    def icon(self, frame: Frame, place: Rect | NativePoint) -> str:
        return ""

    def field(self, frame: Frame, label: Rect) -> Rect | None:
        return None

    async def close(self) -> None:
        return None


class SessionFakeGuard(FakeGuard):
    """Fits `SessionGuard`: nobody has used a device, and there is nothing to kill."""

    human_input_s: float | None = None
    devices_told: bool | None = None
    resume_after_hand: bool = False

    async def set_killable(self, groups: Sequence[int]) -> None:
        return None


@dataclass(slots=True, kw_only=True)
class FakeServices:
    """Fits `SessionServices`."""

    paths: Paths
    guard: SessionGuard
    injector: Injector
    settings: Settings = field(default_factory=Settings)
    own: OwnWindows = field(default_factory=OwnWindows)
    reader: BlindReader = field(default_factory=BlindReader)
    display: str = ""

    def warm_reader(self) -> None:
        return None
