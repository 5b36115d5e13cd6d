"""Tells the buttons that leave things as they are by what they are asked: ways out that name what they do not do.

“Keep my booking” answers whether to cancel it; “Cancel sending” answers whether to send.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from operator_console.domain.elements import ControlSource
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_shop, names_money
from operator_console.policy.control_kinds import keeps_and_opens, word_count
from operator_console.policy.findings import PolicyContext
from operator_console.policy.input_places import dialog_title, questions
from operator_console.policy.phrases import UNSPACED
from operator_console.policy.surrounding_text import amounts, is_answer, names_amount, protects, warns_in_title
from operator_console.policy.word_tables import Found, fold, includes, tables

_MOST_WORDS = 6
_MOST_WORDS_OF_OFFER = 9
_MOST_WORDS_OF_ACT = 2
_STEM = 4  # letters
_SENTENCE = re.compile(r"[^.!?？！。؟\n]{1,300}[?？؟]|[^.!?？！。؟\n]{1,300}か。")
_JOINS = re.compile(r"[&+/]|\b(?:and|und|et|y|e|oraz|en|и|та|ve)\b|并|して", re.IGNORECASE)
_COMMA = re.compile(r"[,;，、،；–—]")
_BREAKS = re.compile(r"[,;:、，؛،?？؟–—]|\.\s")
# What is under way or proposed; a payment, a subscription or an account that is cancelled is there already.
_PROPOSED = frozenset((
    Category.SEND, Category.POST, Category.UPLOAD, Category.INSTALL, Category.DOWNLOAD_RUN, Category.DELETE,
    Category.SYSTEM,
))  # fmt: skip

_OF_THINGS = frozenset((Category.PAY, Category.LEGAL))  # subscriptions, orders, contracts
# Not done, nothing has changed; what is not protected, allowed or kept secret may be the worse for it.
_REFUSED = _PROPOSED | {Category.PAY, Category.LOGIN, Category.LEGAL, Category.PERSONAL_DATA}
_STOPPED = frozenset((Category.UPLOAD, Category.DOWNLOAD_RUN, Category.SEND, Category.INSTALL))
# In what follows a no: it ends, pays for, keeps or switches something, or does it at once.
_MORE_THAN_DECLINED = ("ending", "paying", "keeping", "at-once", "protection", "switching", "changing", "unsaved")
_KANA = re.compile(r"[\u3040-\u30ff]")


def leaves_as_it_is(context: PolicyContext, text: str) -> bool:
    """Whether a button is the no to what is asked: it keeps what would end, or cancels what would be done."""
    if names_amount(text) or not 0 < word_count(text) <= _MOST_WORDS_OF_OFFER:
        return False
    if _declines_offer(context, text):
        return True
    if word_count(text) > _MOST_WORDS:
        return False
    if _refuses(context, text) or _rejects(context, text) or _cancels_and_keeps(context, text):
        return True
    if tables().has("at-once", text) or keeps_and_opens(text):
        return False
    if (_resumes(text) and not _warns(context)) or _stops(text):
        return True
    asked = tuple(_asked(context))
    if not is_answer(context) and not (asked and tables().has("ending", context.title)):
        return False
    return (
        _keeps(_of_ending(context, asked), text)
        or _cancels(asked, text)
        or _leaves_on(context, asked, text)
        or _lets_run(asked, text)
    )


def _warns(context: PolicyContext) -> bool:
    """Whether the title warns; in some languages, the trash is a basket, too."""
    return warns_in_title(context) and not is_shop(context.app, context.title, context.url)


def _refuses(context: PolicyContext, text: str) -> bool:
    """Whether it says of an act that it is not done: “Don't delete”. “Don't save” loses what is not saved."""
    if not tables().is_at_edge("refusing", text) or _JOINS.search(text) or _BREAKS.search(text):
        return False
    if context.control.source is ControlSource.PICTURE or _holds_two(text):
        return False
    named = tables().in_control(text)
    refused = _REFUSED if tables().has("protection", text) else _REFUSED | {Category.SECURITY}
    if not named or any(tables().has("refusing", words) or category not in refused for category, words in named):
        return False
    rest = "".join(tables().outside("refusing", text))
    if not UNSPACED.search(rest):
        return True
    # The verb stands beside the word that refuses it: of “不可恢复地删除” it would only be a part.
    return any(rest.startswith(words) or (_KANA.search(text) and rest.endswith(words)) for _, words in named)


def _rejects(context: PolicyContext, text: str) -> bool:
    """Whether it turns down what asks for access: beside it stands what would grant that, and nothing is discarded."""
    if context.control.dialog is None or not tables().is_exactly("rejecting", text):
        return False
    beside = [near for near in context.nearby if word_count(near) <= _MOST_WORDS_OF_ACT]
    grants = any(
        includes(tables().in_control(near), Category.SECURITY) or tables().is_exactly("assent", near) for near in beside
    )
    saves = any(tables().is_exactly("saving", near) for near in beside)
    return (
        grants
        and not saves
        and not any(includes(tables().in_control(asked), Category.DELETE) for asked in questions(context))
    )


def _cancels_and_keeps(context: PolicyContext, text: str) -> bool:
    """Whether it declines and says what stays by that: “Cancel, keep branch”. To cancel may be what is asked."""
    first, *others = (part.strip() for part in _COMMA.split(text))
    if not others or not tables().is_exactly("safe", first) or tables().has("ending", context.title):
        return False
    if any(not tables().is_at_edge("keeping", part) or tables().in_control(part) for part in others):
        return False
    if any(tables().has(group, part) for part in others for group in ("ending", "paying", "at-once")):
        return False
    return not any(tables().has("ending", each) for each in (dialog_title(context), *_asked(context)))


def _declines_offer(context: PolicyContext, text: str) -> bool:
    """Whether it turns down an offer and says what is done without it, which is no act: “No thanks, allocate seats
    randomly”. Beside a cancellation, to turn down the offer is to cancel."""
    parts = [part.strip() for part in _COMMA.split(text)]
    count = next((n for n in range(len(parts) - 1, 0, -1) if _is_thanks(", ".join(parts[:n]))), 0)
    if not count or protects(context):
        return False
    if any(tables().has("ending", each) for each in (context.title, dialog_title(context))):
        return False
    rest = " ".join(parts[count:])
    if tables().in_control(rest) or any(tables().has(group, rest) for group in _MORE_THAN_DECLINED):
        return False
    return not any(tables().is_exactly(group, rest) for group in ("confirm", "assent", "vague", "saving"))


def _is_thanks(text: str) -> bool:
    """Whether it turns down an offer; a bare “No” and “Cancel” may answer any question."""
    if not tables().is_exactly("safe", text) or tables().is_exactly("plain-no", text):
        return False
    return not tables().has("ending", text) and not tables().has("keeping", text)


def _holds_two(text: str) -> bool:
    """Whether it may be the texts of two controls, the first of which is a plain no: “Não Excluir”."""
    first, _, rest = text.strip().partition(" ")
    return tables().is_exactly("safe", first) and not rest.strip()[:1].islower()


def _resumes(text: str) -> bool:
    """Whether it goes on with, or back to, what carries nothing out: “Keep editing”, “Back to shop”."""
    if not tables().is_at_edge("resuming", text) or not tables().has("pastimes", text):
        return False
    return tables().is_made_of(("resuming", "pastimes", "small-words"), text)


def _stops(text: str) -> bool:
    """Whether it stops what can be begun again: “Cancel upload”."""
    if not tables().is_at_edge("ending", text) or not tables().has("under-way", text):
        return False
    if any(category not in _STOPPED for category, _ in tables().in_control(text)):
        return False
    return tables().is_made_of(("ending", "under-way", "small-words"), text)


def _lets_run(asked: tuple[str, ...], text: str) -> bool:
    """Whether it lets go on what is under way, where all that is asked is whether to end it: “Continue download”."""
    if not asked or not all(tables().has("ending", each) for each in asked) or not tables().has("under-way", text):
        return False
    if tables().has("ending", text) or tables().has("paying", text):
        return False
    goes_on = tables().is_at_edge("keeping", text) or tables().is_at_edge("resuming", text)
    return goes_on and tables().is_made_of(("keeping", "resuming", "under-way", "small-words"), text)


def _leaves_on(context: PolicyContext, asked: tuple[str, ...], text: str) -> bool:
    """Whether it leaves things as they are where nothing is paid for by that: “Leave on”."""
    if not tables().has("unchanged", text) or not tables().is_made_of(("unchanged", "small-words"), text):
        return False
    return not amounts(context) and not any(includes(tables().in_control(each), Category.PAY) for each in asked)


def _asked(context: PolicyContext) -> Iterator[str]:
    """The questions that the dialog, the window or what stands around the control asks."""
    for text in (*questions(context), context.title):
        yield from (match.group().strip() for match in _SENTENCE.finditer(text))


def _of_ending(context: PolicyContext, asked: tuple[str, ...]) -> tuple[str, ...]:
    """What is asked, without “Are you sure?” where the title says of what."""
    titles = tuple(text for text in (context.title, dialog_title(context)) if tables().has("ending", text))
    plain = tuple(each for each in asked if tables().has("ending", each) or tables().in_control(each))
    return (*plain, *titles) if titles and len(asked) > len(plain) else asked


def _keeps(asked: tuple[str, ...], text: str) -> bool:
    """Whether it keeps something, where all that is asked is whether to end or delete it."""
    if not asked or tables().has("ending", text) or not tables().is_at_edge("keeping", text) or names_money(text):
        return False
    kept_words = fold(text).split()
    if tables().has("paying", text) and not any(tables().is_exactly("safe", kept_words[i]) for i in (0, -1)):
        return False  # “Go on with the payment”
    # “Continue” alone, or with the act, is the yes.
    kept = " ".join(tables().outside("keeping", text))
    named = {category for category, _ in tables().in_control(kept)}
    if _JOINS.search(kept) or named - _OF_THINGS or not (named or _repeats(kept, asked)):
        return False
    return all(tables().has("ending", each) or includes(tables().in_button(each), Category.DELETE) for each in asked)


def _cancels(asked: tuple[str, ...], text: str) -> bool:
    """Whether it names, behind a word for cancelling, no more than what is asked about."""
    act = " ".join(tables().outside("ending", text))
    if not tables().is_at_edge("ending", text) or not 0 < word_count(act) <= _MOST_WORDS_OF_ACT or _JOINS.search(act):
        return False
    if any(tables().has("ending", each) for each in asked):
        return False
    named = _proposed(tables().in_control(act))
    proposed = _proposed(each for text in asked for each in tables().in_control(text))
    if any(words not in {known for _, known in named} for _, words in tables().in_control(text)):
        return False
    if named:
        return {category for category, _ in named} <= {category for category, _ in proposed} or _repeats(act, asked)
    # A noun that no table has: of the verb in the question.
    return _repeats(act, tuple(words for _, words in proposed))


def _proposed(named: Iterable[tuple[Category, str]]) -> Found:
    """The acts that are under way or proposed; in some languages, to send is also to place an order."""
    return tuple(each for each in named if each[0] in _PROPOSED)


def _repeats(said: str, texts: tuple[str, ...]) -> bool:
    """Whether the texts have a word of the same stem."""
    stems = [stem for word in fold(said).split() if len(stem := word.split("'")[-1][:_STEM]) == _STEM]
    return any(stem in fold(text) for stem in stems for text in texts)
