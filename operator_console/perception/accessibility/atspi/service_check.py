"""The accessibility line of `doctor`: whether there is a bus, and whether applications on it reply."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping

from operator_console.domain.doctor_check import DoctorCheck
from operator_console.domain.translations import _
from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Application, applications
from operator_console.perception.accessibility.atspi.connection import BusConnection, BusGone
from operator_console.perception.accessibility.atspi.session_service import accessibility_bus

_DEADLINE_S = 3.0


def check_service(environ: Mapping[str, str] = os.environ) -> DoctorCheck:
    """Connect to the accessibility bus and ask its applications."""
    if not environ.get("DBUS_SESSION_BUS_ADDRESS") and not environ.get("AT_SPI_BUS_ADDRESS"):
        remedy = _(
            "Start the console in a desktop session, or with dbus-run-session. Without it, controls are known by their "
            "picture and text only."
        )
        return _failed(_("There is no D-Bus session bus."), remedy)
    try:
        return asyncio.run(_check(environ))
    except BusGone as error:
        remedy = _(
            "Install at-spi2-core and log in again. Without it, controls are known by their picture and text only."
        )
        return _failed(_("There is no accessibility bus ({error}).").format(error=error), remedy)
    except NoReply:
        remedy = _("Log in again. Without it, controls are known by their picture and text only.")
        return _failed(_("The accessibility bus does not answer."), remedy)


async def _check(environ: Mapping[str, str]) -> DoctorCheck:
    address = await accessibility_bus(environ)
    bus = await BusConnection.connect(address)
    try:
        tree = Tree(bus)
        tree.deadline_s = time.monotonic() + _DEADLINE_S
        apps = await applications(tree, {})
        answering = [await _answers(bus, app) for app in apps]
    finally:
        bus.close()
    place = address.partition(",")[0]
    said = _("The accessibility bus answers ({place}); {count} of {total} applications reply.")
    detail = said.format(place=place, count=answering.count(True), total=len(apps))
    return DoctorCheck(name="accessibility", ok=True, detail=detail)


async def _answers(bus: BusConnection, app: Application) -> bool:
    tree = Tree(bus)
    tree.deadline_s = time.monotonic() + 0.5
    try:
        return await tree.one(app.ref, Field.CHILD_COUNT) is not None
    except NoReply:
        return False


def _failed(detail: str, remedy: str) -> DoctorCheck:
    return DoctorCheck(name="accessibility", ok=False, detail=detail, remedy=remedy)
