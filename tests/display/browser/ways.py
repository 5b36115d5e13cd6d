"""Pages that reach another site, one for each way in which a page can."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

NAMES = ("private.test", "xn--bcher-kva.test")
"""Names of 127.0.0.2."""

SPECULATION = '<script type=speculationrules>{{"KIND": [{{"urls": ["{to}"], "eagerness": "immediate"}}]}}</script>'

# {to}: the forbidden URL; {quoted}: the same as part of another one; {site}: its host and port.
WAYS = {
    "link": "<a id=a href='{to}'>x</a><script>a.click()</script>",
    "link in a new tab": "<a id=a target=_blank href='{to}'>x</a><script>a.click()</script>",
    "form": "<form id=f action='{to}'><input name=a></form><script>f.submit()</script>",
    "form that posts": "<form id=f method=post action='{to}'><input name=a></form><script>f.submit()</script>",
    "redirect 301": "<script>location = '/redirect?code=301&to={quoted}'</script>",
    "redirect 302": "<script>location = '/redirect?code=302&to={quoted}'</script>",
    "redirect 303": "<script>location = '/redirect?code=303&to={quoted}'</script>",
    "redirect 307": "<script>location = '/redirect?code=307&to={quoted}'</script>",
    "redirect 308": "<script>location = '/redirect?code=308&to={quoted}'</script>",
    "redirect of an image": "<script>new Image().src = '/redirect?code=302&to={quoted}'</script>",
    "redirect of a fetch": "<script>fetch('/redirect?code=307&to={quoted}', {{mode: 'no-cors'}})</script>",
    "refresh header": "<script>location = '/refresh?to={quoted}'</script>",
    "meta refresh": "<meta http-equiv=refresh content='0;url={to}'>",
    "script that navigates": "<script>location.replace('{to}')</script>",
    "pop-up": "<script>window.open('{to}')</script>",
    "script": "<script src='{to}'></script>",
    "module": "<script type=module src='{to}'></script>",
    "dynamic import": "<script>import('{to}')</script>",
    "fetch": "<script>fetch('{to}', {{mode: 'no-cors'}})</script>",
    "fetch that outlives the page": (
        "<script>fetch('{to}', {{mode: 'no-cors', keepalive: true}}); location = '/ok'</script>"
    ),
    "fetch with a preflight": "<script>fetch('{to}', {{method: 'PUT', headers: {{'X-A': '1'}}}})</script>",
    "XMLHttpRequest": "<script>x = new XMLHttpRequest(); x.open('GET', '{to}'); x.send()</script>",
    "beacon": "<script>navigator.sendBeacon('{to}', 'x')</script>",
    "image": "<img src='{to}'>",
    "image set": "<img srcset='{to} 1x'>",
    "image in SVG": "<svg width=9 height=9><image href='{to}' width=9 height=9 /></svg>",
    "image button": "<input type=image src='{to}'>",
    "video": "<script>v = document.createElement('video'); v.src = '{to}'; v.load()</script>",
    "audio": "<script>new Audio('{to}').play()</script>",
    "style sheet": "<link rel=stylesheet href='{to}'>",
    "@import": "<style>@import '{to}'</style>",
    "url() in a style": "<div style=\"background: url('{to}')\">x</div>",
    "font": "<style>@font-face {{font-family: F; src: url('{to}')}}</style><p style='font-family: F'>x</p>",
    "frame": "<iframe src='{to}'></iframe>",
    "frame without an origin": "<iframe sandbox=allow-scripts srcdoc=\"<img src='{to}'>\"></iframe>",
    "nested frame": "<iframe src=\"data:text/html,<iframe src='{to}'></iframe>\"></iframe>",
    "object": "<object data='{to}'></object>",
    "embed": "<embed src='{to}'>",
    "worker that fetches": "<script>new Worker('/fetching.js?to={quoted}')</script>",
    "worker that imports": "<script>new Worker('/importing.js?to={quoted}')</script>",
    "shared worker": "<script>new SharedWorker('/fetching.js?to={quoted}')</script>",
    "service worker that fetches": (
        "<script>navigator.serviceWorker.register('/fetching.js?to={quoted}', {{scope: '/a/'}})</script>"
    ),
    "service worker that imports": (
        "<script>navigator.serviceWorker.register('/importing.js?to={quoted}', {{scope: '/b/'}})</script>"
    ),
    "WebSocket": "<script>new WebSocket('{to}'.replace('http', 'ws'))</script>",
    "secure WebSocket": "<script>new WebSocket('{to}'.replace('http', 'wss'))</script>",
    "EventSource": "<script>new EventSource('{to}')</script>",
    "https": "<script>fetch('{to}'.replace('http', 'https'), {{mode: 'no-cors'}})</script>",
    "prefetch": "<link rel=prefetch href='{to}'>",
    "preload": "<link rel=preload as=image href='{to}'>",
    "module preload": "<link rel=modulepreload href='{to}'>",
    "preconnect": "<link rel=preconnect href='https://{site}'>",
    "DNS prefetch": "<link rel=dns-prefetch href='{to}'>",
    "speculative prefetch": SPECULATION.replace("KIND", "prefetch"),
    "speculative prerender": SPECULATION.replace("KIND", "prerender"),
    "download": "<a id=a download href='{to}'>x</a><script>a.click()</script>",
    "favicon": "<link rel=icon href='{to}'>",
    "policy report": "<script>location = '/reporting?to={quoted}'</script>",
    "WebRTC over UDP": "<script>gather('stun:{site}')</script>",
    "WebRTC over TCP": "<script>gather('turn:{site}?transport=tcp')</script>",
    "WebTransport": "<script>new WebTransport('{to}'.replace('http', 'https')).ready.catch(done)</script>",
}  # fmt: skip

# Other names of the forbidden hosts.
SPELLINGS = {
    "name of a private address": "private.test", "upper case": "PRIVATE.TEST", "trailing dot": "private.test.",
    "name with a user": "127.0.0.1@private.test", "Unicode": "bücher.test", "punycode": "xn--bcher-kva.test",
    "IPv6": "[::1]", "long IPv6": "[0:0:0:0:0:0:0:1]", "IPv4 in IPv6": "[::ffff:127.0.0.2]", "decimal": "2130706434",
    "hexadecimal": "0x7f000002", "octal": "0177.0.0.2", "short": "127.2", "address with a trailing dot": "127.0.0.2.",
    "full width": "１２７.0.0.2", "percent": "%31%32%37.0.0.2",
}  # fmt: skip

HOW_SPELLED = ("script that navigates", "image")
REFUSED_BY_THE_BROWSER = {"name with a user, image"}
UNSEEN = {"DNS prefetch"}
"""What does not arrive without the fence either: a question to a name server, which is no connection."""
UNTRIED = {"speculative prefetch", "speculative prerender"}
"""What the browser does not try for another site if it has a proxy."""

GATHER = """<script>
const done = () => fetch('/done?way={name}')
const gather = async url => {{
  const peer = new RTCPeerConnection({{iceServers: [{{urls: url, username: 'a', credential: 'b'}}]}})
  peer.onicegatheringstatechange = () => peer.iceGatheringState == 'complete' && done()
  peer.createDataChannel('x')
  await peer.setLocalDescription(await peer.createOffer())
}}
</script>"""


@dataclass(slots=True)
class Way:
    """One way, with the port that is its own."""

    name: str
    page: str
    host: str
    port: int = 0

    @property
    def html(self) -> str:
        site = f"{self.host}:{self.port}"
        url = f"http://{site}/"
        values = {"to": url, "quoted": quote(url), "site": site, "name": quote(self.name)}
        return f"<!doctype html><meta charset=utf-8>{GATHER.format(**values)}{self.page.format(**values)}"


def all_ways() -> list[Way]:
    """Each way once, and each spelling twice."""
    ways = [Way(name, page, "127.0.0.2") for name, page in WAYS.items()]
    ways += [Way(f"{name}, {how}", WAYS[how], host) for name, host in SPELLINGS.items() for how in HOW_SPELLED]
    return [way for way in ways if way.name not in REFUSED_BY_THE_BROWSER]
