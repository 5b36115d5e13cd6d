"""`VendorClient`, a connection to a service through its vendor's SDK, whose errors become ProviderErrors.

httpx2 and the SDKs take up to a second to import, so `VendorClient` creates both in a thread at the first use.
"""

from __future__ import annotations

import asyncio
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from operator_console.domain.errors import OperatorError, ProviderError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import without_secrets
from operator_console.environment_proxies import proxies_for
from operator_console.providers.shared import answers
from operator_console.providers.shared.clouds import credentials_error
from operator_console.providers.shared.http_faults import (
    Service,
    bad_base_url,
    from_connection_error,
    from_proxy,
    key_of,
    plain_reason,
    timed_out,
)

if TYPE_CHECKING:
    import ssl

    import httpx2

Client = TypeVar("Client")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The body of an answer, without a key that the service repeats in it, and the size of the request."""

    body: bytes
    request_bytes: int

    def __post_init__(self) -> None:
        text = self.body.decode("utf-8", "surrogateescape")
        object.__setattr__(self, "body", without_secrets(text).encode("utf-8", "surrogateescape"))


@cache
def trusted_certificates() -> ssl.SSLContext:
    """TLS with the certificates that httpx2 trusts by default: the system's, or SSL_CERT_FILE's or SSL_CERT_DIR's.

    All connections of the process share it, because loading the certificates takes about 20 ms. Raises OperatorError.
    """
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        raise OperatorError(
            notice(NoticeCode.CERTIFICATES_UNREADABLE),
            detail=_about_files(error),
            remedy=notice(NoticeCode.CORRECT_CERTIFICATE_VARIABLES),
        ) from error


class VendorClient(ABC, Generic[Client]):
    """One connection to a service. The SDK's client and its HTTP connections are created at the first use.

    Attributes:
        key_variables: Further environment variables that may hold the key, which go before the service's.
    """

    key_variables: tuple[str, ...] = ()

    def __init__(self, service: Service, *, api_key: str | None, base_url: str | None, timeout_s: float) -> None:
        """Does not connect. Raises KeyUnusable.

        Args:
            service: Its names, and those of the provider that uses it.
            api_key: None for that in an environment variable.
            base_url: None for that in the SDK's environment variable, or the service's usual one.
            timeout_s: Limit for a whole answer. That of the HTTP client applies to each read.
        """
        self._service = service
        self._api_key = key_of(service, api_key, *self.key_variables)
        self._base_url = base_url
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._http: httpx2.AsyncClient | None = None
        self._request_bytes = 0

    async def close(self) -> None:
        """Close the connections."""
        http, self._client, self._http = self._http, None, None
        if http is not None:
            await http.aclose()

    @abstractmethod
    def _create_client(self, http: httpx2.AsyncClient) -> Client:
        """The SDK's client, not connected. It may block: it runs in a thread. Raises OperatorError: no key."""

    @abstractmethod
    def _error_of(self, error: Exception, model: str) -> ProviderError | None:
        """The error for an exception of the SDK, of a request for a model; None for any other."""

    async def _request(self, send: Callable[[Client], Awaitable[bytes]], model: str) -> Answered:
        """The answer whose body `send` returns. Raises OperatorError, ProviderError.

        Args:
            send: Sends one request.
            model: The model that it is about.
        """
        self._request_bytes = 0
        try:
            client = self._client if self._client is not None else await asyncio.to_thread(self._make)
            async with asyncio.timeout(self._timeout_s):
                body = await send(client)
        except Exception as error:
            raise credentials_error(self._service, error) or self._error_of(error, model) or error from error
        return Answered(body=body, request_bytes=self._request_bytes)

    def _make(self) -> Client:
        """Create the client once. Thread-safe, because a cancelled request does not end its thread."""
        with self._lock:
            if self._client is None:
                # The first connection would import this on the event loop.
                import anyio._backends._asyncio
                import httpx2

                from operator_console.providers.shared.answer_transport import AnswerTransport
                from operator_console.providers.shared.proxies import ProxyTransport

                _ = anyio
                # An SDK says less of an address that is none.
                httpx2.URL(self._base_url or os.environ.get(self._service.url_variable, ""))
                if self._http is None:
                    # A redirect is an error, so that what was meant for one address is not sent to another.
                    self._http = httpx2.AsyncClient(
                        transport=AnswerTransport(ProxyTransport(trusted_certificates()), self._service),
                        follow_redirects=False,
                        event_hooks={"request": [self._measure]},
                    )
                self._client = self._create_client(self._http)
            return self._client

    async def _measure(self, request: httpx2.Request) -> None:
        self._request_bytes = len(request.content)


def from_http_error(service: Service, error: BaseException) -> ProviderError | None:
    """The error for an exception of httpx2 or the operating system, or for unreadable data; None for any other."""
    import httpx2
    import pydantic

    match error:
        case ProviderError():  # of our own transport
            return error
        case httpx2.UnsupportedProtocol() | httpx2.InvalidURL() | UnicodeError() if not _is_reading(error):
            return bad_base_url(service, error)
        case httpx2.DecodingError() | pydantic.ValidationError() | ValueError():
            return answers.unreadable(error)
        case httpx2.TimeoutException() | TimeoutError():
            return timed_out(service, error)
        case httpx2.ProxyError():
            return from_proxy(service, error, proxies_for(_asked(error)))
        case httpx2.HTTPError() | OSError():
            url = _asked(error)
            host = httpx2.URL(url).netloc.decode("ascii", "replace")
            return from_connection_error(service, error, host=host, proxy=proxies_for(url) if url else "")
        case _:
            return None


def _asked(error: BaseException) -> str:
    """The address of the request that an error of httpx2 is about; "" for none."""
    try:
        return str(error.request.url)  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):
        return ""


def _is_reading(error: BaseException) -> bool:
    """Whether it is about bytes that are no text; else about a name that no host can have."""
    return isinstance(error, UnicodeDecodeError)


def _about_files(error: OSError) -> str:
    """What is wrong with the files of certificates, and which the environment names."""
    named = [os.environ[name] for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)]
    return ": ".join([*named, plain_reason(error.strerror or str(error))])


def from_sdk_error(
    service: Service, error: Exception, sdk: ModuleType, from_status_error: Callable[[Any], ProviderError]
) -> ProviderError | None:
    """The error for an exception of the SDK `anthropic` or `openai`, which name theirs alike; None for any other.

    `from_status_error` reads an APIStatusError.
    """
    if isinstance(error, sdk.APIStatusError):
        return from_status_error(error)
    if isinstance(error, sdk.APIConnectionError):
        return from_http_error(service, error.__cause__ or ConnectionError(error.message))
    if isinstance(error, sdk.APIError):  # the answer is not what the SDK expects
        return from_http_error(service, ValueError(error.message))
    return from_http_error(service, error)


def wrong_address(error: Any) -> str:
    """Of an APIStatusError of the SDKs: the address that was asked, where the answer is not one of a model's service,
    which would tell which model it lacks; else ""."""
    of_service = isinstance(error.body, dict) and any(name in error.body for name in ("message", "error"))
    of_service = of_service or b'"error"' in error.response.content
    return "" if of_service else str(error.response.request.url)
