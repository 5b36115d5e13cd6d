"""A check of a connection by one turn about a blank picture."""

from __future__ import annotations

import base64
import hashlib

from operator_console.domain.frames import Frame, Picture, TargetKind, TargetRef
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.proposals import Brief, Observation, Proposal, Provider

TASK = "This is a test of the connection. Call done, and nothing else."

WHITE_SQUARE_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAEklEQVR42mP4DwUMo4xRBukMAOPT/hAC2mzjAAAAAElFTkSuQmCC"
)
"""A white PNG of 64x64 pixels, in base64."""

_SIZE = Size(64, 64)


async def take_turn(provider: Provider) -> str:
    """Have a provider send what the first turn of a session sends, with a white picture; then close it.

    Returns a sentence about the answer.

    Raises:
        ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
        OperatorError: There is no key.
    """
    provider.begin(Brief(task=TASK, instruction=""))
    try:
        answer = await provider.propose(_white_square())
    finally:
        await provider.close()
    return f"It answered {_form(answer)}{_counted(answer)}."


def _white_square() -> Observation:
    data = base64.b64decode(WHITE_SQUARE_PNG)
    frame = Frame(
        frame_id="white",
        pixels=memoryview(b"\xff" * (_SIZE.width * _SIZE.height * 4)),
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=_SIZE, sent=_SIZE),
        target=TargetRef(kind=TargetKind.VIRTUAL, spec="", title=""),
        taken_s=0.0,
    )
    digest = hashlib.sha256(data).hexdigest()
    return Observation(frame=frame, picture=Picture(data=data, mime_type="image/png", size=_SIZE, digest=digest))


def _form(answer: Proposal) -> str:
    if any(call.error for call in answer.calls):
        return "with a call that could not be understood"
    return "with a call" if answer.calls else "in words, without a call"


def _counted(answer: Proposal) -> str:
    used = answer.usage
    if not used.reported:
        return ""
    output = (used.output_tokens or 0) + (used.thought_tokens or 0)
    return f" ({used.input_tokens or 0:,} input and {output:,} output tokens)"
