"""A monitor of QEMU on a Unix socket, written from QEMU's description of QMP and of its commands, not from the client.

It is strict: it serves one client at a time, takes no command before the negotiation, no member and no argument that
the description does not have, and keeps what breaks these rules. It is the monitor of a machine of a few disks.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SHOWN_S = 10.0

GREETING = {
    "QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "test"}, "capabilities": ["oob"]}
}
_ARGUMENTS = {
    "qmp_capabilities": set[str](),
    "query-status": set[str](),
    "query-mice": set[str](),
    "query-block": set[str](),
    "query-jobs": set[str](),
    "system_reset": set[str](),
    "cont": set[str](),
    "snapshot-save": {"job-id", "tag", "vmstate", "devices"},
    "snapshot-load": {"job-id", "tag", "vmstate", "devices"},
    "snapshot-delete": {"job-id", "tag", "devices"},
    "job-dismiss": {"id"},
}
_RESET_FIRST = ("shutdown", "internal-error")
_OPTIONAL = {"qmp_capabilities": {"enable"}}


class Wrong(Exception):
    """The answer is an error of this class, with these words."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind, self.words = kind, words


@dataclass(kw_only=True)
class Disk:
    """A drive. `snapshots`: the size of the memory kept with each, by name."""

    node: str
    device: str = "ide0-hd0"
    drv: str = "qcow2"
    read_only: bool = False
    snapshots: dict[str, int] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """As query-block tells it."""
        kept: list[dict[str, Any]] = [
            {"id": str(number), "name": name, "vm-state-size": size, "date-sec": 1_700_000_000 + number,
             "date-nsec": 0, "vm-clock-sec": 1, "vm-clock-nsec": 0}
            for number, (name, size) in enumerate(self.snapshots.items())
        ]  # fmt: skip
        image: dict[str, Any] = {"filename": f"{self.node}.img", "format": self.drv, "virtual-size": 1 << 26}
        if kept:
            image["snapshots"] = kept
        inserted = {"file": f"{self.node}.img", "node-name": self.node, "ro": self.read_only, "drv": self.drv,
                    "image": image}  # fmt: skip
        return {"device": self.device, "locked": False, "removable": False, "type": "unknown", "inserted": inserted}


class QmpServer:
    """The monitor. Leave it as a context manager: then a breach of any client is raised.

    Attributes:
        status: of the machine, as query-status tells it.
        mice: as query-mice tells them.
        disks: those of the machine.
        told: the commands carried out, in order, with their arguments.
        failing: jobs of these types end with these words.
        lacking: commands that this QEMU does not have.
        events: so many are sent before each answer, once a client has negotiated.
        early_events: so many clients get an event before the answer to their negotiation.
        before_answer: called before each answer, with the command.
    """

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.status = "running"
        self.mice: list[dict[str, Any]] = [{"name": "Tablet", "index": 3, "current": True, "absolute": True}]
        self.disks = [Disk(node="disk0")]
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        self.failing: dict[str, str] = {}
        self.lacking: set[str] = set()
        self.events = self.early_events = 0
        self.before_answer: Callable[[str], None] = lambda _: None
        self.clients = 0
        self._jobs: dict[str, dict[str, Any]] = {}
        self._breaches: list[str] = []
        self._line: socket.socket | None = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(5)
        self._thread = threading.Thread(target=self._serve_all, daemon=True)

    def __enter__(self) -> QmpServer:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if (line := self._line) is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self._thread.join(SHOWN_S)
        if kind is None:
            assert not self._breaches

    @property
    def commands(self) -> list[str]:
        """The names of the commands carried out, without questions."""
        return [name for name, _ in self.told if not name.startswith(("query-", "qmp_"))]

    def _serve_all(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            self.clients += 1
            self._line = line
            with line, contextlib.suppress(OSError):
                self._serve(line)

    def _serve(self, line: socket.socket) -> None:
        negotiated = False
        line.sendall(_line(GREETING))
        for said in _values(line):
            answer: dict[str, Any]
            command = ""
            try:
                command, arguments = self._read(said)
                if negotiated is (command == "qmp_capabilities"):
                    raise Wrong("CommandNotFound", "Expecting capabilities negotiation with 'qmp_capabilities'")
                self.before_answer(command)
                answer = {"return": self._done(command, arguments)}
                negotiated = True
            except Wrong as wrong:
                answer = {"error": {"class": wrong.kind, "desc": wrong.words}}
            if "id" in said:
                answer["id"] = said["id"]
            events = self.events
            if command == "qmp_capabilities":
                events = min(1, self.early_events)
                self.early_events -= events
            for number in range(events):
                line.sendall(_line({"event": "RTC_CHANGE", "data": {"offset": number}, "timestamp": _TIME}))
            line.sendall(_line(answer))

    def _read(self, said: Any) -> tuple[str, Mapping[str, Any]]:
        if not isinstance(said, dict) or not set(said) <= {"execute", "arguments", "id"} or "execute" not in said:
            self._breaches.append(f"no command: {said!r}")
            raise Wrong("GenericError", "QMP input must have member 'execute'")
        command, arguments = said["execute"], said.get("arguments", {})
        if command in self.lacking:
            raise Wrong("CommandNotFound", f"The command {command} has not been found")
        needed = _ARGUMENTS.get(command)
        if needed is None or not needed <= set(arguments) <= needed | _OPTIONAL.get(command, set()):
            self._breaches.append(f"{command} with {sorted(arguments)}")
            raise Wrong("GenericError", f"Parameters of {command}")
        return command, arguments

    def _done(self, command: str, arguments: Mapping[str, Any]) -> Any:
        self.told.append((command, arguments))
        match command:
            case "query-status":
                return {"status": self.status, "running": self.status == "running", "singlestep": False}
            case "query-mice":
                return self.mice
            case "query-block":
                return [disk.told() for disk in self.disks]
            case "query-jobs":
                return self._told_jobs()
            case "job-dismiss":
                if self._jobs[arguments["id"]]["status"] != "concluded":
                    self._breaches.append("a job dismissed that goes on")
                del self._jobs[arguments["id"]]
            case "system_reset" if self.status in _RESET_FIRST:
                self.status = "paused"
            case "cont" if self.status in _RESET_FIRST:
                raise Wrong("GenericError", "Resetting the Virtual Machine is required")
            case "cont":
                self.status = "running"
            case "snapshot-save" | "snapshot-load" | "snapshot-delete":
                self._start(command, arguments)
        return {}

    def _told_jobs(self) -> list[dict[str, Any]]:
        """Each goes on when it is asked about first."""
        told = [dict(job) for job in self._jobs.values()]
        for job in self._jobs.values():
            job["status"] = "concluded"
        return told

    def _start(self, command: str, arguments: Mapping[str, Any]) -> None:
        """A job, which is done at once and tells so later."""
        if arguments["job-id"] in self._jobs:
            raise Wrong("GenericError", f"Job ID '{arguments['job-id']}' already in use")
        job: dict[str, Any] = {"id": arguments["job-id"], "type": command, "status": "running",
                               "current-progress": 1, "total-progress": 1}  # fmt: skip
        self._jobs[arguments["job-id"]] = job
        error = self.failing.get(command) or self._snapshot(command, arguments)
        if error:
            job["error"] = error

    def _snapshot(self, command: str, arguments: Mapping[str, Any]) -> str:
        tag, nodes = arguments["tag"], arguments["devices"]
        disks = [disk for disk in self.disks if disk.node in nodes]
        if len(disks) != len(nodes) or any(disk.drv != "qcow2" for disk in disks):
            return "Device does not support VM state snapshots"
        if command == "snapshot-save":
            if any(tag in disk.snapshots for disk in disks):
                return f"Snapshot '{tag}' already exists in one or more devices"
            for disk in disks:
                disk.snapshots[tag] = 900_000 if disk.node == arguments["vmstate"] else 0
        elif any(tag not in disk.snapshots for disk in disks):
            return f"Snapshot '{tag}' does not exist in one or more devices"
        elif command == "snapshot-load":
            kept = {disk.node for disk in disks if disk.snapshots[tag]}
            return "" if arguments["vmstate"] in kept else "The snapshot has no state there"
        else:
            for disk in disks:
                del disk.snapshots[tag]
        return ""


def _values(line: socket.socket) -> Iterator[Any]:
    """What a client says. QEMU reads a value as soon as it is complete, with or without the end of a line."""
    waiting, decoder = "", json.JSONDecoder()
    while got := line.recv(65_536):
        waiting = (waiting + got.decode()).lstrip()
        with contextlib.suppress(ValueError):
            while waiting:
                value, end = decoder.raw_decode(waiting)
                waiting = waiting[end:].lstrip()
                yield value


_TIME = {"seconds": 1_700_000_000, "microseconds": 5}


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\r\n"


@contextlib.contextmanager
def raw_monitor(path: Path, serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A socket at `path` whose clients are served by `serve`, one after the other."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(5)
    open_lines: list[socket.socket] = []

    def run() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            open_lines.append(line)
            with line, contextlib.suppress(OSError):
                serve(line)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield str(path)
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for line in open_lines:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        thread.join(SHOWN_S)
