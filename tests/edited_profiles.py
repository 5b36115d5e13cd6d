"""Model profiles as the window edits them."""

from __future__ import annotations

from typing import Any

from operator_console.ui.profile_values import ModelProfile


def profile(name: str, *, own_key: bool = False, problem: str = "", **values: Any) -> ModelProfile:
    """A profile with these values, besides those that each has."""
    of_each = {"model": "", "base_url": "", "options": {}}
    return ModelProfile(name=name, values={**of_each, **values}, own_key=own_key, problem=problem)


def changed(before: ModelProfile, name: str = "", **values: Any) -> ModelProfile:
    """The same with another name or other values; None removes one."""
    made = {key: value for key, value in {**before.values, **values}.items() if value is not None}
    return ModelProfile(name=name or before.name, values=made, own_key=before.own_key)
