"""Options of UI-TARS sessions: the section [ui_tars] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from operator_console.providers.shared.chat_options import ChatOptions


class Version(StrEnum):
    """A version, which decides prompt and coordinates; AUTO: by the name of the model."""

    AUTO = ""
    V1_0 = "1.0"
    V1_5 = "1.5"
    DOUBAO = "doubao"


class UiTarsOptions(ChatOptions):
    """Options of a UI-TARS session.

    Attributes:
        version: AUTO if the name of the model tells it.
        language: In which the model writes its thoughts.
    """

    version: Version = Version.AUTO
    language: Annotated[str, Field(pattern=r"^[\w -]{1,40}$")] = "English"
