"""Names that no host has, certificates that are not trusted, and proxies: each is told by its name, with what to do."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from operator_console.app.model_check import check_model, report_of
from operator_console.domain.errors import ConsoleError
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.http_client import trusted_certificates
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from tests.app.faults import says
from tests.providers.test_proxies import ROUTES, STRUCTURED_MODELS, each_once
from tests.servers.certificates import SelfSigned, self_signed
from tests.servers.faulty_service import FaultyService
from tests.servers.plain_servers import answering, refusing_proxy, socks_proxy

REFUSES = says(400, "A service of models is here.")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxies, and certificates that are read anew."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy") or name.startswith("SSL_CERT_")]:
        monkeypatch.delenv(name)
    trusted_certificates.cache_clear()
    yield
    trusted_certificates.cache_clear()


def tls(folder: Path, made: SelfSigned) -> ssl.SSLContext:
    """A server's TLS; the certificate is in `folder`/certificate.pem."""
    (folder / "key.pem").write_bytes(made.key)
    (folder / "certificate.pem").write_bytes(made.certificate)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context


async def check(route: str, address: str) -> tuple[NoticeCode, CheckReport]:
    """What a check says of an address where nothing works, and the code of its title."""
    given = Ingredients(api_key="not-a-real-key", base_url=address)
    with pytest.raises(ConsoleError) as caught:
        await check_model(route.partition(" ")[0], STRUCTURED_MODELS.get(route, ""), given)
    assert caught.value.remedy
    return NoticeCode(notices_of(caught.value.title)[0].code), report_of(caught.value)


def service(**options: Any) -> FaultyService:
    return FaultyService("http://127.0.0.1:9", "endpoint", REFUSES, **options)


CERTIFICATES = (
    (self_signed("127.0.0.1"), "self-signed", NoticeCode.TRUST_CERTIFICATE),
    (self_signed("127.0.0.1", until_days=-1), "expired", NoticeCode.CHECK_CLOCK_OR_RENEW),
    (self_signed("elsewhere.test"), "not valid for", NoticeCode.USE_NAME_OF_CERTIFICATE),
)


@pytest.mark.parametrize(("route", "case"), [*each_once([0]), ("qwen", 1), ("qwen", 2)])
async def test_a_certificate_that_is_not_trusted_is_told_with_the_reason(
    route: str, case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, why, remedy = CERTIFICATES[case]
    context = tls(tmp_path, made)
    if case:  # trusted, but for its date or its name
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    async with service(tls=context) as here:
        code, report = await check(route, f"{here.url}/v1")
    assert (code, report.outcome) == (NoticeCode.CERTIFICATE_NOT_TRUSTED, CheckOutcome.UNREACHABLE)
    assert f"127.0.0.1:{here.port}" in report.said
    assert why in report.said
    assert notices_of(report.remedy)[0].code == remedy


@pytest.mark.parametrize("route", ROUTES)
async def test_a_certificate_that_ssl_cert_file_names_is_trusted(
    route: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = tls(tmp_path, self_signed("127.0.0.1"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    async with service(tls=context) as here:
        code, _ = await check(route, f"{here.url}/v1")
        assert (code, len(here.requests)) == (NoticeCode.SERVICE_REJECTED_REQUEST, 1)


@pytest.mark.parametrize(("route", "content"), each_once(["", None, "no certificate"]))
async def test_certificates_that_cannot_be_read_are_told(
    route: str, content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    code, report = await check(route, "https://service.invalid/v1")
    assert (code, report.outcome) == (NoticeCode.CERTIFICATES_UNREADABLE, CheckOutcome.NOT_SENT)
    assert str(file) in report.said


@pytest.mark.parametrize("route", ROUTES)
async def test_https_for_what_speaks_http_is_told(route: str) -> None:
    async with answering(200) as here:
        code, report = await check(route, f"https://127.0.0.1:{here.port}/v1")
    assert (code, report.outcome) == (NoticeCode.NO_TLS_AT_ADDRESS, CheckOutcome.NO_ADDRESS)
    assert "http://" in report.remedy


@pytest.mark.parametrize("route", ROUTES)
async def test_a_name_that_no_host_has_is_told(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nowhere)
    code, report = await check(route, "https://model.exampel.test/v1")
    assert (code, report.outcome) == (NoticeCode.SERVICE_NAME_UNKNOWN, CheckOutcome.UNREACHABLE)
    assert "model.exampel.test" in report.said


@pytest.mark.parametrize("route", ROUTES)
async def test_an_address_where_nothing_listens_is_told(route: str) -> None:
    code, report = await check(route, "http://127.0.0.1:9/v1")
    assert (code, report.outcome) == (NoticeCode.SERVICE_CONNECTION_FAILED, CheckOutcome.UNREACHABLE)


@pytest.mark.parametrize(
    ("route", "address"),
    each_once(["http://[::1/v1", "http://host:port/v1", "http://a b/v1", f"http://{'a' * 80}.test/v1", "ftp://a/v1"]),
)
async def test_an_address_that_is_none_is_told(route: str, address: str) -> None:
    code, report = await check(route, address)
    assert code in {NoticeCode.SERVICE_ADDRESS_UNUSABLE, NoticeCode.SERVICE_NAME_UNKNOWN}, report
    assert report.outcome in {CheckOutcome.NO_ADDRESS, CheckOutcome.UNREACHABLE}


# -- proxies


@pytest.mark.parametrize(
    ("route", "status"),
    each_once(["407 Proxy Authentication Required", "403 Forbidden", "503 Service Unavailable"]),
)
async def test_a_proxy_that_makes_no_connection_is_named_without_its_password(
    route: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with refusing_proxy(status) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"http://some:sesame-street@127.0.0.1:{proxy.port}")
        code, report = await check(route, "https://service.invalid/v1")
    wants_login = status.startswith("407")
    assert code is (NoticeCode.PROXY_WANTS_LOGIN if wants_login else NoticeCode.PROXY_MADE_NO_CONNECTION)
    assert report.outcome is CheckOutcome.UNREACHABLE
    assert f"127.0.0.1:{proxy.port}" in report.said
    assert "sesame" not in report.said
    assert len(proxy.requests) == 1


async def test_a_proxy_that_asks_for_a_login_is_told_for_http_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async with refusing_proxy("407 Proxy Authentication Required") as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        code, _ = await check("qwen", "http://service.invalid/v1")
    assert code is NoticeCode.PROXY_WANTS_LOGIN


async def test_a_proxy_where_nothing_listens_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("http://127.0.0.1:9", "socks5://127.0.0.1:9"):
        monkeypatch.setenv("ALL_PROXY", address)
        code, report = await check("qwen", "https://service.invalid/v1")
        assert code is NoticeCode.SERVICE_CONNECTION_FAILED
        assert "The request went through the proxy 127.0.0.1:9." in report.said
        assert report.said.count("127.0.0.1:9") == 1


@pytest.mark.parametrize(("route", "scheme"), each_once(["socks5", "socks5h", "socks"]))
async def test_a_socks_proxy_works(route: str, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with service() as here, socks_proxy(here.port, login="some:sesame") as proxy:
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://some:sesame@127.0.0.1:{proxy.port}/")
        code, report = await check(route, "http://service.invalid:8000/v1")
        assert (code, proxy.requests) == (NoticeCode.SERVICE_REJECTED_REQUEST, ["service.invalid"]), report
        assert len(here.requests) == 1


async def _abort_what_is_left_open() -> None:
    """The HTTP library leaves the stream to a SOCKS proxy open that made no connection."""
    for each in gc.get_objects():
        if type(each).__name__ == "_SelectorSocketTransport" and not each.is_closing():
            each.abort()
    await asyncio.sleep(0)


@pytest.mark.parametrize("login", ["", "some:other"])
async def test_a_socks_proxy_that_makes_no_connection_is_named(login: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with socks_proxy(9, reply=5, login=login) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"socks5://some:sesame@127.0.0.1:{proxy.port}")
        code, report = await check("qwen", "http://service.invalid:8000/v1")
    await _abort_what_is_left_open()
    assert code is NoticeCode.PROXY_MADE_NO_CONNECTION
    assert f"127.0.0.1:{proxy.port}" in report.said
    assert "sesame" not in report.said
