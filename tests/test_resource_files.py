from __future__ import annotations

import pytest

from operator_console.resource_files import resource_path


def test_a_checkout_finds_its_resources() -> None:
    assert resource_path().is_dir()
    assert resource_path("README.md").is_file()


def test_a_missing_resource_says_where_it_was_looked_for() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        resource_path("no-such-file")
