"""What the SDK and its HTTP client raise, as the console's provider errors.

The one place that knows the service's error forms (google.rpc details: RetryInfo, QuotaFailure, ErrorInfo). Imports
the SDK when called. Called by `gemini_client`.
"""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Iterable, Mapping
from typing import Any

from operator_console.domain.errors import ProviderError, ProviderRejected, ProviderTransient

_TRANSIENT_CODES = frozenset({408, 425, 429, 499})
_KEY_REASONS = frozenset({"API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "CONSUMER_SUSPENDED"})
_KEY_REMEDY = "Enter another with `operator-console models key gemini`, or set GEMINI_API_KEY."


def from_api_error(code: int, details: object, headers: Mapping[str, str], model: str) -> ProviderError:
    """An HTTP error answer: its code, its JSON (whatever that is), its headers."""
    error = _error_object(details)
    text = str(error.get("message") or "").strip() or "The service gave no reason."
    said = f"{code} {error.get('status') or ''}".strip() + f": {text}"
    if code in {401, 403} or _is_key_fault(error):
        return ProviderRejected("Gemini did not accept the key.", detail=said, remedy=_KEY_REMEDY, key_problem=True)
    if code == 404:
        # The SDK speaks to the stable API; some previews live on the other.
        preview = " A preview model may need GOOGLE_GENAI_API_VERSION=beta." if "preview" in model else ""
        return ProviderRejected(
            f"Gemini has no model {model!r} for this key.",
            detail=said,
            remedy=f"Choose one that `operator-console models list` shows.{preview}",
        )
    if code == 429 and _is_daily(error):
        return ProviderRejected(
            "The day's quota of this model is used up.",
            detail=said,
            remedy="Wait until it is renewed, raise it in the vendor's console, or choose another model.",
        )
    if code in _TRANSIENT_CODES or code >= 500:
        title = "Gemini asks to slow down." if code == 429 else "Gemini is not available at the moment."
        return ProviderTransient(title, detail=said, retry_after_s=_retry_after_s(error, headers))
    return ProviderRejected(
        "Gemini rejected the request.", detail=said, remedy="It is not sent again. The record holds what was sent."
    )


def from_connection_error(error: Exception, *, timed_out: bool) -> ProviderTransient:
    """No answer at all: refused, cut off, timed out."""
    title = "Gemini did not answer in time." if timed_out else "The connection to Gemini failed."
    words = str(error).strip()
    return ProviderTransient(title, detail=f"{type(error).__name__}{': ' + words if words else ''}.")


def bad_base_url(error: Exception) -> ProviderRejected:
    """The base URL cannot be used."""
    return ProviderRejected(
        "The address of the Gemini service cannot be used.",
        detail=str(error),
        remedy="Correct or unset GOOGLE_GEMINI_BASE_URL.",
    )


def _error_object(details: object) -> Mapping[str, Any]:
    if isinstance(details, list) and details:
        details = details[0]
    if not isinstance(details, dict):
        return {}
    inner = details.get("error")
    return inner if isinstance(inner, dict) else details


def _of_type(error: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    details = error.get("details")
    for item in details if isinstance(details, list) else []:
        if isinstance(item, dict) and str(item.get("@type", "")).endswith(name):
            yield item


def _is_key_fault(error: Mapping[str, Any]) -> bool:
    return any(item.get("reason") in _KEY_REASONS for item in _of_type(error, "ErrorInfo"))


def _is_daily(error: Mapping[str, Any]) -> bool:
    """The quota's id tells a limit by the day, which is not worth waiting for, from one by the minute."""
    return any(
        isinstance(violation, dict) and "perday" in str(violation.get("quotaId", "")).lower()
        for item in _of_type(error, "QuotaFailure")
        for violation in item.get("violations") or []
    )


def _retry_after_s(error: Mapping[str, Any], headers: Mapping[str, str]) -> float | None:
    """The longest wait that the answer names: RetryInfo ("13.5s") or Retry-After (seconds or an HTTP date)."""
    waits = [_seconds(str(item.get("retryDelay", "")).removesuffix("s")) for item in _of_type(error, "RetryInfo")]
    stated = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    waits.append(_seconds(stated) if stated.strip().replace(".", "", 1).isdigit() else _until(stated))
    known = [wait for wait in waits if wait is not None]
    return max(known) if known else None


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
