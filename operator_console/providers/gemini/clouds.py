"""A connection to Gemini on Vertex AI with the vendor's SDK, with Google's application default credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operator_console.domain.notices import NoticeCode
from operator_console.providers.gemini.client import GeminiClient
from operator_console.providers.gemini.options import GeminiOptions
from operator_console.providers.shared.clouds import google_credentials
from operator_console.providers.shared.http_faults import Service

if TYPE_CHECKING:
    import httpx2
    from google import genai

_VERTEX = Service(
    title="Gemini on Vertex AI",
    provider="gemini",
    key_variable="",
    url_variable="GOOGLE_VERTEX_BASE_URL",
    sign_in=NoticeCode.SIGN_IN_TO_GOOGLE_CLOUD,
)


class VertexClient(GeminiClient):
    """One connection to Vertex AI."""

    key_variables = ()

    def __init__(self, options: GeminiOptions, *, base_url: str | None) -> None:
        """Does not connect. If `base_url` is None, the SDK's environment variable applies."""
        super().__init__(_VERTEX, api_key=None, base_url=base_url, timeout_s=options.request_timeout_s)
        self._options = options

    def _create_client(self, http: httpx2.AsyncClient) -> genai.Client:
        from google import genai

        credentials, project = google_credentials(self._service, self._options.project)
        return genai.Client(
            vertexai=True,
            credentials=credentials,
            project=project,
            location=self._options.region,
            http_options=self._http_options(http),
        )
