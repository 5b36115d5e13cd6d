"""A picture that is too large is reduced: warned of once, and points on it are converted correctly."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from operator_console.domain.actions import Click
from operator_console.domain.errors import ProviderRejected, RejectedPart
from operator_console.domain.events import Observed, Warned
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import Rect, SentPoint, Size
from operator_console.domain.proposals import Observation, Proposal
from tests.engine.rig import Model, does, rig, said

SIZE = Size(1600, 1000)
BUTTON = Rect(1403, 811, 31, 31)
NEEDS = ImageNeeds(max_bytes=300_000)


def grainy(size: Size) -> bytes:
    """What neither packs well nor fits into few colours."""
    pixels = np.full((size.height, size.width, 4), 150, dtype=np.uint8)
    pixels[..., :3] += np.random.default_rng(3).integers(0, 100, (size.height, size.width, 3), dtype=np.uint8)
    return pixels.tobytes()


def click_what_is_red(seen: Observation) -> Proposal:
    """As a model does that answers in pixels of the picture it was sent."""
    picture = np.asarray(Image.open(io.BytesIO(seen.picture.data)).convert("RGB")).astype(int)
    assert (picture.shape[1], picture.shape[0]) == (seen.picture.size.width, seen.picture.size.height)
    rows, columns = np.nonzero((picture[..., 0] > 200) & (picture[..., 1] < 80) & (picture[..., 2] < 80))
    assert len(rows) > 50
    return does(Click(at=seen.frame.geometry.from_sent(SentPoint(float(columns.mean()), float(rows.mean())))))


async def test_a_point_on_a_reduced_picture_lands_where_it_was_seen_and_it_is_said_once() -> None:
    r = rig(click_what_is_red, click_what_is_red, said("Done."), size=SIZE)
    r.model.image_needs = NEEDS
    r.computer.show(grainy(SIZE))
    r.computer.paint(BUTTON, (250, 10, 10))
    await r.run()
    for seen in r.model.seen:
        assert seen.picture.size.width < 0.8 * SIZE.width
        assert seen.frame.geometry.sent == seen.picture.size
        assert len(seen.picture.data) <= 300_000
    clicks = [action for action in r.injector.actions if isinstance(action, Click)]
    assert len(clicks) == 2
    for click in clicks:
        assert click.at is not None
        assert abs(click.at.x - BUTTON.centre[0]) <= 1
        assert abs(click.at.y - BUTTON.centre[1]) <= 1
    assert {event.geometry.sent for event in r.of(Observed)} == {r.model.seen[0].picture.size}
    (warned,) = r.of(Warned)
    assert "reduced" in warned.title
    assert "scaled from 1600 x 1000" in warned.detail


async def test_a_picture_that_is_small_enough_is_sent_as_it_is_without_a_word() -> None:
    r = rig(said("Done."))
    await r.run()
    assert r.model.seen[0].frame.geometry.sent == r.model.seen[0].picture.size == Size(400, 300)
    assert r.of(Warned) == []


class Shrinking(Model):
    """One whose service took no picture as large as the first."""

    def adapt(self, part: RejectedPart) -> str:
        self.image_needs = ImageNeeds(long_edge=800)
        return f"From now on less {part.value}."


async def test_the_screen_is_looked_at_again_for_a_smaller_picture() -> None:
    r = rig(
        model=Shrinking([ProviderRejected("No.", part=RejectedPart.SIZE), click_what_is_red, said("Done.")]), size=SIZE
    )
    r.computer.paint(BUTTON, (250, 10, 10))
    await r.run()
    assert [seen.picture.size for seen in r.model.seen] == [SIZE, *[Size(800, 500)] * 2]
    assert [event.step for event in r.of(Observed)] == [1, 1, 2]
    assert [each.title for each in r.of(Warned)] == ["From now on less size."]
