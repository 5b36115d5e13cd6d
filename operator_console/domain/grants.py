"""The permission to act: a `Grant`, and what must still hold when it is used.

It is the only permission to act: single use, sealed by the engine's approval with a per-run key that only approval and
whatever carries it out hold, and checked before anything is done.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field, replace

from operator_console.domain.actions import Action
from operator_console.domain.codec import canonical
from operator_console.domain.frames import TargetRef
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect

GRANT_LIFE_S = 5.0
"""An approved action must be carried out within this time of its sealing; afterwards its grant is void."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenCheck:
    """What a part of the screen must still look like.

    Attributes:
        region: native pixels of the frame.
        pixels: its BGRX rows.
        hidden: the parts of it that the picture does not show, native pixels of the frame, which do not count.
    """

    region: Rect
    pixels: bytes = field(repr=False)
    hidden: tuple[Rect, ...] = ()

    def as_seen(self, now: bytes) -> bytes:
        """BGRX rows of `region` as they are now, with what is hidden as it is in the picture."""
        if not self.hidden:
            return now
        seen, stride = bytearray(now), self.region.width * 4
        for part in (each.intersect(self.region) for each in self.hidden):
            for row in range(part.y - self.region.y, part.bottom - self.region.y):
                start = row * stride + (part.x - self.region.x) * 4
                seen[start : start + part.width * 4] = self.pixels[start : start + part.width * 4]
        return bytes(seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusRule:
    """Which window must have the keyboard focus before keys or text are sent; otherwise they are refused.

    `window_id` None: any window of the target.
    """

    window_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerCheck:
    """Which window must be at a point of the action: the one that was there in the picture.

    Attributes:
        at: the point, native pixels.
        window_id, pid: the top-level window and its process; None: the bare desktop, or an unknown process.
        title: for display.
    """

    at: NativePoint
    window_id: int | None
    pid: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderCheck:
    """Which window of the target must have the keyboard focus: the one that had it in the picture, or the one that got
    it since from a click of the same turn.

    Attributes:
        window_id: the top-level window; None: no window of the target has the focus.
        title: for display.
    """

    window_id: int | None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A sealed, single-use permission for one action.

    Attributes:
        grant_id: random, hex.
        step, call: the call it is for.
        action: exactly what is permitted.
        target, geometry: native points are resolved against the target's position when the action is carried out.
        checks: screen checks made right before anything is sent.
        owners: the window that must be at each point of the action right before anything is sent.
        holder: the window that must have the focus then; None: not checked.
        document: the document that a managed browser must still show; "": not checked.
        focus: for keys and text; None for pointer actions.
        epoch: must equal the injector's; each stop, pause and resume increases it.
        expires_s: time.monotonic() after which it is void (the same clock in every process).
        pointer: where the agent's own pointer was, in input units, restored first; None: leave it.
        typing_delay_s: pause between characters of typed text.
        press_time_s: how long the button of a click and the keys of a chord are held.
        paste: long text that the keyboard layout lacks characters for may be pasted from the clipboard.
        terminal: policy considers the receiving window a terminal: a line is cleared with Ctrl+U there, and nothing is
            pasted.
        seal: hex MAC over everything above.
    """

    grant_id: str
    step: int
    call: int
    action: Action
    target: TargetRef
    geometry: FrameGeometry
    checks: tuple[ScreenCheck, ...] = ()
    owners: tuple[OwnerCheck, ...] = ()
    holder: HolderCheck | None = None
    document: str = ""
    focus: FocusRule | None = None
    epoch: int
    expires_s: float
    pointer: tuple[int, int] | None = None
    typing_delay_s: float = 0.0
    press_time_s: float = 0.0
    paste: bool = False
    terminal: bool = False
    seal: str = ""

    def sealed(self, key: bytes) -> Grant:
        """The grant with its MAC. Only the engine's approval may seal one."""
        return replace(self, seal=self._mac(key))

    def genuine(self, key: bytes) -> bool:
        """Whether the MAC is valid; compared in constant time."""
        return hmac.compare_digest(self._mac(key), self.seal)

    def _mac(self, key: bytes) -> str:
        return hmac.new(key, canonical(replace(self, seal="")), "sha256").hexdigest()
