"""A loopback stand-in for the clouds that serve the vendors' models: it enforces each one's paths, headers and
authentication, and hands what is left to the vendor's own strict server.

It knows nothing of our provider. Signatures are those of AWS Signature Version 4, assertions those of RFC 7523 as
Google's service accounts use it, tokens of Azure those of the managed identity of App Service. Each error has the
cloud's own form.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import json
import re
import secrets
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, quote

import aiohttp
from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.servers.scripted_server import ScriptedServer

PROJECT, REGION = "quiet-river-42", "europe-west1"
AWS_REGION, AWS_ID, AWS_SECRET = "eu-central-1", "AKIAEXAMPLE", "example/secret/of/aws"
BEARER = "a-key-of-the-cloud"
_GOOGLE_AUDIENCE = "https://oauth2.googleapis.com/token"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_AZURE_RESOURCE = "https://cognitiveservices.azure.com"
_IDENTITY_HEADER = "identity-header-of-the-host"
_ACCOUNT = "robot@quiet-river-42.iam.gserviceaccount.com"
_VENDORS_OWN = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
_MAX_BYTES = 64 * 1024 * 1024
_OWN_HEADERS = frozenset(("authorization", "host", "content-length", "connection", "api-key", "accept-encoding"))


class CloudFront:
    """The server on the running loop.

    Attributes:
        asked: The paths of requests for turns, in order.
        tokens_given: How many tokens were given.
        refused: Reasons for which requests were refused.
    """

    def __init__(self, behind: ScriptedServer) -> None:
        """`behind` is the vendor's server, which is running."""
        self.asked: list[str] = []
        self.tokens_given = 0
        self.refused: list[str] = []
        self.url = ""
        self._behind = behind
        self._tokens: dict[str, str] = {}
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> CloudFront:
        app = web.Application(client_max_size=_MAX_BYTES)
        app.router.add_post("/model/{model}/invoke", self._bedrock)
        of_project = "/projects/{project}/locations/{region}/publishers"
        app.router.add_post("/claude/v1" + of_project + "/anthropic/models/{model}:rawPredict", self._vertex_claude)
        app.router.add_post("/v1beta1" + of_project + "/google/models/{model}:generateContent", self._vertex_gemini)
        app.router.add_post("/token", self._google_token)
        app.router.add_post("/openai/v1/responses", self._azure)
        app.router.add_get("/identity", self._azure_token)
        app.router.add_post("/api/v1/{name:messages|responses}", self._openrouter)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self._session = aiohttp.ClientSession(trust_env=False)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    # -- what a host of each cloud has

    def google_credentials(self, folder: Path) -> dict[str, str]:
        """The environment of a host with the file of a service account."""
        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = folder / "service-account.json"
        account = {
            "type": "service_account", "project_id": PROJECT, "private_key_id": "k1", "private_key": pem.decode(),
            "client_email": _ACCOUNT, "client_id": "1", "token_uri": f"{self.url}/token",
        }  # fmt: skip
        file.write_text(json.dumps(account), encoding="utf-8")
        return {"GOOGLE_APPLICATION_CREDENTIALS": str(file)}

    def aws_credentials(self, folder: Path) -> dict[str, str]:
        """The environment of a host with the profile `console` in AWS's configuration."""
        file, config = folder / "aws-credentials", folder / "aws-config"
        file.write_text(f"[console]\naws_access_key_id = {AWS_ID}\naws_secret_access_key = {AWS_SECRET}\n")
        config.write_text(f"[profile console]\nregion = {AWS_REGION}\n")
        return {"AWS_SHARED_CREDENTIALS_FILE": str(file), "AWS_CONFIG_FILE": str(config)}

    def azure_identity(self) -> dict[str, str]:
        """The environment of a host with a managed identity."""
        return {"IDENTITY_ENDPOINT": f"{self.url}/identity", "IDENTITY_HEADER": _IDENTITY_HEADER}

    # -- AWS

    async def _bedrock(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        given = request.headers.get("Authorization", "")
        if given != f"Bearer {BEARER}" and (fault := _signature_fault(request, raw)):
            self.refused.append(fault)
            headers = {"x-amzn-errortype": "InvalidSignatureException"}
            return web.json_response({"message": fault}, status=403, headers=headers)
        body = json.loads(raw)
        if "model" in body or "stream" in body or "anthropic_version" not in body:
            return web.json_response({"message": "Malformed input request"}, status=400)
        del body["anthropic_version"]
        betas = ",".join(body.pop("anthropic_beta", []))
        model = request.match_info["model"]
        found = re.fullmatch(
            r"(?:[a-z]{2,6}\.)?anthropic\.(claude-[a-z]+-\d+(?:-\d{1,2})?)(?:-\d{8})?(?:-v\d:\d)?", model
        )
        if found is None:
            return web.json_response({"message": "The provided model identifier is invalid."}, status=400)
        return await self._handed_on(
            request, {**body, "model": found[1]}, "/v1/messages", {**_VENDORS_OWN, "anthropic-beta": betas}
        )

    # -- Google

    async def _google_token(self, request: web.Request) -> web.Response:
        form = parse_qs((await request.read()).decode())
        try:
            head, claims, signature = form["assertion"][0].split(".")
            self._key.public_key().verify(
                _unpadded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256()
            )
            said = json.loads(_unpadded(claims))
            right = said["iss"] == _ACCOUNT and said["aud"] == _GOOGLE_AUDIENCE and _SCOPE in said["scope"]
        except (KeyError, ValueError, InvalidSignature):
            right = False
        if not right or form.get("grant_type") != ["urn:ietf:params:oauth:grant-type:jwt-bearer"]:
            body = {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
            return web.json_response(body, status=400)
        return web.json_response({"access_token": self._token("google"), "expires_in": 3599, "token_type": "Bearer"})

    async def _vertex_claude(self, request: web.Request) -> web.StreamResponse:
        if (refused := self._vertex_fault(request)) is not None:
            return refused
        body = json.loads(await request.read())
        if "model" in body or "anthropic_version" not in body:
            return _google_error(400, "INVALID_ARGUMENT", "anthropic_version: Field required")
        del body["anthropic_version"]
        model = request.match_info["model"].partition("@")[0]
        return await self._handed_on(request, {**body, "model": model}, "/v1/messages", _VENDORS_OWN)

    async def _vertex_gemini(self, request: web.Request) -> web.StreamResponse:
        if (refused := self._vertex_fault(request)) is not None:
            return refused
        path = f"/v1beta/models/{request.match_info['model']}:generateContent"
        return await self._handed_on(request, json.loads(await request.read()), path, {"x-goog-api-key": "k"})

    def _vertex_fault(self, request: web.Request) -> web.Response | None:
        if self._tokens.get(request.headers.get("Authorization", "").removeprefix("Bearer ")) != "google":
            self.refused.append("no token of Google")
            return _google_error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        if "x-goog-api-key" in request.headers or "x-api-key" in request.headers:
            self.refused.append("a key beside the token")
            return _google_error(400, "INVALID_ARGUMENT", "A key is not expected.")
        if (request.match_info["project"], request.match_info["region"]) != (PROJECT, REGION):
            self.refused.append(request.path)
            return _google_error(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied.")
        return None

    # -- Azure and OpenRouter

    async def _azure_token(self, request: web.Request) -> web.Response:
        if request.headers.get("X-IDENTITY-HEADER") != _IDENTITY_HEADER or request.query["resource"] != _AZURE_RESOURCE:
            return web.json_response({"error": {"code": "BadRequest"}}, status=400)
        expires = int((dt.datetime.now(dt.UTC) + dt.timedelta(hours=8)).timestamp())
        token = self._token("azure")
        body = {"access_token": token, "expires_on": str(expires), "resource": _AZURE_RESOURCE, "token_type": "Bearer"}
        return web.json_response(body)

    async def _azure(self, request: web.Request) -> web.StreamResponse:
        given = request.headers.get("api-key") or request.headers.get("Authorization", "").removeprefix("Bearer ")
        if given != BEARER and self._tokens.get(given) != "azure":
            self.refused.append("neither a key nor a token of Azure")
            error = {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."}
            return web.json_response({"error": error}, status=401)
        return await self._handed_on(request, json.loads(await request.read()), "/v1/responses", {})

    async def _openrouter(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {BEARER}" or "x-api-key" in request.headers:
            self.refused.append("no bearer token")
            error = {"code": 401, "message": "No auth credentials found"}
            return web.json_response({"error": error}, status=401)
        body = json.loads(await request.read())
        body["model"] = str(body["model"]).rpartition("/")[2]
        return await self._handed_on(request, body, f"/v1/{request.match_info['name']}", {"x-api-key": "k"})

    # -- all

    def _token(self, cloud: str) -> str:
        self.tokens_given += 1
        token = secrets.token_urlsafe(16)
        self._tokens[token] = cloud
        return token

    async def _handed_on(
        self, request: web.Request, body: dict[str, Any], path: str, more: dict[str, str]
    ) -> web.StreamResponse:
        assert self._session is not None
        self.asked.append(request.path)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _OWN_HEADERS}
        headers |= {"Authorization": "Bearer k", **{name: value for name, value in more.items() if value}}
        async with self._session.post(f"{self._behind.url}{path}", json=body, headers=headers) as answer:
            return web.Response(status=answer.status, body=await answer.read(), content_type=answer.content_type)


def _google_error(code: int, status: str, message: str) -> web.Response:
    return web.json_response({"error": {"code": code, "message": message, "status": status}}, status=code)


def _unpadded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _signature_fault(request: web.Request, body: bytes) -> str:
    """Why the request is not signed with AWS_SECRET for Bedrock in AWS_REGION; "" if it is."""
    credential = r"Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request"
    pattern = rf"AWS4-HMAC-SHA256 {credential}, SignedHeaders=([^,]+), Signature=(\w{{64}})"
    found = re.fullmatch(pattern, request.headers.get("Authorization", ""))
    if found is None:
        return "Missing Authentication Token"
    identity, day, region, service, signed, signature = found.groups()
    if (identity, region, service) != (AWS_ID, AWS_REGION, "bedrock"):
        return "Credential should be scoped to a valid region and service."
    names = signed.split(";")
    if not {"host", "x-amz-date"} <= set(names):
        return "The headers host and x-amz-date must be signed."
    digest = hashlib.sha256(body).hexdigest()
    if request.headers.get("X-Amz-Content-SHA256", digest) != digest:
        return "The provided x-amz-content-sha256 header does not match what was computed."
    path = quote(request.raw_path.partition("?")[0], safe="/~")  # encoded once more, as for every service but S3
    lines = [request.method, path, "", *(f"{name}:{' '.join(request.headers[name].split())}" for name in names)]
    canonical = "\n".join([*lines, "", signed, digest])
    scope = f"{day}/{region}/{service}/aws4_request"
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", request.headers["X-Amz-Date"], scope, hashed])
    key = f"AWS4{AWS_SECRET}".encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    right = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return "" if hmac.compare_digest(right, signature) else "The request signature we calculated does not match."
