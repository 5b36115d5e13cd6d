"""Which rule is against a site, by whatever name and address it is reached."""

from __future__ import annotations

import pytest

from operator_console.browser.site_rules import SiteRules, canonical_host, is_local, shown_site, site_of
from operator_console.domain.events import BlockedBy
from operator_console.settings.model import check_site

BLOCKED, NOT_ALLOWED, LOCAL = BlockedBy.BLOCKED_SITE, BlockedBy.NOT_ALLOWED_SITE, BlockedBy.LOCAL_ADDRESS

LOCAL_ADDRESSES = [
    "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254",
    "100.64.0.1", "100.127.255.255", "224.0.0.251", "239.1.2.3", "255.255.255.255", "240.0.0.1", "::", "::1", "fe80::1",
    "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::fb", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:c0a8:1::1",
]  # fmt: skip
PUBLIC_ADDRESSES = [
    "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "169.253.0.1", "2606:4700::1111",
    "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::1",
]  # fmt: skip


def verdict(url: str, **rules: object) -> BlockedBy | None:
    return SiteRules(**rules).judge_url(url)  # type: ignore[arg-type]


@pytest.mark.parametrize("address", LOCAL_ADDRESSES)
def test_an_address_that_is_not_of_the_public_internet_is_local(address: str) -> None:
    assert is_local(address)


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_an_address_of_the_public_internet_is_not_local(address: str) -> None:
    assert not is_local(address)


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("EXAMPLE.org", "example.org"), ("example.org.", "example.org"), ("Bücher.de", "xn--bcher-kva.de"),
        ("XN--BCHER-KVA.de", "xn--bcher-kva.de"), ("faß.de", "xn--fa-hia.de"),
        ("ｅｘａｍｐｌｅ。ｏｒｇ", "example.org"),
        ("i❤.ws", "xn--i-7iq.ws"), ("under_score.example", "under_score.example"), ("127.1", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("１２７.0.0.1", "127.0.0.1"), ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("[::FFFF:7f00:1]", "127.0.0.1"),
        ("::1", "::1"), ("1.example", "1.example"), ("xn--a", "xn--a"),
    ],
)  # fmt: skip
def test_a_host_has_one_canonical_form(written: str, host: str) -> None:
    assert canonical_host(written) == host
    assert canonical_host(host) == host


@pytest.mark.parametrize(
    "text", ["", ".", "a..b", "a b", "a/b", "a@b", "[::1", "1.2.3.4.5", "999.1.1.1", "[::g]", "a%62"]
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"host|IPv6|[Oo]ctet|At least|Only hex|Expected"):
        canonical_host(text)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://Example.org", ("example.org", 80)), ("https://example.org/", ("example.org", 443)),
        ("ws://example.org/a", ("example.org", 80)), ("wss://example.org", ("example.org", 443)),
        ("http://user:pass@example.org:8080/x", ("example.org", 8080)), ("http://[::1]:81", ("::1", 81)),
        ("http://allowed.example@blocked.example/", ("blocked.example", 80)),
    ],
)  # fmt: skip
def test_a_url_names_a_host_and_a_port(url: str, site: tuple[str, int]) -> None:
    assert site_of(url) == site


def test_a_site_is_shown_as_in_an_address() -> None:
    assert shown_site("example.org", 443) == "example.org:443"
    assert shown_site("::1", 80) == "[::1]:80"


@pytest.mark.parametrize(
    "url", ["https://example.org", "http://sub.example.org:8080", "http://8.8.8.8", "http://intranet"]
)
def test_without_a_list_everything_public_is_reached(url: str) -> None:
    assert verdict(url) is None


@pytest.mark.parametrize(
    ("site", "url"),
    [
        ("example.org", "https://example.org"), ("example.org", "http://EXAMPLE.org.:8080"),
        ("EXAMPLE.org", "https://example.org"), ("example.org.", "https://example.org"),
        ("example.org:443", "https://example.org"), ("example.org:80", "ws://example.org"),
        ("*.example.org", "https://a.b.example.org"), ("*.example.org:8080", "http://a.example.org:8080"),
        ("Bücher.de", "https://xn--bcher-kva.de"), ("xn--bcher-kva.de", "https://BÜCHER.de"),
        ("*.bücher.de", "https://www.bücher.de"), ("8.8.8.8", "http://134744072"), ("8.8.8.8", "http://[::ffff:8.8.8.8]"),
        ("[2606:4700::1111]", "http://[2606:4700:0:0::1111]:81"), ("[2606:4700::1111]:81", "http://[2606:4700::1111]:81"),
    ],
)  # fmt: skip
def test_a_site_in_a_list_covers_every_spelling(site: str, url: str) -> None:
    check_site(site)
    assert verdict(url, blocked=(site,)) is BLOCKED
    assert verdict(url, allowed=(site,)) is None


@pytest.mark.parametrize(
    ("site", "url"),
    [
        ("example.org", "https://www.example.org"), ("*.example.org", "https://example.org"),
        ("example.org", "https://example.org.evil.example"), ("*.example.org", "https://notexample.org"),
        ("example.org:443", "http://example.org"), ("example.org:80", "https://example.org"),
        ("[2606:4700::1111]:81", "http://[2606:4700::1111]"), ("a b", "https://ab.example"),
    ],
)  # fmt: skip
def test_a_site_in_a_list_covers_no_other(site: str, url: str) -> None:
    assert verdict(url, blocked=(site,)) is None
    assert verdict(url, allowed=(site,)) is NOT_ALLOWED


def test_a_blocked_site_wins_over_an_allowed_one() -> None:
    rules = SiteRules(allowed=("*.example.org", "example.org"), blocked=("ads.example.org", "example.org:8080"))
    assert rules.judge_url("https://example.org") is None
    assert rules.judge_url("https://ads.example.org") is BLOCKED
    assert rules.judge_url("http://example.org:8080") is BLOCKED


def test_the_start_address_does_not_widen_the_allowed_sites() -> None:
    assert verdict("https://start.example", allowed=("example.org",), start="https://start.example") is NOT_ALLOWED


LOCAL_URLS = [
    "http://localhost", "http://LOCALHOST.:3000", "http://app.localhost", "http://127.0.0.1:8000", "http://127.1",
    "http://0x7f.1", "http://2130706433", "http://0.0.0.0", "http://[::1]", "http://[::ffff:127.0.0.1]", "http://[::]",
    "http://192.168.1.1", "http://169.254.169.254/latest/meta-data", "http://user@10.0.0.1", "https://[fd00:ec2::254]",
]  # fmt: skip


@pytest.mark.parametrize("url", LOCAL_URLS)
@pytest.mark.parametrize("start", ["", "https://example.org", "about:blank", "http://192.168.1.2"])
def test_a_local_address_is_blocked(url: str, start: str) -> None:
    assert verdict(url, start=start) is LOCAL


@pytest.mark.parametrize("url", LOCAL_URLS)
def test_a_local_start_address_opens_its_host_at_every_port(url: str) -> None:
    host = site_of(url)[0]
    rules = SiteRules(start=url)
    assert rules.judge_url(url) is None
    assert rules.judge_name(host, 9999) is None
    assert rules.judge_address(host, 9999, "127.0.0.1") is None
    assert rules.judge_url("http://127.0.0.9") is LOCAL
    assert rules.judge_url("https://example.org") is None


@pytest.mark.parametrize("site", ["localhost:3000", "localhost"])
def test_an_allowed_site_that_names_a_local_host_opens_it(site: str) -> None:
    assert verdict("http://localhost:3000", allowed=(site,)) is None
    assert verdict("http://localhost:4000", allowed=(site,)) is (NOT_ALLOWED if ":" in site else None)


def test_an_allowed_host_may_have_a_local_address_but_a_subdomain_of_an_allowed_host_may_not() -> None:
    assert SiteRules(allowed=("app.corp.example",)).judge_address("app.corp.example", 80, "10.0.0.7") is None
    assert SiteRules(allowed=("*.corp.example",)).judge_address("app.corp.example", 80, "10.0.0.7") is LOCAL


@pytest.mark.parametrize("address", LOCAL_ADDRESSES)
def test_a_name_with_a_local_address_is_blocked(address: str) -> None:
    assert SiteRules().judge_address("rebinding.example", 80, address) is LOCAL


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_a_name_with_a_public_address_is_reached(address: str) -> None:
    assert SiteRules().judge_address("example.org", 80, address) is None


def test_a_name_for_a_blocked_address_is_blocked() -> None:
    rules = SiteRules(blocked=("8.8.8.8:80",))
    assert rules.judge_address("alias.example", 80, "8.8.8.8") is BLOCKED
    assert rules.judge_address("alias.example", 80, "::ffff:8.8.8.8") is BLOCKED
    assert rules.judge_address("alias.example", 443, "8.8.8.8") is None


@pytest.mark.parametrize(
    ("addresses", "opened"),
    [(("10.0.0.7",), True), (("10.0.0.7", "fd00::7"), True), (("10.0.0.7", "8.8.8.8"), False), ((), False)],
)
def test_a_start_name_is_local_if_all_its_addresses_were_at_the_start(addresses: tuple[str, ...], opened: bool) -> None:
    rules = SiteRules(start="http://app.corp.example/", start_addresses=addresses)
    assert rules.judge_address("app.corp.example", 8080, "10.0.0.7") is (None if opened else LOCAL)
    assert rules.judge_address("other.corp.example", 80, "10.0.0.7") is LOCAL


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "chrome://settings", "view-source:http://a.example", "devtools://x"]
)
def test_files_and_pages_of_the_browser_are_local(url: str) -> None:
    assert verdict(url, start="http://localhost") is LOCAL


@pytest.mark.parametrize("url", ["about:blank", "data:text/html,x", "blob:https://example.org/1"])
def test_what_needs_no_network_is_not_judged(url: str) -> None:
    assert verdict(url, allowed=("other.example",)) is None
