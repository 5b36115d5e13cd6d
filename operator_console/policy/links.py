"""Assesses a link by the address that it opens, and by what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.elements import Control
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.control_kinds import Hit, declines, word_count
from operator_console.policy.control_labels import entering_findings, label_findings, switching_off_findings
from operator_console.policy.findings import Finding, PolicyContext, categorised, named_by
from operator_console.policy.labels_that_only_show import only_reads
from operator_console.policy.surrounding_text import MOST_WORDS_OF_ORDER, is_of_filter, warns_in_title
from operator_console.policy.text_orders import order_findings
from operator_console.policy.web_addresses import path_and_query, url_findings
from operator_console.policy.word_tables import fold, includes, tables

# A link with an address of its own only goes there; signing in and consent happen on that page.
NOT_BY_LINK = frozenset((Category.LOGIN, Category.LEGAL))
# Words of addresses that act when they are opened, as a whole part of the path or as a value.
_ACTING_ADDRESS = re.compile(
    r"(?:^|[/=?&_])(?:do[-_]?)?(?P<verb>delete|remove|destroy|erase|unsubscribe|logout|log[-_]out|signout|sign[-_]out|"
    r"pay|purchase|buy|accept|agree|consent|approve|authori[sz]e|grant|revoke|disable|off|deactivate|empty|reset|send|submit|transfer|"
    r"merge|publish|uninstall|oauth2?|sso|saml)(?:$|[/?&#])"
)
# What a link may carry out if it says that it does so now.
_AT_ONCE = frozenset((Category.DELETE, Category.SECURITY, Category.SYSTEM, Category.PAY))
# An address that is opened from nowhere acts if its last part is such a verb, or the value that names its act, and a
# value says of what; to sign out it needs none. Pages about such acts have addresses of the same words.
_ACTING_ALONE = re.compile(
    r"/(?:do[-_]?)?(?P<last>[a-z][a-z_-]*?)(?:/|\.\w{2,4})?(?=\?.)|"
    r"[?&](?:action|act|do|cmd|command|op|operation|method|_method|event|task)=(?P<value>[a-z_-]+)"
)
_ADDRESS_CATEGORIES = {
    Category.DELETE: ("delete", "remove", "destroy", "erase", "unsubscribe", "deactivate", "empty", "reset"),
    Category.SYSTEM: ("logout", "log-out", "log_out", "signout", "sign-out", "sign_out"),
    Category.PAY: ("pay", "purchase", "buy", "transfer"),
    Category.LEGAL: ("accept", "agree", "consent"),
    Category.SECURITY: ("approve", "authorize", "authorise", "grant", "revoke", "disable", "off"),
    Category.SEND: ("send", "submit"),
    Category.POST: ("merge", "publish"),
    Category.INSTALL: ("uninstall",),
    Category.LOGIN: ("oauth", "oauth2", "sso", "saml"),
}


def address_opened(control: Control) -> str:
    """The address that the link opens, "" for one that stays on its page, as links that act like buttons do."""
    address = control.link.strip()
    return "" if address.endswith("#") or address[:11].lower() == "javascript:" else address


def opened_address_findings(address: str) -> Iterator[Finding]:
    """Findings for an address that is opened without a link: what it carries out when it is opened."""
    said = path_and_query(address)
    verbs = [verb for match in _ACTING_ALONE.finditer(said) for verb in match.groups() if verb]
    if re.search(r"/(?:log[-_]?out|sign[-_]?out)/?\?$", said):
        verbs.append("logout")
    for category, acts in _ADDRESS_CATEGORIES.items():
        if category is not Category.LOGIN:
            yield from named_by("address", ((category, verb) for verb in verbs if verb in acts))


def _goes_on(text: str) -> bool:
    """Whether a link of a page that warns may go on to what it warns of."""
    if declines(text) or only_reads(text):
        return False
    return tables().has("warning", text) or not tables().has("harmless", text)


def link_findings(context: PolicyContext, found: Hit, address: str) -> Iterator[Finding]:
    """Findings for a link to `address`."""
    yield from (finding for finding in url_findings(address, context.url) if finding.category is not None)
    acting = _ACTING_ADDRESS.search(path_and_query(address))
    if acting is not None:
        for text in found.texts:
            yield from label_findings(context, found, text)
        verb = acting["verb"]
        yield from named_by(
            "address", ((category, verb) for category, verbs in _ADDRESS_CATEGORIES.items() if verb in verbs)
        )
        return
    yield from order_findings(context, found, apart=NOT_BY_LINK)
    for text in found.texts:
        if is_of_filter(context, text):
            continue
        yield from switching_off_findings(context, text)
        yield from entering_findings(context, text)
        if warns_in_title(context) and _goes_on(text):
            yield Finding(risk=RiskClass.C3, rule="unknown-button", values=(text, "a page that warns"))
        if word_count(text) <= MOST_WORDS_OF_ORDER and tables().has("at-once", text):
            named = tables().in_control(text)
            yield from named_by("label", (each for each in named if each[0] in _AT_ONCE))
        # "Proceed to x.example (unsafe)"
        topic = not includes(tables().in_label(text), Category.SECURITY)
        if not topic and word_count(text) > 1 and (match := tables().labels[Category.SECURITY].search(fold(text))):
            yield categorised(Category.SECURITY, "security-by-label", match.group(0))
