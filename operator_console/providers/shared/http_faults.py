"""Converts HTTP errors to ProviderErrors: which are transient, and how long to wait before a retry.

Each provider parses the error format of its vendor.
"""

from __future__ import annotations

import email.utils
import math
import os
import re
import socket
import ssl
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
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
from operator_console.domain.redaction import without_secrets

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
_NO_PICTURES = re.compile(
    r"at most 0 images?|image inputs? (?:is|are) not supported|no endpoints found that support image|"
    r"(?:not|n't) support (?:the )?(?:images?|vision|multi-?modal)|not a (?:multi-?modal|vision)|"
    r"unknown variant `?image_url|image_url\W.{0,20}only supported",
    re.IGNORECASE,
)
"""As vLLM, llama.cpp, OpenRouter, SGLang, Ollama and DeepSeek say it, some of them with a status of 404 or 500."""
_NO_CREDIT = re.compile(
    r"credit balance|insufficient.{0,12}(?:balance|credit|fund)|(?:no|out of) credits?\b|payment required|in arrears",
    re.IGNORECASE,
)
SPENT_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of OpenAI's service, which others took over, for an account without credit."""
_STREAM = re.compile(r"non-stream|only (?:supports? )?stream|stream\W.{0,20}(?:must be|required|true)", re.IGNORECASE)
_TRANSIENT_CODES = frozenset({408, 409, 425, 429, 499})
_LASTING_CODES = frozenset({501, 505})
_LONGEST_REASON = 1000
_UNSHOWN = re.compile(r"<(style|script|title)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>")
_DATA = re.compile(r"(?:data:[\w/+.;=-]+,)?[A-Za-z0-9+/_=-]{120,}")
"""What is no word of any language: a picture that is repeated from the request."""
_DAY_S = 86_400


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
        unpaid: the service says that the account has no credit, whatever the code.
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
    unpaid: bool = False
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
    """An HTTP status or error code with the service's text about it, as a sentence."""
    said = plain_reason(reason)
    return joined(f"{' '.join(status.split())[:80]}:", said or notice(NoticeCode.SERVICE_GAVE_NO_REASON))


def plain_reason(text: str) -> str:
    """What a service says, as a sentence: `plain_text`, not longer than a person reads."""
    text = plain_text(text)
    if len(text) > _LONGEST_REASON:
        text = f"{text[:_LONGEST_REASON].rstrip()} …"
    return text if not text or text[-1] in ".!?…" else f"{text}."


def plain_text(text: str) -> str:
    """A text by others on one line, without tags of a page, pictures and keys."""
    text = _DATA.sub("…", text[: 100 * _LONGEST_REASON])
    if "<" in text:  # a page of a proxy
        text = _TAG.sub(" ", _UNSHOWN.sub(" ", text)).strip() or _TAG.sub(" ", text)
    return " ".join("".join(each if each.isprintable() else " " for each in without_secrets(text)).split())


def reason_of(body: object) -> str:
    """The text of an error body: {"message"}, {"error": {"message"}} (as the SDK gives it), {"msg"}, {"detail"}, or any
    text."""
    if isinstance(body, dict):
        for name in ("message", "error", "msg", "detail"):
            if body.get(name):
                return reason_of(body[name]) if isinstance(body[name], dict) else _worded(body[name])
        return ""
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], dict) and "msg" not in body[0]:
        return reason_of(body[0])
    return _worded(body) if body is not None else ""


def _worded(reason: object) -> str:
    """The text of a reason; of a list of faults (FastAPI's 422), what each says and where."""
    if not isinstance(reason, list):
        return str(reason).strip()
    faults = [
        f"{'.'.join(map(str, _places(fault)))}: {fault['msg']}"
        for fault in reason
        if isinstance(fault, dict) and "msg" in fault
    ]
    return "; ".join(faults) or str(reason)


def _places(fault: Mapping[str, object]) -> Sequence[object]:
    place = fault.get("loc")
    return place if isinstance(place, list) else ()


def from_status(service: Service, fault: HttpFault) -> ProviderError:
    """The ProviderError for an HTTP error response."""
    return _about_key(service, fault) or _about_place(service, fault) or _about_request(service, fault)


def _about_key(service: Service, fault: HttpFault) -> ProviderError | None:
    """The error for a key, or an account, with which this cannot be asked."""
    if fault.unpaid or fault.code == 402 or (fault.code in {400, 403, 429} and _NO_CREDIT.search(fault.message)):
        return ProviderRejected(
            notice(NoticeCode.SERVICE_WANTS_PAYMENT, service=service.title),
            detail=fault.message,
            remedy=notice(NoticeCode.ADD_CREDIT),
        )
    other_key = notice(NoticeCode.ENTER_OTHER_KEY, provider=service.provider, variable=service.key_variable)
    if service.sign_in is not None and (fault.code in {401, 403} or fault.key_fault):
        code, worded = NoticeCode.SERVICE_REJECTED_CREDENTIALS, notice(service.sign_in)
    elif fault.code == 401 or fault.key_fault:
        code, worded = NoticeCode.SERVICE_REJECTED_KEY, other_key
    elif fault.code == 403:
        code, worded = NoticeCode.SERVICE_FORBIDS, joined(notice(NoticeCode.CHECK_WHAT_KEY_MAY_DO), other_key)
    else:
        return None
    return ProviderRejected(notice(code, service=service.title), detail=fault.message, remedy=worded, key_problem=True)


def _about_place(service: Service, fault: HttpFault) -> ProviderError | None:
    """The error for an address that is not that of the model."""
    if 300 <= fault.code < 400 and fault.leads_to:
        return ProviderRejected(
            notice(NoticeCode.SERVICE_REDIRECTS, service=service.title, address=plain_address(fault.leads_to)),
            detail=fault.message,
            remedy=notice(NoticeCode.USE_ADDRESS_IT_LEADS_TO),
        )
    if fault.code >= 400 and _NO_PICTURES.search(fault.message):
        return ProviderRejected(
            notice(NoticeCode.MODEL_TAKES_NO_PICTURES, service=service.title, model=fault.model),
            detail=fault.message,
            remedy=notice(NoticeCode.CHOOSE_MODEL_WITH_PICTURES),
        )
    if fault.code in {404, 405} and fault.wrong_address:
        return ProviderRejected(
            notice(NoticeCode.NO_SERVICE_AT_ADDRESS, service=service.title, address=plain_address(fault.wrong_address)),
            detail=fault.message,
            remedy=notice(NoticeCode.ADDRESS_ENDS_IN_V1),
        )
    if fault.code in {404, 410}:
        return ProviderRejected(
            notice(NoticeCode.SERVICE_HAS_NO_MODEL, service=service.title, model=fault.model),
            detail=fault.message,
            remedy=joined(notice(NoticeCode.CHOOSE_LISTED_MODEL), fault.model_remedy),
        )
    return None


def _about_request(service: Service, fault: HttpFault) -> ProviderError:
    """The error for a request that was not taken now, or not as it is."""
    if fault.quota_spent:
        return ProviderRejected(
            notice(NoticeCode.DAILY_QUOTA_USED_UP),
            detail=fault.message,
            remedy=notice(NoticeCode.WAIT_FOR_QUOTA),
        )
    if fault.code in _TRANSIENT_CODES or (fault.code >= 500 and fault.code not in _LASTING_CODES):
        slow = fault.code == 429
        return ProviderTransient(
            notice(
                NoticeCode.SERVICE_ASKS_TO_SLOW_DOWN if slow else NoticeCode.SERVICE_UNAVAILABLE, service=service.title
            ),
            detail=joined(fault.message, _waiting(fault.retry_after_s)),
            remedy=notice(NoticeCode.GO_ON_LATER if slow else NoticeCode.CHECK_HOW_SERVICE_RUNS),
            retry_after_s=fault.retry_after_s,
        )
    part = rejected_part(fault.code, fault.message)
    remedy = _REMEDIES[part] if part is not None else NoticeCode.REQUEST_NOT_REPEATED
    if part is None and fault.code in {400, 422} and _STREAM.search(fault.message):
        remedy = NoticeCode.SET_STREAM
    return ProviderRejected(
        notice(NoticeCode.SERVICE_REJECTED_REQUEST, service=service.title),
        detail=fault.message,
        remedy=notice(remedy),
        part=part,
    )


def _waiting(wait_s: float | None) -> str:
    """A sentence on a wait that is worth one."""
    if wait_s is None or wait_s < 60:
        return ""
    if wait_s >= _DAY_S:
        return notice(NoticeCode.SERVICE_ASKS_TO_WAIT_LONG)
    return notice(NoticeCode.SERVICE_ASKS_TO_WAIT, minutes=math.ceil(wait_s / 60))


def rejected_part(code: int, message: str) -> RejectedPart | None:
    """What a service did not take, by its status and its text; None where it does not say."""
    if code == 413 or (code in {400, 422} and _TOO_MUCH.search(message)):
        return RejectedPart.SIZE
    if code in {400, 422} and _FORM.search(message):
        return RejectedPart.FORM
    return None


def from_connection_error(service: Service, error: BaseException, *, host: str, proxy: str) -> ProviderError:
    """The error if there is no response: refused, interrupted, not trusted.

    Args:
        service: Its names.
        error: Of the HTTP client or the operating system; the first cause tells more.
        host: Which was asked; "" where that is not known.
        proxy: Through which proxy; "" for none.
    """
    if found := _cause(error, ssl.SSLCertVerificationError):
        return ProviderRejected(
            notice(NoticeCode.CERTIFICATE_NOT_TRUSTED, service=service.title, host=host),
            detail=plain_reason(found.verify_message),
            remedy=notice(_CERTIFICATES.get(found.verify_code, NoticeCode.TRUST_CERTIFICATE)),
        )
    if (broken := _cause(error, ssl.SSLError)) and broken.reason in _NO_TLS:
        return ProviderRejected(
            notice(NoticeCode.NO_TLS_AT_ADDRESS, service=service.title, host=host),
            detail=f"{broken.reason}.",
            remedy=notice(NoticeCode.USE_HTTP_OR_OTHER_PORT),
        )
    title = notice(NoticeCode.SERVICE_CONNECTION_FAILED, service=service.title)
    if not proxy and _cause(error, socket.gaierror):
        title = notice(NoticeCode.SERVICE_NAME_UNKNOWN, service=service.title, host=host)
    words = plain_reason(str(error))
    return ProviderTransient(
        title,
        detail=joined(
            f"{type(error).__name__}{f': {words}' if words else '.'}",
            notice(NoticeCode.WENT_THROUGH_PROXY, proxy=proxy) if proxy else "",
        ),
        remedy=notice(NoticeCode.CORRECT_PROXY_VARIABLES if proxy else NoticeCode.CHECK_ADDRESS_AND_NETWORK),
    )


def timed_out(service: Service, error: BaseException) -> ProviderTransient:
    """The error if the response takes too long."""
    return ProviderTransient(
        notice(NoticeCode.SERVICE_TIMED_OUT, service=service.title),
        detail=f"{type(error).__name__}.",
        remedy=notice(NoticeCode.RAISE_TIME_LIMIT),
    )


def from_proxy(service: Service, error: BaseException, proxy: str) -> ProviderError:
    """The error of a proxy that made no connection, which tells a status (407) or a reason."""
    said = plain_reason(str(error))
    if said.startswith("407"):
        return proxy_wants_login(service, proxy)
    title, remedy = (
        notice(NoticeCode.PROXY_MADE_NO_CONNECTION, service=service.title, proxy=proxy),
        notice(NoticeCode.CORRECT_PROXY_VARIABLES),
    )
    kind = ProviderRejected if said.startswith("4") else ProviderTransient
    return kind(title, detail=said, remedy=remedy)


def proxy_wants_login(service: Service, proxy: str) -> ProviderRejected:
    """The error of a proxy that asks for a login."""
    return ProviderRejected(
        notice(NoticeCode.PROXY_WANTS_LOGIN, service=service.title, proxy=proxy),
        remedy=notice(NoticeCode.SET_PROXY_LOGIN),
    )


def page_answered(service: Service, address: str, page: str) -> ProviderRejected:
    """The error for a web page where an answer should be."""
    return ProviderRejected(
        notice(NoticeCode.PAGE_ANSWERED, service=service.title, address=plain_address(address)),
        detail=plain_reason(page)[:300],
        remedy=notice(NoticeCode.OPEN_ADDRESS_IN_BROWSER),
    )


_CERTIFICATES = {
    9: NoticeCode.CHECK_CLOCK_OR_RENEW, 10: NoticeCode.CHECK_CLOCK_OR_RENEW, 62: NoticeCode.USE_NAME_OF_CERTIFICATE,
    64: NoticeCode.USE_NAME_OF_CERTIFICATE,
}  # fmt: skip
"""By OpenSSL's codes: not yet valid, expired, other host name, other IP address."""
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"})

Cause = TypeVar("Cause", bound=BaseException)


def _cause(error: BaseException | None, kind: type[Cause]) -> Cause | None:
    """The first of this kind among an error and its causes."""
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def bad_base_url(service: Service, error: Exception) -> ProviderRejected:
    """The error for an invalid base URL."""
    return ProviderRejected(
        notice(NoticeCode.SERVICE_ADDRESS_UNUSABLE, service=service.title),
        detail=plain_reason(str(error)),
        remedy=notice(NoticeCode.CORRECT_SERVICE_ADDRESS, variable=service.url_variable),
    )


def longest_wait_s(headers: Mapping[str, str], stated: Iterable[str] = ()) -> float | None:
    """The longest delay in Retry-After (seconds or an HTTP date) or in `stated` (seconds as text), in seconds."""
    waits = [_seconds(text) for text in stated]
    header = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    waits += [_seconds(header), _until(header)]
    known = [wait for wait in waits if wait is not None]
    return max(known) if known else None


def plain_address(url: str) -> str:
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
    except (TypeError, ValueError, OverflowError, OSError):
        return None
