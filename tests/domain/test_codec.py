"""The codec restores exactly what was encoded, rejects data of another type, and has one canonical form."""

from __future__ import annotations

import dataclasses
import json
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.actions import Action, Chord, Click, Drag, TypeText
from operator_console.domain.codec import CodecError, UnknownKind, canonical, decode, encode
from operator_console.domain.decisions import ActResult
from operator_console.domain.events import Event, Performed, Record
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import Grant, ScreenCheck
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus

POINTS = st.builds(NativePoint, st.integers(-10, 10_000), st.integers(-10, 10_000))
TEXTS = st.text(st.characters(codec=None), max_size=50)
ACTIONS = st.one_of(
    st.builds(Click, at=st.one_of(st.none(), POINTS), count=st.integers(1, 3)),
    st.builds(TypeText, text=TEXTS, at=st.one_of(st.none(), POINTS), clear=st.booleans()),
    st.builds(Drag, path=st.lists(POINTS, min_size=2, max_size=5).map(tuple)),
    st.builds(Chord, keys=st.lists(st.sampled_from([Key("ctrl"), Key("a")]), min_size=1).map(tuple)),
)


def grant(action: Action) -> Grant:
    return Grant(
        grant_id="g1",
        step=1,
        call=0,
        action=action,
        target=MonitorTarget(spec="monitor:1", title="Monitor 1"),
        geometry=FrameGeometry(origin=ScreenPoint(-5, 0), native=Size(100, 50), sent=Size(100, 50)),
        checks=(ScreenCheck(region=Rect(0, 0, 1, 2), pixels=b"\x00\xff12345\x80"),),
        epoch=3,
        expires_s=12.5,
    )


@given(ACTIONS)
def test_an_action_comes_back_as_it_was(action: Action) -> None:
    wire = json.loads(json.dumps(encode(action)))
    assert decode(Action, wire) == action


@given(ACTIONS)
def test_a_grant_comes_back_as_it_was_and_its_seal_still_fits(action: Action) -> None:
    sealed = grant(action).sealed(b"k" * 32)
    back: Grant = decode(Grant, json.loads(canonical(sealed)))
    assert back == sealed
    assert back.genuine(b"k" * 32)
    assert not back.genuine(b"x" * 32)


def test_a_changed_field_breaks_the_seal() -> None:
    sealed = grant(TypeText(text="a")).sealed(b"k" * 32)
    assert not dataclasses.replace(sealed, action=TypeText(text="a\u200b")).genuine(b"k" * 32)
    assert not dataclasses.replace(sealed, epoch=4).genuine(b"k" * 32)
    assert not dataclasses.replace(sealed, expires_s=13.0).genuine(b"k" * 32)


def test_a_record_comes_back_as_it_was() -> None:
    event = Performed(step=1, call=0, result=ActResult.DONE, status=CallStatus.DONE, pointer=(1, -2))
    record = Record(seq=7, time="2026-01-01T00:00:00.000000Z", event=event)
    assert decode(Record, json.loads(canonical(record))) == record


def test_every_event_and_action_carries_a_tag_of_its_own() -> None:
    for union in (Event, Action):
        tags = [
            next(f.default for f in dataclasses.fields(member) if f.name == "kind") for member in typing.get_args(union)
        ]
        assert len(set(tags)) == len(tags)
        assert all(isinstance(tag, str) for tag in tags)


@pytest.mark.parametrize(
    "wire",
    [
        {"kind": "explode"},
        {"kind": "click"},
        {"kind": "click", "at": {"x": "1", "y": 2}},
        {"kind": "click", "at": {"x": 1.5, "y": 2}},
        {"kind": "click", "at": None, "count": True},
        {"kind": "click", "at": None, "button": "wheel"},
        {"kind": "chord", "keys": "ctrl"},
        [],
        None,
        "click",
    ],
)
def test_what_is_not_of_the_type_is_refused(wire: object) -> None:
    with pytest.raises(CodecError):
        decode(Action, wire)


def test_an_unknown_kind_is_named_with_its_place_and_the_kinds_there_are() -> None:
    with pytest.raises(UnknownKind) as caught:
        decode(tuple[tuple[Action | None, ...], ...], [[None], [None, {"kind": "explode"}]])
    assert (caught.value.path, caught.value.kind) == ((1, 1), "explode")
    assert {"click", "type_text"} < set(caught.value.known)


def test_fields_it_does_not_know_are_ignored() -> None:
    assert decode(Action, {"kind": "type_text", "text": "a", "added_later": 1}) == TypeText(text="a")


def test_numbers_that_are_not_finite_cannot_be_written() -> None:
    with pytest.raises(CodecError):
        encode(float("nan"))
