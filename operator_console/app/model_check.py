"""Checks whether a model can be used, with the first two requests of a session, and says what came back."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from operator_console.domain.errors import (
    ConsoleError,
    ProviderError,
    ProviderMalformed,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.message_texts import joined, notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.prices import Price, cost
from operator_console.domain.proposals import Proposal, Usage
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from operator_console.ui.view import check_words

_BY_TITLE = {
    NoticeCode.NO_SERVICE_KEY: CheckOutcome.KEY_MISSING,
    NoticeCode.SERVICE_REJECTED_KEY: CheckOutcome.KEY_REFUSED,
    NoticeCode.SERVICE_HAS_NO_MODEL: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.MODEL_VERSION_UNKNOWN: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.PROVIDER_NEEDS_MODEL: CheckOutcome.MODEL_UNKNOWN,
    NoticeCode.NO_SERVICE_ADDRESS: CheckOutcome.NO_ADDRESS,
    NoticeCode.NO_SERVICE_AT_ADDRESS: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_REDIRECTS: CheckOutcome.NO_ADDRESS,
    NoticeCode.SERVICE_ADDRESS_UNUSABLE: CheckOutcome.NO_ADDRESS,
    NoticeCode.PROXY_UNUSABLE: CheckOutcome.NOT_SENT,
    NoticeCode.SERVICE_CONNECTION_FAILED: CheckOutcome.UNREACHABLE,
    NoticeCode.SERVICE_TIMED_OUT: CheckOutcome.UNREACHABLE,
    NoticeCode.SERVICE_ASKS_TO_SLOW_DOWN: CheckOutcome.RATE_LIMITED,
    NoticeCode.DAILY_QUOTA_USED_UP: CheckOutcome.RATE_LIMITED,
    NoticeCode.SERVICE_UNAVAILABLE: CheckOutcome.UNAVAILABLE,
    NoticeCode.SERVICE_ANSWER_EMPTY: CheckOutcome.UNUSABLE,
    NoticeCode.MODEL_ANSWER_EMPTY: CheckOutcome.UNUSABLE,
    NoticeCode.MODEL_ANSWER_CUT_OFF: CheckOutcome.UNUSABLE,
}

_REMEDIES = {
    CheckOutcome.UNREACHABLE: NoticeCode.CHECK_ADDRESS_AND_NETWORK,
    CheckOutcome.OTHER_DIALECT: NoticeCode.CHECK_DIALECT,
    CheckOutcome.RATE_LIMITED: NoticeCode.CHECK_AGAIN_LATER,
    CheckOutcome.UNAVAILABLE: NoticeCode.CHECK_AGAIN_LATER,
    CheckOutcome.UNUSABLE: NoticeCode.CHECK_ANSWERS_OF_SERVICE,
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


async def check_model(provider: str, model: str, ingredients: Ingredients, price: Price | None = None) -> CheckReport:
    """Send the first two requests of a session, about a drawn screen. Nothing that the model asks for is carried out.

    Raises:
        ProviderError: A session would get no further than this; with a remedy.
        OperatorError: Nothing can be sent.
    """
    spec, chosen = registry.resolve(provider, model)
    if not spec.sends_to:
        return CheckReport(outcome=CheckOutcome.WORKS, said=check_words.nothing_to_check(spec.title))
    # Imported late: the window opens sooner without the session's modules.
    from operator_console.app.first_two_turns import SCREEN, DrawnElements, beside_button, take_two_turns

    if spec.needs_reader:
        drawn = DrawnElements()
        ingredients = replace(ingredients, reader=drawn, elements=drawn)
    options = ingredients.options.model_dump() if ingredients.options is not None else {}
    proxies = await asyncio.to_thread(spec.proxies, spec.addresses(ingredients.base_url, options))
    way = notice(NoticeCode.PICTURES_GO_THROUGH_PROXY, proxy=proxies) if proxies else ""
    made = await asyncio.to_thread(registry.create, spec.name, chosen, ingredients)
    begun = time.monotonic()
    turns: list[Proposal] = []
    changes: list[str] = []
    try:
        await take_two_turns(made, turns, changes)
    except ProviderError as error:
        _reword(error, way, second=bool(turns))
        raise
    finally:
        await made.close()
    usage = sum((turn.usage for turn in turns), Usage())
    said = check_words.two_turns(made.model, turns, SCREEN, usage, cost(usage, price) if price is not None else None)
    doubt = check_words.doubt(turns[0], beside_button(turns[0]))
    return CheckReport(
        outcome=CheckOutcome.DOUBTFUL if doubt else CheckOutcome.WORKS,
        said=joined(doubt, said, *changes, way),
        seconds=time.monotonic() - begun,
    )


def _reword(error: ProviderError, way: str, *, second: bool) -> None:
    """Say it as it reads in a check: without remedies of a session, such as "the record holds what was sent", and with
    the way that pictures take, where a request was sent."""
    outcome = outcome_of(error)
    remedy = _REMEDIES.get(outcome)
    if second:
        error.detail = joined(notice(NoticeCode.CHECK_FAILED_AT_SECOND_REQUEST), error.detail)
        if remedy == NoticeCode.CHECK_DIALECT:
            remedy = NoticeCode.CHECK_WHAT_IS_KEPT
    if remedy is not None:
        error.remedy = notice(remedy)
    if outcome is not CheckOutcome.NOT_SENT:
        error.detail = joined(error.detail, way)


def report_of(error: ConsoleError) -> CheckReport:
    """What a failed check found."""
    return CheckReport(outcome=outcome_of(error), said=joined(error.title, error.detail), remedy=error.remedy)
