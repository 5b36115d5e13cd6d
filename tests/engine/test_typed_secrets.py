"""Secrets by name in whole sessions: where they are typed, where not, and that they are nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operator_console.domain.actions import Action, CallFunction, Navigate, RunCommand, Search, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.decisions import ActResult, DecisionKind, Outcome, Surface
from operator_console.domain.elements import Element, Role
from operator_console.domain.events import Asked, Decided, Granted, Performed, Warned
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.secrets_by_name import NamedSecret, parse_bindings, placeholder
from operator_console.domain.session_request import SessionRequest
from operator_console.engine.ports import SecretPort
from operator_console.engine.session import Session
from operator_console.engine.session_context import Options, Ports
from tests.engine.rig import Rig, Words, does, rig
from tests.engine.test_passwords_hidden import to_the_end
from tests.fakes.elements import FakeElements

VALUE = "Tr0ub4dor & 3"
BANK = placeholder("bank")
FIELD, OTHER = Rect(20, 120, 200, 30), Rect(20, 20, 200, 30)
AT = NativePoint(60, 135)
SITE = "https://bank.example/login"


class Secrets:
    """Two secrets in memory."""

    silent = False

    def __init__(self, *bound_to: str) -> None:
        self.secrets: Sequence[NamedSecret] = (NamedSecret(name="bank", bound_to=parse_bindings(bound_to)),)

    def value(self, name: str) -> str:
        assert name == "bank"
        return VALUE

    async def asks_silently(self, pid: int) -> bool:
        return self.silent


class LateElements(FakeElements):
    """Does not answer the first three questions for what is at a point."""

    async def at(self, frame: Frame, points: Sequence[NativePoint]) -> Sequence[Element | None]:
        self.silent = len(self.asked) < 3
        return await super().at(frame, points)


def window(app: str, title: str) -> WindowInfo:
    return WindowInfo(window_id=5, title=title, app=app, pid=77, rect=Rect(0, 0, 400, 300))


def field(role: Role = Role.PASSWORD_FIELD, url: str = "", box: Rect = FIELD) -> Element:
    return Element(element_id="/f", role=role, name="Password", box=box, pid=77, url=url)


def session(
    *actions: Action, app: str = "Chromium", title: str = "Bank", element: Element | None = None,
    secrets: SecretPort | None = None, focus: bool = False, late: bool = False,
) -> Rig:  # fmt: skip
    """A session in which the model does this, on a window of this application with this element, whose name the picture
    shows too; `late`: the first questions about it are not answered."""
    shown = element or field(url=SITE)
    elements = (LateElements if late else FakeElements)(shown, focus=shown if focus else None)
    reader = Words((shown.name, shown.box), boxes=[shown.box]) if late else None
    made = rig(does(*actions), elements=elements, reader=reader)
    made.computer.windows, made.computer.focus = [window(app, title)], window(app, title)
    ports = Ports(
        provider=made.model, computer=made.computer, injector=made.injector, guard=made.guard,
        open_journal=lambda: made.journal, elements=elements, secrets=secrets or Secrets("site:bank.example"),
        reader=reader,
    )  # fmt: skip
    request = SessionRequest(task=f"Log in as tom with {BANK}.", autonomy=Autonomy.GUARDED)
    made.session = Session(request, ports, options=Options(name="test"), clock=made.clock, audiences=(made.watcher,))
    return made


def everything(made: Rig) -> str:
    stored = (*(canonical(event) for event in made.events), *made.journal.data.values())
    told = "".join(str((seen.results, seen.messages)) for seen in made.model.seen)
    return b"\n".join(stored).decode("utf-8", "replace") + told + str(made.model.brief) + str(made.injector.grants)


async def test_it_is_typed_after_a_yes_and_is_nowhere() -> None:
    made = session(TypeText(text=BANK, at=AT))
    made.injector.answer = lambda grant: Outcome(
        result=ActResult.DONE, delivered=13, total=13, method="13 keys", output=f"echo {VALUE}"
    )
    await to_the_end(made)
    assert made.injector.secrets == [VALUE]
    (asked,) = made.of(Asked)
    assert asked.question.surface is Surface.DIALOG
    assert BANK in asked.question.text
    (decided,) = made.of(Decided)
    assert decided.assessment is not None
    assert Category.CREDENTIALS in decided.assessment.categories
    assert made.of(Granted)[0].action == TypeText(text=BANK, at=AT)
    (performed,) = made.of(Performed)
    assert (performed.delivered, performed.total, performed.method) == (len(BANK), len(BANK), "")
    assert VALUE not in everything(made)
    assert "ub4dor" not in everything(made)
    assert made.model.brief is not None
    assert f"{BANK}: site:https://bank.example" in made.model.brief.instruction


async def test_a_place_that_is_not_told_in_time_is_asked_for_again() -> None:
    made = session(TypeText(text=BANK, at=AT), late=True)
    await to_the_end(made)
    assert made.injector.secrets == [VALUE]


@pytest.mark.parametrize(
    ("element", "app", "title", "bound_to"),
    [
        (field(url="https://evil.example/"), "Chromium", "Bank", "site:bank.example"),
        (field(), "Chromium", "Bank", "site:bank.example"),
        (field(url=SITE), "Chromium", "Bank", "app:Chromium"),
        (field(url=SITE), "Chromium", "Bank", "window:Bank"),
        (field(), "Gnome-form", "Sign in", "app:Other"),
        (field(Role.TEXT_FIELD, url=SITE), "Chromium", "Bank", "site:bank.example"),
        (field(Role.BUTTON, url=SITE), "Chromium", "Bank", "site:bank.example"),
        (field(url=SITE, box=OTHER), "Chromium", "Bank", "site:bank.example"),
    ],
)
async def test_elsewhere_it_is_not(element: Element, app: str, title: str, bound_to: str) -> None:
    made = session(TypeText(text=BANK, at=AT), app=app, title=title, element=element, secrets=Secrets(bound_to))
    await to_the_end(made)
    assert made.injector.secrets == []
    assert made.of(Asked) == []
    (decided,) = made.of(Decided)
    assert (decided.decision, decided.rule) == (DecisionKind.NOT_DONE, "secret-not-typed")
    (result,) = made.model.seen[1].results
    assert result.status is CallStatus.DECLINED
    assert result.text.startswith("Not done: bank")
    assert [event.detail for event in made.of(Warned)][-1:] == [result.text]
    assert VALUE not in everything(made)


@pytest.mark.parametrize(
    "action",
    [
        TypeText(text=f"tom\t{BANK}", at=AT), TypeText(text=f"{BANK}{BANK}", at=AT),
        TypeText(text=placeholder("other"), at=AT), Navigate(url=f"https://bank.example/?p={BANK}"),
        Search(query=BANK), RunCommand(command=f"echo {BANK}"),
        CallFunction(name="f", arguments_json=f'{{"x": "{BANK}"}}'),
    ],
)  # fmt: skip
async def test_only_a_whole_text_is_typed(action: Action) -> None:
    made = session(action)
    await to_the_end(made)
    assert made.injector.secrets == []
    assert made.of(Decided)[0].rule == "secret-not-typed"
    assert made.injector.actions == []


@pytest.mark.parametrize("silent", [True, False])
async def test_a_terminal_gets_it_while_it_asks_for_a_password(silent: bool) -> None:
    secrets = Secrets("app:XTerm")
    secrets.silent = silent
    terminal = field(Role.TERMINAL, box=Rect(0, 0, 400, 300))
    made = session(
        TypeText(text=f"{BANK}\n"), app="XTerm", title="tom@here: ~", element=terminal, secrets=secrets, focus=True
    )
    await to_the_end(made)
    assert made.injector.secrets == ([VALUE] if silent else [])
    assert bool(made.of(Asked)) is silent


async def test_an_application_by_its_name() -> None:
    made = session(TypeText(text=BANK, at=AT), app="Gnome-form", element=field(), secrets=Secrets("app:gnome-form"))
    await to_the_end(made)
    assert made.injector.secrets == [VALUE]


async def test_where_there_are_none_a_placeholder_is_not_typed() -> None:
    none = Secrets("app:x")
    none.secrets = ()
    made = session(TypeText(text=BANK, at=AT), secrets=none)
    await to_the_end(made)
    assert made.injector.actions == []
    (result,) = made.model.seen[1].results
    assert "no secret bank" in result.text
    assert made.model.brief is not None
    assert "{{secret" not in made.model.brief.instruction
