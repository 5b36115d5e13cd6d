"""What is set up about a browser before its session."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from operator_console.domain.frames import TargetKind
from operator_console.ui.backend import Preferences, TargetChoice
from operator_console.ui.panels.setup_column import SetupColumn
from tests.display.ui.fake_backend import RUNBOOK, FakeBackend

BROWSER = TargetChoice(spec="browser", title="Browser", kind=TargetKind.BROWSER)
MONITOR = TargetChoice(spec="monitor:1", title="Monitor 1", kind=TargetKind.MONITOR)


@pytest.fixture
def column(app: QApplication) -> SetupColumn:
    """A set-up in which the browser is chosen."""
    made, backend = SetupColumn(), FakeBackend()
    made.browser.check_address, made.browser.check_site = backend.address_trouble, backend.site_trouble
    made.show_models([RUNBOOK])
    made.task.setPlainText('click "Save"')
    made.chooser.show_targets([MONITOR, BROWSER], "browser")
    return made


def test_the_browser_is_set_up_only_while_it_is_the_target(column: SetupColumn) -> None:
    assert not column.browser.isHidden()
    column.chooser.choose("monitor:1")
    assert column.browser.isHidden()
    request = column.request(Preferences())
    assert request is not None
    assert (request.target, request.sites) == ("monitor:1", ())


def test_the_request_names_the_address_and_the_sites(column: SetupColumn) -> None:
    column.browser.address.setText(" example.org/start ")
    column.browser.sites.setPlainText("example.org, *.example.net\n\nexample.org")
    request = column.request(Preferences())
    assert request is not None
    assert (request.target, request.sites) == ("browser:example.org/start", ("example.org", "*.example.net"))


def test_the_address_is_remembered_with_the_set_up(column: SetupColumn) -> None:
    column.browser.address.setText("example.org")
    remembered = column.remembered
    assert remembered is not None
    assert (remembered.target, remembered.target_title) == ("browser:example.org", "Browser · example.org")
    column.browser.address.clear()
    column.show_preferences(Preferences(target=remembered.target))
    assert column.browser.address.text() == "example.org"


@pytest.mark.parametrize(("address", "sites"), [("not an address", ""), ("", "https://example.org/")])
def test_a_mistake_is_said_at_its_field_and_starts_nothing(column: SetupColumn, address: str, sites: str) -> None:
    column.browser.address.setText(address)
    column.browser.sites.setPlainText(sites)
    assert column.request(Preferences()) is None
    assert column.lacking in ("That is no web address.", "https://example.org/ is not a site.")


def test_the_sites_of_the_settings_are_filled_in_and_stay_in_force_where_none_is_written(column: SetupColumn) -> None:
    column.browser.show_settings(headless=True, sites=("example.org",))
    assert (column.browser.headless, column.browser.chosen_sites) == (True, ("example.org",))
    column.browser.sites.clear()
    assert column.browser.sites.placeholderText() == "As in the settings: example.org"


def test_other_settings_do_not_replace_what_was_written(column: SetupColumn) -> None:
    column.browser.sites.setPlainText("mine.example")
    column.browser.show_settings(headless=False, sites=("example.org",))
    assert column.browser.chosen_sites == ("mine.example",)


def test_a_browser_that_cannot_be_started_has_nothing_to_set_up(column: SetupColumn) -> None:
    missing = TargetChoice(spec="browser", title="Browser", kind=TargetKind.BROWSER, trouble="No browser was found.")
    column.chooser.show_targets([MONITOR], "")
    column.chooser.choose("monitor:1")
    column.chooser.show_targets([MONITOR, missing], "")
    column.chooser.choose("browser")
    assert column.browser.isHidden()
