"""Suggest: the model is asked when the operator asks for it, with what is set up, and never otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from operator_console.domain.errors import ProviderTransient
from operator_console.domain.frames import TargetKind
from operator_console.domain.risk import Category
from operator_console.domain.scope import ScopeSource, SuggestedScope
from operator_console.ui.backend import ModelChoice
from operator_console.ui.console import Console
from operator_console.ui.panels.setup_column import SetupColumn
from tests.display.ui.fake_backend import GEMINI, RUNBOOK, FakeBackend
from tests.ui.conftest import until
from tests.ui.test_console import running

KEYED = replace(GEMINI, has_key=True, told=True)
TASK = "Copy the receipt from shop.example and send it to Ann."
FOUND = SuggestedScope(
    apps=("mousepad",), sites=("shop.example",), effects=(Category.SEND,), dropped=("Frobnicator",)
)  # fmt: skip


async def set_up(console: Console, backend: FakeBackend, choice: ModelChoice = KEYED) -> SetupColumn:
    """A task, a target and this model."""
    setup = console.window.setup
    backend.choices, backend.suggested = [choice, RUNBOOK], FOUND
    setup.show_models(await backend.models())
    setup.choose_model(choice)
    await until(lambda: setup.chosen_target is not None, "targets")
    setup.task.setPlainText(TASK)
    return setup


@running
async def test_what_the_model_names_fills_the_fields_and_starts_with_who_named_it(
    console: Console, backend: FakeBackend
) -> None:
    setup = await set_up(console, backend)
    assert backend.suggestions == [], "never by itself"
    setup.scope.suggest.click()
    await until(lambda: backend.suggestions, "the request")
    assert backend.suggestions == [(KEYED.model, TargetKind.MONITOR, TASK)]
    assert setup.scope.suggest.text() == "Cancel"
    backend.suggesting.set()
    await until(setup.scope.apps.text, "the answer")
    assert (setup.scope.apps.text(), setup.scope.sites.text()) == ("mousepad", "shop.example")
    assert setup.scope.effects == (Category.SEND,)
    assert "“Frobnicator”" in setup.scope.note
    await until(lambda: setup.scope.suggest.text() == "Suggest", "the end")
    made = setup.request(console.preferences.kept)
    assert made is not None
    assert (made.apps, made.sites, made.effects) == (("mousepad",), ("shop.example",), (Category.SEND,))
    assert made.scope_by is ScopeSource.MODEL
    setup.scope.sites.setText("shop.example, mail.example")
    made = setup.request(console.preferences.kept)
    assert made is not None
    assert made.scope_by is ScopeSource.EDITED


@running
async def test_it_is_told_why_a_model_cannot_be_asked(console: Console, backend: FakeBackend) -> None:
    setup = await set_up(console, backend)
    assert setup.scope.suggest.isEnabled()
    setup.task.setPlainText(" ")
    assert setup.scope.suggest.toolTip() == "Enter a task first."
    setup.task.setPlainText(TASK)
    setup.choose_runbook()
    assert not setup.scope.suggest.isEnabled()
    assert "no model to ask" in setup.scope.suggest.toolTip()
    await set_up(console, backend, replace(KEYED, answers_text=False))
    assert "actions alone" in setup.scope.suggest.toolTip()
    await set_up(console, backend, replace(KEYED, has_key=False))
    assert "No API key" in setup.scope.suggest.toolTip()


@running
async def test_another_task_and_cancel_end_the_request(console: Console, backend: FakeBackend) -> None:
    setup = await set_up(console, backend)

    def write_another_task() -> None:
        setup.task.setPlainText("Something else.")

    for end in (write_another_task, setup.scope.suggest.click, setup.choose_runbook):
        asked = len(backend.suggestions)
        setup.scope.suggest.click()
        await until(partial(_more_than, backend, asked), "the request")
        setup.show_models(await backend.models())
        assert setup.scope.suggest.text() == "Cancel", "the same models listed again change nothing"
        end()
        assert (setup.scope.suggest.text(), setup.scope.note) == ("Suggest", "")
    backend.suggesting.set()
    await until(lambda: not console.bridge.running("suggest_scope"), "the end")
    assert setup.scope.apps.text() == ""


def _more_than(backend: FakeBackend, asked: int) -> bool:
    return len(backend.suggestions) > asked


@running
async def test_an_error_is_told_beside_the_fields(console: Console, backend: FakeBackend) -> None:
    setup = await set_up(console, backend)
    setup.scope.apps.setText("xterm")
    backend.suggestion_error = ProviderTransient("Gemini is not available.", remedy="Ask again.")
    backend.suggesting.set()
    setup.scope.suggest.click()
    await until(lambda: setup.scope.note == "Gemini is not available. Ask again.", "the error")
    assert (setup.scope.apps.text(), setup.scope.suggest.text()) == ("xterm", "Suggest")


@running
async def test_what_leaves_the_machine_is_told_before_the_first_request(console: Console, backend: FakeBackend) -> None:
    setup = await set_up(console, backend, replace(KEYED, told=False))
    backend.suggesting.set()
    setup.scope.suggest.click()
    sheet = console.privacy.sheet
    assert sheet is not None
    assert (backend.suggestions, sheet.agree.text()) == ([], "Ask the model")
    sheet.reject()
    assert backend.suggestions == []
    setup.scope.suggest.click()
    sheet = console.privacy.sheet
    assert sheet is not None
    sheet.agree.click()
    await until(lambda: backend.told == ["gemini"], "the operator to count as told")
    assert setup.scope.apps.text() == "mousepad"


@running
async def test_in_a_managed_browser_the_sites_are_those_that_it_may_reach(
    console: Console, backend: FakeBackend
) -> None:
    setup = await set_up(console, backend)
    backend.suggesting.set()
    backend.has_browser = True
    console.targets.refresh()
    await until(lambda: setup.chooser.listed("browser") is not None, "targets")
    setup.chooser.choose("browser")
    setup.scope.suggest.click()
    await until(lambda: setup.browser.chosen_sites, "the answer")
    made = setup.request(console.preferences.kept)
    assert made is not None
    assert (made.sites, made.scope_by) == (("shop.example",), ScopeSource.MODEL)
