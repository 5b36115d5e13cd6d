"""Using an element through accessibility is judged as the click that it stands for."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Chord, Click, CloseTab, SwitchTab, UseElement
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess

AT = NativePoint(50, 60)


def control(role: Role, name: str) -> Control:
    extent = Rect(10, 50, 80, 20)
    return Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=role, name=name, text=name, extent=extent
    )


def context(role: Role, name: str, **more: object) -> PolicyContext:
    return PolicyContext(app="shop", title="Shop", label=name, read=True, control=control(role, name), **more)  # type: ignore[arg-type]


def use(kind: ElementUse, role: Role = Role.BUTTON, name: str = "", option: str = "") -> UseElement:
    element = ElementIdentity(
        element_id=":1.2/a", pid=5, role=role, role_name=role.value, name=name, extents=Rect(0, 0, 9, 9)
    )
    return UseElement(use=kind, element=element, at=AT, name="click", option=option)


@pytest.mark.parametrize("kind", [ElementUse.PRESS, ElementUse.FOCUS])
@pytest.mark.parametrize(
    ("role", "name"),
    [
        (Role.BUTTON, "Pay 25 euros"), (Role.BUTTON, "Cancel"), (Role.BUTTON, "Send"), (Role.BUTTON, "Delete all"),
        (Role.CHECK_BOX, "I accept the terms"), (Role.LINK, "Home"), (Role.MENU_ITEM, "Open"), (Role.UNKNOWN, ""),
    ],
)  # fmt: skip
def test_a_press_is_judged_as_a_click(kind: ElementUse, role: Role, name: str) -> None:
    place = context(role, name, intent="Go on.")
    assert assess(use(kind, role, name), place) == assess(Click(at=AT), place)


def test_what_the_control_says_counts_and_not_what_the_action_says_of_it() -> None:
    """The name in the action is compared right before it is used; policy trusts the control only."""
    assert assess(use(ElementUse.PRESS, name="Cancel"), context(Role.BUTTON, "Pay 25 euros")).risk is RiskClass.C4


def test_an_option_is_judged_as_a_click_on_it_too() -> None:
    place = context(Role.COMBO_BOX, "Action")
    for option, category in (("Delete", Category.DELETE), ("Send", Category.SEND), ("Pay now", Category.PAY)):
        assert category in assess(use(ElementUse.CHOOSE, Role.COMBO_BOX, option=option), place).categories
    harmless = assess(use(ElementUse.CHOOSE, Role.COMBO_BOX, option="Norway"), place)
    assert harmless.risk is RiskClass.C1


@pytest.mark.parametrize(
    ("tab", "keys"), [(SwitchTab(number=3), (Key("ctrl"), Key("3"))), (CloseTab(), (Key("ctrl"), Key("w")))]
)
def test_a_tab_is_judged_as_its_shortcut(tab: Action, keys: tuple[Key, ...]) -> None:
    place = PolicyContext(app="chromium", title="News")
    assert assess(tab, place) == assess(Chord(keys=keys), place)
