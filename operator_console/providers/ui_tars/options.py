"""Options of UI-TARS sessions: the section [ui_tars] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operator_console.providers.shared.chat_options import ChatOptions


class Version(StrEnum):
    """A version, which decides prompt and coordinates; AUTO: by the name of the model."""

    AUTO = ""
    V1_0 = "1.0"
    V1_5 = "1.5"
    DOUBAO = "doubao"


class UiTarsOptions(ChatOptions):
    """Options of a UI-TARS session."""

    version: Version = Field(
        Version.AUTO, description='`"1.0"`, `"1.5"` or `"doubao"`; empty: by the name of the model'
    )
    language: str = Field("English", pattern=r"^[\w -]{1,40}$", description="in which language the model thinks")
    base_url: str = Field("", description="the endpoint's address; empty: that in `UI_TARS_BASE_URL`")
