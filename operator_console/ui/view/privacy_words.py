"""What the operator is told about what leaves this machine."""

from __future__ import annotations


def leaves_words(sends_to: str) -> str:
    """What is sent to a model's service, in sentences; "" where nothing is.

    Args:
        sends_to: who gets it; "" where the model runs on this machine.
    """
    if not sends_to:
        return ""
    return (
        "Your task, your messages, every picture of the target, and the text typed and read there "
        f"are sent to {sends_to}. Nothing else leaves this machine."
    )
