"""Options of CogAgent sessions: the section [cogagent] of the settings file."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from operator_console.providers.shared.chat_options import EndpointOptions


class Platform(StrEnum):
    """What the model is told it controls; for Linux there is no word, and WIN is nearest."""

    WIN = "WIN"
    MAC = "Mac"
    MOBILE = "Mobile"


class AnswerFormat(StrEnum):
    """The form of answers. Only those with "Sensitive" have the model mark sensitive operations."""

    ACTION_OPERATION_SENSITIVE = "Action-Operation-Sensitive"
    STATUS_ACTION_OPERATION_SENSITIVE = "Status-Action-Operation-Sensitive"
    STATUS_PLAN_ACTION_OPERATION_SENSITIVE = "Status-Plan-Action-Operation-Sensitive"
    STATUS_PLAN_ACTION_OPERATION = "Status-Plan-Action-Operation"
    STATUS_ACTION_OPERATION = "Status-Action-Operation"
    ACTION_OPERATION = "Action-Operation"


class CogAgentOptions(EndpointOptions):
    """Options of a CogAgent session."""

    base_url: str = Field("", description="the endpoint's address; empty: that in `COGAGENT_BASE_URL`")
    platform: Platform = Field(
        Platform.WIN,
        description='`"WIN"`, `"Mac"` or `"Mobile"`: what the model is told it works on; it knows no Linux',
    )
    answer_format: AnswerFormat = Field(
        AnswerFormat.ACTION_OPERATION_SENSITIVE,
        description=(
            'also `"Status-Action-Operation-Sensitive"`, `"Status-Plan-Action-Operation-Sensitive"`, and '
            "all three without `-Sensitive`: then each operation that acts is asked about"
        ),
    )
    send_instruction: bool = Field(
        False,
        description=(
            "add the console's instruction for models to the task; it is longer than the texts the model "
            "was trained with"
        ),
    )
    offer_functions: bool = Field(True, description="describe `ask_user`, `yield_to_user` and `done` in the task")
    keep_steps: int = Field(
        20,
        ge=1,
        le=1000,
        title="Steps kept",
        description="how many steps the history has at most, 1 to 1000; at most 5000 characters in any case",
    )
    temperature: float = Field(0.6, ge=0, le=2, description="how much chance there is in answers, 0 to 2")
    top_p: float = Field(0.8, gt=0, le=1, description="the same, 0 to 1")
    max_tokens: int = Field(
        2048,
        ge=64,
        le=131_072,
        title="Longest answer, tokens",
        description="limit for one answer; with the picture (1600) and the text it must fit the model's 8192",
    )
    request_timeout_s: float = Field(
        180.0, gt=0, le=3600, title="Answer within, seconds", description="how many seconds one answer may take"
    )
    text_model: str = Field("", description="the model that answers the model's own prompts (`LLM`); empty: the same")
    text_base_url: str = Field("", description="its endpoint, with the key in `COGAGENT_TEXT_API_KEY`; empty: the same")
