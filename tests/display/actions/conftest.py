"""`--full`: the whole product of texts, layouts, locks and applications, with its table, in place of the pairs."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="type every text under every layout and lock into each field")


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether everything is wanted. The option is known only where this folder is named on the command line."""
    return bool(request.config.getoption("--full", default=False))
