"""Credentials of clouds, which their own libraries find where the cloud's tools keep them: errors about them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from operator_console.domain.errors import OperatorError, ProviderError, ProviderRejected
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import without_secrets
from operator_console.providers.shared.http_faults import Service

if TYPE_CHECKING:
    import google.auth.credentials

_ERRORS = (
    ("google.auth.exceptions", "GoogleAuthError"),
    ("botocore.exceptions", "BotoCoreError"),
    ("azure.core.exceptions", "AzureError"),
)
"""The base class of each library's errors."""


def credentials_error(service: Service, error: BaseException) -> ProviderError | None:
    """The error where a library cannot find or renew the credentials of a cloud; None for any other exception."""
    if service.sign_in is None:
        return None
    unresolved = isinstance(error, RuntimeError) and "credentials" in str(error).lower()  # of the vendor's SDK
    if not unresolved and not isinstance(error, tuple(_imported())):
        return None
    return ProviderRejected(
        notice(NoticeCode.NO_CLOUD_CREDENTIALS, service=service.title),
        detail=_first_line(error),
        remedy=notice(service.sign_in),
        key_problem=True,
    )


def google_credentials(service: Service, project: str) -> tuple[google.auth.credentials.Credentials, str]:
    """Google's application default credentials with a token, and `project` or else that of the environment or the
    credentials. They are looked for here because the SDKs need the project before they would look themselves. Blocks.

    Raises:
        GoogleAuthError: There are none, or they are not accepted.
        OperatorError: No project is known.
    """
    import google.auth
    from google.auth.transport.requests import Request

    credentials, found = google.auth.default(scopes=("https://www.googleapis.com/auth/cloud-platform",))
    project = project or os.environ.get("GOOGLE_CLOUD_PROJECT", "").strip() or found or ""
    if not project:
        raise not_configured(service, notice(NoticeCode.CLOUD_PROJECT_UNKNOWN))
    request = Request()
    try:
        credentials.refresh(request)  # type: ignore[no-untyped-call]
    finally:
        request.session.close()  # the library leaves it open
    return credentials, project


def not_configured(service: Service, missing: str) -> OperatorError:
    """The error if the SDK lacks a project, a region or an address; `missing` says which."""
    return OperatorError(
        notice(NoticeCode.CLOUD_NOT_CONFIGURED, service=service.title),
        detail=missing,
        remedy=notice(service.sign_in) if service.sign_in is not None else "",
    )


def _imported() -> Iterator[type[BaseException]]:
    """The classes of the libraries that have been imported: no other can have raised anything."""
    for module, name in _ERRORS:
        found = getattr(sys.modules.get(module), name, None)
        if isinstance(found, type):
            yield found


def _first_line(error: BaseException) -> str:
    said = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    text = said.strip()
    return without_secrets(text.splitlines()[0])[:300] if text else type(error).__name__
