"""The base of all sections of the settings file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A section of the file. Unknown names are errors, so that misspelt settings are noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
