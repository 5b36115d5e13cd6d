"""Assesses what an address or a text that the model wrote carries out of this computer: by its shape, not by words.

A value in the name of the host, the path, the query or the fragment can be read by whoever owns the site. A secret or
personal data there counts as when it is typed, also in base64 (RFC 4648, both alphabets), in hexadecimal digits or
escaped twice. To a site that is not known in the session, a long or encoded value is asked about too, because nobody
can say what it means. Links of a page are not judged here: the page wrote their addresses.

A text that is written into a page can be read by whoever owns the site, too, and before anything is submitted. So a
long or encoded one is asked about at a site that nobody named: that the session went there is no reason to trust it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from operator_console.domain.risk import Category
from operator_console.domain.scope import Met
from operator_console.policy.findings import Finding, PolicyContext, categorised
from operator_console.policy.reasons import TEXT_FOR_SITE
from operator_console.policy.secrets_in_text import is_random
from operator_console.policy.text_content import secret_or_personal
from operator_console.policy.web_addresses import percent_decoded, readable_parts, site

_LONGEST = 150
"""Characters. More of query and fragment together are asked about at a site that is not known, and more of a text at a
site that nobody named."""
_SHORTEST_CODE = 16
_SHORTEST_DECODED = 6
_MOST_VALUES = 200
_THIS_COMPUTER = re.compile(r"(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|::1")
_DEPTH = 3  # of codes within codes
_SHOWN = 60
_APART = re.compile(r"[/?&=#;,|\s]+")
_CODE = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}){6,}")


def carried_findings(url: str, met: Met | None) -> Iterator[Finding]:
    """Findings for what an address carries; `met`: what was met in the session, so that its sites are known."""
    values = {value: tuple(_decoded(value, _DEPTH)) for value in islice(_values(url), _MOST_VALUES)}
    for text in dict.fromkeys(chain.from_iterable(values.values())):
        yield from secret_or_personal(text)
    host = site(url)
    if host and not (met or Met()).knows_site(host) and (carried := _opaque(url, values)):
        yield categorised(Category.SEND, "address-carries-data", carried[:_SHOWN], host)


def written_findings(text: str, context: PolicyContext) -> Iterator[Finding]:
    """Findings for a text that is written into a page, with what was written there before it."""
    host, met = site(context.url), context.met
    if not host or met is None or met.is_named(host) or _THIS_COMPUTER.fullmatch(host):
        return
    if context.scope.sites and context.scope.has_site(host):
        return
    if len(text.strip()) > _LONGEST or any(map(_is_coded, islice(text.split(), _MOST_VALUES))):
        yield categorised(Category.SEND, TEXT_FOR_SITE, host)


def _is_coded(word: str) -> bool:
    return is_random(word) or (len(word) >= _SHORTEST_CODE and any(_decoded(word, 1)))


def _values(url: str) -> Iterator[str]:
    host, *parts = readable_parts(url)
    yield from host.split(".")
    for part in parts:
        yield from filter(None, _APART.split(percent_decoded(part.replace("+", " "))))
        # Of a value in base64, the signs that else separate are a part.
        yield from (percent_decoded(pair.partition("=")[2]) for pair in part.split("&") if "=" in pair)


def _decoded(value: str, depth: int) -> Iterator[str]:
    """What a value says in each code that it may be in, and in codes within."""
    if depth == 0:
        return
    made = [percent_decoded(value)] if "%" in value else []
    if _HEX.fullmatch(value):
        made.append(_text(bytes.fromhex(value)))
    if _CODE.fullmatch(value):
        bare = value.rstrip("=").translate(str.maketrans("-_", "+/"))
        with contextlib.suppress(binascii.Error, ValueError):
            made.append(_text(base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)))
    for text in made:
        if len(text) >= _SHORTEST_DECODED and text != value:
            yield text
            yield from _decoded(text, depth - 1)


def _text(data: bytes) -> str:
    """The text that the bytes are, "" where they are none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() or not re.search(r"[^\n\r\t -~\u00a0-\uffff]", text) else ""


def _opaque(url: str, values: Mapping[str, Sequence[str]]) -> str:
    """The value that means nothing to a reader; or query and fragment, where they are long; else "".

    `values` are those of the address, with what they say in codes.
    """
    for value, decoded in values.items():
        if is_random(value) or (len(value) >= _SHORTEST_CODE and decoded):
            return value
    _, _, query = url.partition("?")
    query = query or url.partition("#")[2]
    return max((query, *values), key=len) if max(map(len, (query, *values))) > _LONGEST else ""
