"""What the operator is told about what leaves this machine."""

from __future__ import annotations

from operator_console.domain.translations import _


def leaves_words(sends_to: str, proxies: str = "") -> str:
    """What is sent to a model's service, in sentences; "" where nothing is.

    Args:
        sends_to: who gets it; "" where the model runs on this machine.
        proxies: what it goes through on the way, as host:port; "" for nothing.
    """
    if not sends_to:
        return ""
    if proxies:
        return _(
            "Your task, your messages, every picture of the target, and the text typed and read there are sent to "
            "{service}, through the proxy {proxies}. Nothing else leaves this machine."
        ).format(service=sends_to, proxies=proxies)
    return _(
        "Your task, your messages, every picture of the target, and the text typed and read there are sent to "
        "{service}. Nothing else leaves this machine."
    ).format(service=sends_to)
