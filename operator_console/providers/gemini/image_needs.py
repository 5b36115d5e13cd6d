"""The pictures that Gemini gets."""

from __future__ import annotations

from operator_console.domain.frames import ImageNeeds

# The service recommends 1440x900, and answers 503 to pictures above about 500 KB.
IMAGE_NEEDS = ImageNeeds(long_edge=1600, pixels=1440 * 900, max_bytes=450_000, mime_type="image/png")
