"""Parts of answers that no vendor would send."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_SCALAR = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["\ud800", "\x00", "<script>", "'; import os; '", "9" * 400])
)

ANY_JSON: SearchStrategy[Any] = st.recursive(
    _SCALAR, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
)
"""Any JSON value, and values that JSON does not know (NaN) or that cannot be written in UTF-8."""


def mixed(answers: SearchStrategy[Any]) -> SearchStrategy[bytes]:
    """Answers as JSON, some of them damaged, and any other bytes."""
    written = answers.map(lambda value: json.dumps(value).encode())
    damaged = st.builds(lambda body, end: body[: end % (len(body) + 1)], written, st.integers(0, 10_000))
    return written | damaged | st.binary(max_size=30)
