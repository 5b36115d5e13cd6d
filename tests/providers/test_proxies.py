"""A service on this computer is reached directly, whatever the proxy variables say; what is sent to one address is not
sent on to another; and the proxy that is named to a person is the one that is used."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

import httpx2
import pytest

from operator_console.app.model_check import check_model
from operator_console.domain.errors import ProviderError, ProviderRejected, ProviderTransient
from operator_console.environment_proxies import proxies_for, proxy_for
from operator_console.providers.spec import Ingredients
from tests.servers.plain_servers import Heard, answering, logging_proxy

T = TypeVar("T")

SERVICES = ("gemini", "anthropic", "openai", "cogagent", "ui_tars", "qwen", "structured")
STRUCTURED_MODELS = {
    "structured (Claude)": "claude-opus-5-5",
    "structured (GPT)": "gpt-5.6-sol",
    "structured (own)": "m",
}
ROUTES = (*SERVICES, *STRUCTURED_MODELS)
"""Each provider, and the one that uses several services with each of them."""


def each_once(values: Sequence[T]) -> list[tuple[str, T]]:
    """Every route with the first value, and one with each of the others: what they share decides about them."""
    return [*((route, values[0]) for route in ROUTES), *((ROUTES[0], value) for value in values[1:])]


VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
BROKEN = ("socks4://127.0.0.1:1", "http://proxy:port", "ftp://127.0.0.1:1", "http://[::1")


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without any variable of a proxy."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    return monkeypatch


@pytest.fixture
async def proxy(no_proxy: pytest.MonkeyPatch) -> AsyncIterator[Heard]:
    """A logging proxy that all variables name, in upper and lower case."""
    async with logging_proxy() as heard:
        for name in VARIABLES:
            no_proxy.setenv(name, f"http://127.0.0.1:{heard.port}")
            no_proxy.setenv(name.lower(), f"http://127.0.0.1:{heard.port}")
        yield heard


async def check(route: str, base_url: str) -> ProviderError:
    """The error of a check, which no server here lets succeed."""
    given = Ingredients(api_key="not-a-real-key", base_url=base_url)
    with pytest.raises(ProviderError) as caught:
        await check_model(route.partition(" ")[0], STRUCTURED_MODELS.get(route, ""), given)
    return caught.value


@pytest.mark.parametrize(
    ("route", "host"), each_once(["localhost", "127.0.0.1", "LOCALHOST", "[::1]", "127.1", "0.0.0.0"])
)
async def test_a_service_on_this_computer_is_reached_directly(proxy: Heard, route: str, host: str) -> None:
    async with answering(400, ipv6=True) as server:
        await check(route, f"http://{host}:{server.port}/v1")
    assert (len(server.requests), proxy.requests) == (1, [])


@pytest.mark.parametrize("host", ["model.localhost", "LocalHost.", "127.9.9.9", "[::ffff:127.0.0.1]", "[::]"])
def test_no_name_of_this_computer_has_a_proxy(proxy: Heard, host: str) -> None:
    assert proxy_for(f"http://{host}:8000/v1") is proxy_for(f"https://{host}") is None


@pytest.mark.parametrize("route", ROUTES)
async def test_any_other_service_is_reached_through_the_proxy(proxy: Heard, route: str) -> None:
    await check(route, "http://service.invalid:8000/v1")
    assert len(proxy.requests) == 1
    assert " http://service.invalid:8000/v1" in proxy.requests[0]
    await check(route, "https://service.invalid/v1")
    assert proxy.requests[1:] == ["CONNECT service.invalid:443"]


@pytest.mark.parametrize(("route", "value"), each_once(BROKEN))
async def test_a_proxy_that_cannot_be_used_is_no_matter_for_a_service_on_this_computer(
    no_proxy: pytest.MonkeyPatch, route: str, value: str
) -> None:
    for name in VARIABLES:
        no_proxy.setenv(name, value)
    async with answering(400) as server:
        await check(route, f"http://127.0.0.1:{server.port}/v1")
        assert len(server.requests) == 1


@pytest.mark.parametrize(("route", "value"), each_once(BROKEN))
async def test_for_any_other_service_a_proxy_that_cannot_be_used_is_named_and_nothing_is_sent(
    no_proxy: pytest.MonkeyPatch, route: str, value: str
) -> None:
    no_proxy.setenv("ALL_PROXY", value.replace("//", "//some:sesame@"))
    error = await check(route, "https://service.invalid/v1")
    assert isinstance(error, ProviderRejected)
    assert error.title.startswith("The proxy of the environment cannot be used: ")
    assert "sesame" not in error.text


@pytest.mark.parametrize(("route", "status"), each_once([307, 301, 302, 303, 308]))
async def test_a_redirect_is_not_followed(no_proxy: pytest.MonkeyPatch, route: str, status: int) -> None:
    async with answering(200) as elsewhere:
        async with answering(status, location=f"http://127.0.0.1:{elsewhere.port}/v1/there") as server:
            error = await check(route, f"http://localhost:{server.port}/v1")
        assert (len(server.requests), elsewhere.requests) == (1, [])
    assert not isinstance(error, ProviderTransient), "it would be sent again"


@pytest.mark.parametrize(
    "address", ["http://a.test", "https://a.test:8443/v1", "https://b.c.test", "http://10.1.2.3:1"]
)
@pytest.mark.parametrize(
    "exempt", ["", "*", "a.test", ".test", "c.test,10.0.0.0/8", "a.test:8443", "https://a.test", "::/x"]
)
def test_the_proxy_is_the_one_that_the_http_client_would_take(
    no_proxy: pytest.MonkeyPatch, address: str, exempt: str
) -> None:
    no_proxy.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    no_proxy.setenv("ALL_PROXY", "127.0.0.2:2")
    no_proxy.setenv("NO_PROXY", exempt)
    client = httpx2.Client(verify=False)  # it reads no certificates, which would take most of the time
    transport: object = client._transport_for_url(httpx2.URL(address))
    taken = getattr(getattr(transport, "_pool"), "_proxy_url", None)  # noqa: B009 - of two kinds of pool
    found = proxy_for(address)
    assert (found is None) == (taken is None)
    if taken is not None:
        assert found == f"http://{taken.host.decode()}:{taken.port}"
    client.close()


@pytest.mark.parametrize(
    ("proxy", "shown"),
    [
        ("http://proxy.lan:3128", "proxy.lan:3128"),
        ("proxy.lan:3128", "proxy.lan:3128"),
        ("http://some:sesame@Proxy.lan", "proxy.lan:80"),
        ("https://some:sesame@proxy.lan/", "proxy.lan:443"),
        ("socks5h://some@proxy.lan", "proxy.lan:1080"),
        ("http://some:ses@me@[fd00::1]:3128", "[fd00::1]:3128"),
        ("http://some:1/sesame@proxy.lan:3128", "a proxy with an unreadable address"),
        ("http://some:sesame#x@proxy.lan:3128", "a proxy with an unreadable address"),
        ("http://proxy.lan:port", "a proxy with an unreadable address"),
    ],
)
def test_a_proxy_is_named_by_host_and_port_alone(no_proxy: pytest.MonkeyPatch, proxy: str, shown: str) -> None:
    no_proxy.setenv("HTTPS_PROXY", proxy)
    assert proxies_for("https://service.invalid") == shown
    assert proxies_for("http://service.invalid") == proxies_for("https://localhost") == ""
    assert proxies_for("") == shown, "where the address is not known"


def test_several_proxies_are_all_named(no_proxy: pytest.MonkeyPatch) -> None:
    no_proxy.setenv("HTTP_PROXY", "http://one:1")
    no_proxy.setenv("ALL_PROXY", "http://two:2")
    assert proxies_for("http://a.test", "https://a.test", "http://b.test") == "one:1 and two:2"
    assert proxies_for("") == "one:1 and two:2"
    assert proxies_for("http://[::1") == ""
