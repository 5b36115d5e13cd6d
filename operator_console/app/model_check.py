"""Checks whether a model can be used, with the smallest request to its service, and says what came back."""

from __future__ import annotations

import time

from operator_console.domain.errors import (
    ConsoleError,
    ProviderError,
    ProviderMalformed,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.message_texts import joined, notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport

_BY_TITLE = {
    NoticeCode.NO_SERVICE_KEY: CheckOutcome.KEY_MISSING,
    NoticeCode.SERVICE_REJECTED_KEY: CheckOutcome.KEY_REFUSED,
    NoticeCode.SERVICE_HAS_NO_MODEL: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.MODEL_UNUSABLE: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.MODEL_VERSION_UNKNOWN: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.PROVIDER_NEEDS_MODEL: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.NO_SERVICE_ADDRESS: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_ADDRESS_UNUSABLE: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_CONNECTION_FAILED: CheckOutcome.UNREACHABLE,
    NoticeCode.SERVICE_TIMED_OUT: CheckOutcome.UNREACHABLE,
    NoticeCode.SERVICE_ASKS_TO_SLOW_DOWN: CheckOutcome.RATE_LIMITED,
    NoticeCode.DAILY_QUOTA_USED_UP: CheckOutcome.RATE_LIMITED,
    NoticeCode.SERVICE_UNAVAILABLE: CheckOutcome.UNAVAILABLE,
}

_REMEDIES = {
    CheckOutcome.UNREACHABLE: NoticeCode.CHECK_ADDRESS_AND_NETWORK,
    CheckOutcome.OTHER_DIALECT: NoticeCode.CHECK_DIALECT,
    CheckOutcome.RATE_LIMITED: NoticeCode.CHECK_AGAIN_LATER,
    CheckOutcome.UNAVAILABLE: NoticeCode.CHECK_AGAIN_LATER,
    CheckOutcome.REFUSED: NoticeCode.CHECK_DIALECT,
}


def outcome_of(error: ConsoleError) -> CheckOutcome:
    """What an error of a check means. Errors of other packages' providers are told apart by their class only."""
    notices = notices_of(error.title)
    known = next((found for code, found in _BY_TITLE.items() if notices and notices[0].code == code), None)
    match error:
        case _ if known is not None:
            return known
        case ProviderRejected(key_problem=True):
            return CheckOutcome.KEY_REFUSED
        case ProviderMalformed():
            return CheckOutcome.OTHER_DIALECT
        case ProviderTransient():
            return CheckOutcome.UNAVAILABLE
        case ProviderError():
            return CheckOutcome.REFUSED
        case _:
            return CheckOutcome.NOT_SENT


async def check_model(provider: str, model: str, ingredients: Ingredients) -> CheckReport:
    """Send the request. Raises ProviderError, OperatorError, each with a remedy."""
    begun = time.monotonic()
    try:
        said = await registry.check(provider, model, ingredients)
    except ProviderError as error:
        # In place of the remedies of a session, such as "the record holds what was sent".
        remedy = _REMEDIES.get(outcome_of(error))
        if remedy is not None:
            error.remedy = notice(remedy)
        raise
    sent = registry.find(provider).check is not None
    return CheckReport(outcome=CheckOutcome.WORKS, said=said, seconds=time.monotonic() - begun if sent else 0.0)


def report_of(error: ConsoleError) -> CheckReport:
    """What a failed check found."""
    return CheckReport(outcome=outcome_of(error), said=joined(error.title, error.detail), remedy=error.remedy)
