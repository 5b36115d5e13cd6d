"""What makes Chromium use the fence for everything, and keeps it from calling its maker's services.

Measured with Chromium 156: with these, what a page does is all that the fence is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OWN_CALLS_HOST = "browser-services.invalid"
"""Stands for services of the browser's maker that no switch keeps it from calling. The fence refuses it unreported; the
name can exist nowhere (RFC 6761)."""

DISABLED_FEATURES = (
    "AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider", "MediaRouter",
    "NetworkTimeServiceQuerying", "OptimizationGuideModelDownloading", "OptimizationHints", "Translate",
)  # fmt: skip
"""For `--disable-features`, of which Chromium heeds the last one only: whoever starts it adds its own."""

PREFERENCES: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        # Without it WebRTC sends UDP past the proxy, whatever switch is given.
        "webrtc": {"ip_handling_policy": "disable_non_proxied_udp"},
        "safebrowsing": {"enabled": False},
        "browser": {"enable_spellchecking": False},  # else it fetches a dictionary
    }
)
"""For the file `Default/Preferences` of the profile."""


def fence_arguments(address: str) -> tuple[str, ...]:
    """The arguments for a fence at `address` (host:port). `DISABLED_FEATURES` and `PREFERENCES` belong to them."""
    host = address.rpartition(":")[0]
    return (
        f"--proxy-server=http://{address}",
        "--proxy-bypass-list=<-loopback>",  # else what is on this computer is reached without the proxy
        f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {host}",
        "--disable-quic",
        f"--gaia-url=https://{OWN_CALLS_HOST}",
        f"--component-updater=url-source=https://{OWN_CALLS_HOST}/",
        "--disable-background-networking",
        "--disable-client-side-phishing-detection",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-domain-reliability",
        "--disable-sync",
        "--metrics-recording-only",
        "--no-pings",
    )
