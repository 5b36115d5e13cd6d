"""What the console tells a browser host at its start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """How the browser is started, and where its files are.

    Attributes:
        program: the browser's program.
        folder: of this session, private to the user: sockets and profile are made in it. It is removed at the end.
        width, height: of the page, in CSS pixels.
        scale: pixels for each CSS pixel.
        mobile: pages are laid out as on a phone.
        headless: without a window.
        joins: the debugging address of an open browser, which is used instead of a new one; "" for none.
        url: the address that it begins with; "" for an empty page.
        allowed, blocked: the sites of the fence.
        downloads: the folder where what the browser saves is kept.
        upload_folder: whose files may be uploaded; "" for none.
        kept_profile: the file that the profile is unpacked from, and kept in at the end; "" for none.
        profile_key: its key.
        har: the file that the requests are written to at the end; "" for none.
    """

    program: str
    folder: str
    width: int
    height: int
    downloads: str
    scale: float = 1.0
    mobile: bool = False
    headless: bool = False
    joins: str = ""
    url: str = ""
    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    upload_folder: str = ""
    kept_profile: str = ""
    profile_key: str = ""
    har: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> HostOptions:
        """From what `as_dict` gave, after JSON."""
        lists = {name: tuple(values.get(name, ())) for name in ("allowed", "blocked")}
        return cls(**{**values, **lists})

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @property
    def profile(self) -> Path:
        """The folder of the browser's profile."""
        return Path(self.folder) / "profile"

    def socket(self, name: str) -> Path:
        """A socket that the host listens on."""
        return Path(self.folder) / f"{name}.sock"
