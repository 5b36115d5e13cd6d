"""What a managed browser has saved, and what it was kept from reaching, in words: for the model and for people."""

from __future__ import annotations

from operator_console.domain.events import Blocked, Downloaded
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode


def news_words(news: Downloaded | Blocked) -> NoticeText:
    """One sentence."""
    match news:
        case Downloaded(name=name, url=url, complete=complete):
            return notice(
                NoticeCode.FILE_DOWNLOADED if complete else NoticeCode.FILE_NOT_DOWNLOADED, name=name, site=url
            )
        case Blocked(site=site):
            return notice(NoticeCode.REQUESTS_BLOCKED, site=site)
