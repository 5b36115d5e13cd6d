"""Child processes get the environment without secrets."""

from __future__ import annotations

from operator_console.domain.environment import without_keys


def test_keys_are_left_out_and_the_rest_is_kept() -> None:
    environment = {"GEMINI_API_KEY": "a", "google_api_key": "b", "GITHUB_TOKEN": "c", "PATH": "/bin", "DISPLAY": ":1"}
    assert without_keys(environment) == {"PATH": "/bin", "DISPLAY": ":1"}
