"""Options of CogAgent sessions: the section [cogagent] of the settings file."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

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
    """Options of a CogAgent session.

    Attributes:
        base_url: The endpoint's address, which usually ends in /v1; "" for that in the environment variable.
        platform: What the model is told it controls.
        answer_format: In formats without "Sensitive" each operation that acts is asked about.
        send_instruction: Whether the general instruction for models is added to the task. CogAgent was trained with
            short tasks and about 450 tokens of text; the instruction alone has more.
        offer_functions: Whether the console's own functions, such as ask_user, are described in the task.
        keep_steps: The number of newest steps in the history.
        temperature, top_p: How much chance there is in answers.
        max_tokens: Limit for one answer; with picture, task and history it must fit the model's 8192 tokens.
        request_timeout_s: Limit for one answer.
        text_model: The model that answers LLM operations; "" for CogAgent itself.
        text_base_url: The address of its endpoint, which uses the key in COGAGENT_TEXT_API_KEY; "" for the same.
    """

    base_url: str = ""
    platform: Platform = Platform.WIN
    answer_format: AnswerFormat = AnswerFormat.ACTION_OPERATION_SENSITIVE
    send_instruction: bool = False
    offer_functions: bool = True
    keep_steps: Annotated[int, Field(ge=1, le=1000)] = 20
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.6
    top_p: Annotated[float, Field(gt=0, le=1)] = 0.8
    max_tokens: Annotated[int, Field(ge=64, le=131_072)] = 2048
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 180.0
    text_model: str = ""
    text_base_url: str = ""
