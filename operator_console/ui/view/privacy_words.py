"""What the operator is told about what leaves this machine."""

from __future__ import annotations


def leaves_words(sends_to: str, proxies: str = "") -> str:
    """What is sent to a model's service, in sentences; "" where nothing is.

    Args:
        sends_to: who gets it; "" where the model runs on this machine.
        proxies: what it goes through on the way, as host:port; "" for nothing.
    """
    if not sends_to:
        return ""
    return (
        "Your task, your messages, every picture of the target, and the text typed and read there "
        f"are sent to {sends_to}{f', through the proxy {proxies}' if proxies else ''}. "
        "Nothing else leaves this machine."
    )
