"""Numbers of AT-SPI as roles and states of the domain."""

from __future__ import annotations

import pytest

from operator_console.domain.elements import ElementState, Role
from operator_console.perception.accessibility.atspi import vocabulary as words


@pytest.mark.parametrize(
    ("number", "role"),
    [(43, Role.BUTTON), (88, Role.LINK), (40, Role.PASSWORD_FIELD), (95, Role.DOCUMENT), (2, Role.ALERT),
     (67, Role.UNKNOWN), (999, Role.UNKNOWN)],
)  # fmt: skip
def test_a_number_is_a_role(number: int, role: Role) -> None:
    assert words.role_of(number) is role


@pytest.mark.parametrize(
    ("number", "attributes", "role"),
    [
        (79, {"xml-roles": "searchbox"}, Role.SEARCH_FIELD),
        (79, {"text-input-type": "search"}, Role.SEARCH_FIELD),
        (79, {"text-input-type": "password"}, Role.PASSWORD_FIELD),
        (62, {"xml-roles": "switch"}, Role.SWITCH),
        (43, {"text-input-type": "password"}, Role.BUTTON),
    ],
)
def test_attributes_make_a_role_finer(number: int, attributes: dict[str, str], role: Role) -> None:
    assert words.role_of(number, attributes) is role


def test_gtk_4_tells_some_roles_by_their_name() -> None:
    assert words.role_of(7, {}, "switch") is Role.SWITCH
    assert words.role_of(7, {}, "checkbox") is Role.CHECK_BOX


def test_every_role_but_those_told_by_attributes_has_numbers() -> None:
    by_attributes = {Role.UNKNOWN, Role.SEARCH_FIELD, Role.SWITCH}
    assert {role for role in Role if not words.numbers_of([role])} == by_attributes


def test_states_come_in_the_order_of_the_domain() -> None:
    bits = sum(1 << number for number in (words.FOCUSED, words.CHECKED, words.ENABLED, words.SENSITIVE))
    assert words.states_of(bits) == (ElementState.CHECKED, ElementState.FOCUSED)


def test_what_is_neither_enabled_nor_sensitive_is_disabled() -> None:
    assert words.states_of(1 << words.SHOWING) == (ElementState.DISABLED,)
    assert words.states_of(1 << words.SENSITIVE) == ()


def test_what_opens_a_menu_can_be_expanded() -> None:
    assert words.states_of(1 << words.ENABLED | 1 << words.HAS_POPUP) == (ElementState.EXPANDABLE,)


def test_bits_beyond_the_sign_are_words_of_d_bus() -> None:
    assert words.bit_words([0, 31, 33], 2) == [1 - 2**31, 2]
