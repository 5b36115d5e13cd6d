"""Converts HTTP errors to ProviderErrors: which are transient, and how long to wait before a retry.

Each provider parses the error format of its vendor.
"""

from __future__ import annotations

import email.utils
import math
import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from operator_console.domain.api_keys import usable_key
from operator_console.domain.errors import (
    OperatorError,
    ProviderError,
    ProviderRejected,
    ProviderTransient,
    RejectedPart,
)
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode

_TOO_MUCH = re.compile(
    r"at most \d+ images?|too many images|number of images|images? (?:is |are )?too (?:large|many|big)|"
    r"maximum (?:context|input|prompt|number of tokens)|context (?:length|window|size)|too many (?:input )?tokens|"
    r"(?:prompt|input|request|payload|body)\b.{0,40}\btoo (?:long|large)|"
    r"exceeds?\b.{0,60}\b(?:context|tokens|images?)\b",
    re.IGNORECASE,
)
"""As vLLM, SGLang, llama.cpp, Ollama, LM Studio and the gateways before them say it."""
_FORM = re.compile(r"response_format|json_schema|json_object|structured outputs?|guided", re.IGNORECASE)
_REMEDIES = {RejectedPart.SIZE: NoticeCode.LOWER_WHAT_IS_KEPT, RejectedPart.FORM: NoticeCode.CHANGE_JSON_MODE}

_TRANSIENT_CODES = frozenset({408, 425, 429, 499})


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service of models, as named in error messages.

    Attributes:
        title: "Gemini".
        provider: the provider's name on the command line.
        key_variable: Environment variable for the key; "" if no key is needed.
        url_variable: Environment variable for the address.
        sign_in: Of a cloud, whose credentials its own tools keep: how a person signs in.
    """

    title: str
    provider: str
    key_variable: str
    url_variable: str
    sign_in: NoticeCode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFault:
    """An HTTP error response.

    Attributes:
        code: HTTP status.
        message: The status with the service's text, from `reported`.
        key_fault: the service says that the key is at fault, whatever the code.
        quota_spent: a quota is used up that is not renewed for hours.
        retry_after_s: the wait that the service asks for.
        model: the model of the request.
        model_remedy: Additional advice if the model is not found.
        wrong_address: The address of the request, where a 404 that names no model means that nothing is there.
        leads_to: Where a redirect leads.
    """

    code: int
    message: str
    key_fault: bool = False
    quota_spent: bool = False
    retry_after_s: float | None = None
    model: str = ""
    model_remedy: str = ""
    wrong_address: str = ""
    leads_to: str = ""


def key_of(service: Service, given: str | None, *variables: str) -> str:
    """The key that is given, or that in one of these environment variables or the service's; "" for none.

    Raises:
        KeyUnusable: It cannot be a key.
    """
    if given:
        return usable_key(given)
    for name in (*variables, service.key_variable):
        if value := os.environ.get(name, "").strip():
            return usable_key(value, variable=name)
    return ""


def no_key(service: Service, detail: str = "") -> OperatorError:
    """The error if there is no key."""
    return OperatorError(
        notice(NoticeCode.NO_SERVICE_KEY, service=service.title),
        detail=detail,
        remedy=notice(NoticeCode.SET_SERVICE_KEY, variable=service.key_variable, provider=service.provider),
    )


def reported(status: str, reason: str) -> str:
    """An HTTP status or error code with the service's text about it."""
    return joined(f"{status}:", reason.strip() or notice(NoticeCode.SERVICE_GAVE_NO_REASON))


def from_status(service: Service, fault: HttpFault) -> ProviderError:
    """The ProviderError for an HTTP error response."""
    if service.sign_in is not None and (fault.code in {401, 403} or fault.key_fault):
        return ProviderRejected(
            notice(NoticeCode.SERVICE_REJECTED_CREDENTIALS, service=service.title),
            detail=fault.message,
            remedy=notice(service.sign_in),
            key_problem=True,
        )
    if fault.code in {401, 403} or fault.key_fault:
        remedy = notice(NoticeCode.ENTER_OTHER_KEY, provider=service.provider, variable=service.key_variable)
        return ProviderRejected(
            notice(NoticeCode.SERVICE_REJECTED_KEY, service=service.title),
            detail=fault.message,
            remedy=remedy,
            key_problem=True,
        )
    if 300 <= fault.code < 400:
        return ProviderRejected(
            notice(NoticeCode.SERVICE_REDIRECTS, service=service.title, address=_plain(fault.leads_to)),
            detail=fault.message,
            remedy=notice(NoticeCode.USE_ADDRESS_IT_LEADS_TO),
        )
    if fault.code == 404 and fault.wrong_address:
        return ProviderRejected(
            notice(NoticeCode.NO_SERVICE_AT_ADDRESS, service=service.title, address=_plain(fault.wrong_address)),
            detail=fault.message,
            remedy=notice(NoticeCode.ADDRESS_ENDS_IN_V1),
        )
    if fault.code == 404:
        return ProviderRejected(
            notice(NoticeCode.SERVICE_HAS_NO_MODEL, service=service.title, model=fault.model),
            detail=fault.message,
            remedy=joined(notice(NoticeCode.CHOOSE_LISTED_MODEL), fault.model_remedy),
        )
    if fault.quota_spent:
        return ProviderRejected(
            notice(NoticeCode.DAILY_QUOTA_USED_UP),
            detail=fault.message,
            remedy=notice(NoticeCode.WAIT_FOR_QUOTA),
        )
    if fault.code in _TRANSIENT_CODES or fault.code >= 500:
        code = NoticeCode.SERVICE_ASKS_TO_SLOW_DOWN if fault.code == 429 else NoticeCode.SERVICE_UNAVAILABLE
        title = notice(code, service=service.title)
        return ProviderTransient(title, detail=fault.message, retry_after_s=fault.retry_after_s)
    part = rejected_part(fault.code, fault.message)
    return ProviderRejected(
        notice(NoticeCode.SERVICE_REJECTED_REQUEST, service=service.title),
        detail=fault.message,
        remedy=notice(_REMEDIES[part] if part is not None else NoticeCode.REQUEST_NOT_REPEATED),
        part=part,
    )


def rejected_part(code: int, message: str) -> RejectedPart | None:
    """What a service did not take, by its status and its text; None where it does not say."""
    if code == 413 or (code in {400, 422} and _TOO_MUCH.search(message)):
        return RejectedPart.SIZE
    if code in {400, 422} and _FORM.search(message):
        return RejectedPart.FORM
    return None


def from_connection_error(service: Service, error: Exception, *, timed_out: bool) -> ProviderTransient:
    """The error if there is no response: refused, interrupted or timed out."""
    code = NoticeCode.SERVICE_TIMED_OUT if timed_out else NoticeCode.SERVICE_CONNECTION_FAILED
    title = notice(code, service=service.title)
    words = str(error).strip()
    verbatim = f"{type(error).__name__}{': ' + words if words else ''}."
    return ProviderTransient(title, detail=verbatim)


def bad_base_url(service: Service, error: Exception) -> ProviderRejected:
    """The error for an invalid base URL."""
    return ProviderRejected(
        notice(NoticeCode.SERVICE_ADDRESS_UNUSABLE, service=service.title),
        detail=str(error),
        remedy=notice(NoticeCode.CORRECT_SERVICE_ADDRESS, variable=service.url_variable),
    )


def longest_wait_s(headers: Mapping[str, str], stated: Iterable[str] = ()) -> float | None:
    """The longest delay in Retry-After (seconds or an HTTP date) or in `stated` (seconds as text), in seconds."""
    waits = [_seconds(text) for text in stated]
    header = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    waits.append(_seconds(header) if header.strip().replace(".", "", 1).isdigit() else _until(header))
    known = [wait for wait in waits if wait is not None]
    return max(known) if known else None


def _plain(url: str) -> str:
    """An address without a user, a password and a query."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _until(text: str) -> float | None:
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
