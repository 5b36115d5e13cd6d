"""Types long texts by pasting, if they have more different characters than there are spare keycodes.

A separate process (`keep_and_restore_process`) owns the clipboard meanwhile. Only the target window's program gets the
text from it; all others still get the former contents. If the window does not request the text, it is typed by keys.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from operator_console.domain.environment import without_keys
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import DeliveryUnknown, Halted, Untypable
from operator_console.injector.input_sender import InputSender
from operator_console.injector.keyboard.text_runs import Route, key_runs, paste_runs
from operator_console.injector.progress import Method, Progress

if TYPE_CHECKING:
    from operator_console.injector.keyboard.machine_typist import MachineTypist
    from operator_console.injector.keyboard.typist import Typist

_ANSWER_S = 5.0
_PASTE = (Key("ctrl"), Key("v"))
_START_S, _OWN_S, _REQUEST_S, _END_S = 15.0, 5.0, 3.0, 10.0
_NOTICED_S = 1.0

Recheck = Callable[[], object]


# Parts of the window class of programs in which Ctrl+V does not paste, pastes another machine's clipboard, or may be
# ignored by a page. Terminals are recognised by policy (Grant.terminal).
_NO_PASTE_BY_CTRL_V = (
    "emacs", "vim", "neovide",
    # These show pages, as Chromium does, but cannot be told apart by how they ask for the clipboard.
    "qutebrowser", "falkon", "epiphany", "webengine", "webkit",
    "xephyr", "xnest", "qemu", "virt-", "virtualbox", "vmware", "vmplayer", "gnome-boxes", "spicy", "remote", "vnc",
    "remmina", "rdp", "rdesktop", "krdc", "vinagre", "connections", "teamviewer", "anydesk", "rustdesk", "x2go",
    "nxplayer", "nomachine", "citrix", "wfica", "parsec", "moonlight", "scrcpy", "looking-glass", "dosbox",
)  # fmt: skip


def pastes_by_ctrl_v(app: str) -> bool:
    """Whether Ctrl+V pastes in a program of this window class; False for an unknown class."""
    name = app.lower()
    return bool(name) and not any(part in name for part in _NO_PASTE_BY_CTRL_V)


class ClipboardHolder:
    """The client of a clipboard holder, for one action. Its answers are described in `keep_and_restore_process`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._requests, self._answers = process.stdin, process.stdout
        self._received: set[str] = set()
        self._unread = b""
        self._closed = self._offered = False

    @property
    def unusable(self) -> bool:
        """Whether it cannot be used for pasting: the contents cannot be kept, another owner, or the process ended."""
        self._read()
        return self._closed or not self._received.isdisjoint({"lost", "cannot"})

    def has_answered(self, word: str) -> bool:
        """Whether it has sent this answer since the current text was offered."""
        self._read()
        return word in self._received

    def offer(self, text: str) -> None:
        """Offer this text. `unusable` afterwards if that is impossible."""
        if self.unusable or not self.has_answered("kept"):
            self._received.add("cannot")
            return
        self._received.intersection_update({"kept"})
        self._offered = True
        self._request({"text": text})

    def announce_paste(self) -> None:
        """Announce the paste shortcut. Requests after the answer "ready" are taken for its effect."""
        self._request({"announce": True})

    def withdraw(self) -> None:
        """Stop offering the text. Returns when it is certain whether it was pasted. Does nothing the second time."""
        if self._offered:
            self._offered = False
            self._request({"withdraw": True})
            self._await("withdrawn")

    def restore(self) -> None:
        """Give the target program the former contents too, and end."""
        self.withdraw()
        self._request({"restore": True})
        self._await("restored")
        with contextlib.suppress(OSError):
            self._requests.close()
        self._answers.close()
        self._closed = True

    def _await(self, word: str) -> None:
        deadline = time.monotonic() + _ANSWER_S
        while not (self.has_answered(word) or self._closed) and time.monotonic() < deadline:
            select.select([self._answers], [], [], 0.01)

    def _request(self, request: dict[str, object]) -> None:
        try:
            self._requests.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
            self._requests.flush()
        except OSError:
            self._closed = True

    def _read(self) -> None:
        while not self._closed and select.select([self._answers], [], [], 0)[0]:
            data = os.read(self._answers.fileno(), 4096)
            if not data:
                self._closed = True
                return
            *lines, self._unread = (self._unread + data).split(b"\n")
            for line in lines:
                word, _, cause = line.decode().partition(": ")
                self._received.add(word)
                if cause:
                    sys.stderr.write(
                        f"injector: typing by keys, because the contents of the clipboard cannot be kept: {cause}\n"
                    )


class ClipboardTypist:
    """Types text by keys, and runs of it by pasting if that is faster."""

    def __init__(self, sender: InputSender, typist: Typist) -> None:
        self._sender = sender
        self._typist = typist
        self._processes: list[subprocess.Popen[bytes]] = []
        self._last: ClipboardHolder | None = None

    def release_clipboard(self) -> None:
        """Let the program that was pasted into last read the former contents, before the next action uses it."""
        if self._last is not None:
            self._last.restore()
            self._last = None

    def type_text(self, text: str, *, window_id: int, progress: Progress, recheck: Recheck) -> None:
        """As Typist.type_text, without a delay. Raises DeliveryUnknown too."""
        in_layout = self._typist.layout_characters().__contains__
        runs = paste_runs(text, in_layout=in_layout, assignable=self._typist.assignable)
        holder = self._start_holder(window_id) if any(run.route is Route.PASTE for run in runs) else None
        try:
            while runs:
                run = runs[0]
                if run.route is Route.PASTE and not self._paste(holder, run.text, window_id, progress, recheck):
                    runs = key_runs("".join(run.text for run in runs))
                if runs[0].route is Route.KEYS:
                    self._typist.type_text(
                        runs[0].text, window_id=window_id, delay_s=0.0, progress=progress, recheck=recheck
                    )
                del runs[0]
        finally:
            if holder is not None:
                holder.withdraw()

    def paste_into_viewer(
        self, text: str, machine: MachineTypist, *, window_id: int, progress: Progress, recheck: Recheck
    ) -> None:
        """Paste a text into a machine, by the clipboard that its viewer shares with it.

        A viewer that shares it looks at once at what is copied here. Some fetch it then and send it to the machine,
        others when the machine wants it.

        Raises:
            Untypable: the text cannot be offered, or the viewer does not look at it. Nothing was sent.
            DeliveryUnknown: the shortcut was pressed, and the viewer has not fetched the text.
        """
        holder = self._start_holder(window_id)
        try:
            holder.offer(text)
            if not self._answers(holder, "owned", _OWN_S) or holder.unusable:
                raise Untypable(notice(NoticeCode.CLIPBOARD_NOT_OFFERED))
            if not self._sender.wait_for(lambda: holder.has_answered("noticed"), _NOTICED_S):
                raise Untypable(notice(NoticeCode.VIEWER_SHARES_NO_CLIPBOARD))
            self._typist.wait_until_read(window_id)
            early = holder.has_answered("early")
            recheck()
            holder.announce_paste()
            self._answers(holder, "ready", _OWN_S)
            machine.press_chord(_PASTE)
            if not (early or self._wait_for_request(holder)):
                raise DeliveryUnknown(notice(NoticeCode.VIEWER_FETCHED_NOTHING))
            progress.typed(Method.PASTED, len(text))
            self._typist.wait_until_read(window_id)
        finally:
            holder.withdraw()

    def _paste(
        self, holder: ClipboardHolder | None, text: str, window_id: int, progress: Progress, recheck: Recheck
    ) -> bool:
        """Paste one run. False if the window has not fetched the text and never will. Raises DeliveryUnknown."""
        if holder is None or not self._offer(holder, text, window_id):
            return False
        recheck()
        if holder.has_answered("early") or holder.unusable:
            return False
        try:
            fetched = self._press_and_wait(holder, window_id)
        except Halted:
            holder.withdraw()
            if holder.has_answered("asked"):
                progress.typed(Method.PASTED, len(text))
            raise
        if fetched:
            progress.typed(Method.PASTED, len(text))
            self._typist.wait_until_read(window_id)
        return fetched

    def _offer(self, holder: ClipboardHolder, text: str, window_id: int) -> bool:
        """Offer the text; whether the shortcut can be pressed now."""
        holder.offer(text)
        if not self._answers(holder, "owned", _OWN_S) or holder.unusable:
            return False
        # A program that fetches every new clipboard, as remote desktops do, does so now ("early"). It may paste another
        # machine's clipboard, so it gets keys.
        self._typist.wait_until_read(window_id)
        self._typist.wait_for_foreign_keys()
        holder.announce_paste()
        # Press only after "ready", or the holder could see the resulting request before the announcement.
        return self._answers(holder, "ready", _OWN_S)

    def _press_and_wait(self, holder: ClipboardHolder, window_id: int) -> bool:
        """Press Ctrl+V; whether the window then fetches the text. Raises DeliveryUnknown if that is not certain."""
        self._typist.press_chord(_PASTE)
        if not self._wait_for_request(holder):
            self._typist.wait_until_read(window_id)
            if holder.has_answered("listed"):
                self._wait_for_request(holder)  # it has listed the formats, so its request is still to come
        if not (holder.has_answered("asked") or holder.unusable):
            return self._fetched_after_withdrawal(holder)
        self._answers(holder, "ended", _END_S)
        if holder.has_answered("late"):
            raise DeliveryUnknown(notice(NoticeCode.PASTE_LATE))
        if not holder.has_answered("ended"):
            raise DeliveryUnknown(notice(NoticeCode.PASTE_UNCERTAIN))
        return True

    @staticmethod
    def _fetched_after_withdrawal(holder: ClipboardHolder) -> bool:
        """Withdraw the text after the time limit. It can then no longer be pasted, so keys may follow."""
        holder.withdraw()
        if not holder.has_answered("withdrawn"):
            raise DeliveryUnknown(notice(NoticeCode.PASTE_HOLDER_SILENT))
        return holder.has_answered("asked")

    def _wait_for_request(self, holder: ClipboardHolder) -> bool:
        return self._sender.wait_for(
            lambda: holder.has_answered("asked") or holder.has_answered("ended") or holder.unusable, _REQUEST_S
        )

    def _answers(self, holder: ClipboardHolder, word: str, within_s: float) -> bool:
        """Whether the holder gives this answer in time, or cannot be used. Raises Halted."""
        return self._sender.wait_for(lambda: holder.has_answered(word) or holder.unusable, within_s)

    def _start_holder(self, window_id: int) -> ClipboardHolder:
        """Start a holder process, which copies the current contents; `unusable` if it cannot."""
        self._processes = [each for each in self._processes if each.poll() is None]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "operator_console.injector.clipboard.keep_and_restore_process",
             "--window", str(window_id)],
            env=without_keys(os.environ), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self._processes.append(process)
        holder = self._last = ClipboardHolder(process)
        self._answers(holder, "kept", _START_S)
        return holder
