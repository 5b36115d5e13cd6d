"""The words of every notice, and texts that know the notices they render.

The words are English, in the form of gettext messages: placeholders of `str.format`, and a singular and a plural where
a number decides. A `gettext.NullTranslations` renders them as they are, a catalogue of another language translates them
with that language's own plural forms.
"""

from __future__ import annotations

import dataclasses
import functools
import gettext
import math
import string
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from operator_console.domain.codec import CodecError, decode, encode
from operator_console.domain.hotkeys import chord_words
from operator_console.domain.notices import Notice, NoticeCode, NoticeValue
from operator_console.domain.redaction import without_secrets

Owner = TypeVar("Owner")

ENGLISH = gettext.NullTranslations()


@dataclass(frozen=True, slots=True)
class Plural:
    """Words that differ by a number; `by` is the name of the value that decides."""

    one: str
    many: str
    by: str = "count"


class NoticeText(str):
    """A text with the notices that it renders. Equal to the plain string; anything made from it by string operations
    is a plain string, so texts are combined with `joined` only."""

    __slots__ = ("notices",)

    notices: tuple[Notice, ...]

    def __new__(cls, text: str = "", notices: tuple[Notice, ...] = ()) -> NoticeText:
        made = super().__new__(cls, text)
        made.notices = notices
        return made


def notice(code: NoticeCode, /, **values: str | float) -> NoticeText:
    """A sentence of ours. A value that is itself a NoticeText is kept as its notices."""
    kept: dict[str, NoticeValue] = {
        name: value.notices if isinstance(value, NoticeText) and value.notices else value
        for name, value in values.items()
    }
    notices = (Notice(code=code, values=kept),)
    return NoticeText(render(notices), notices)


def joined(*texts: str) -> NoticeText:
    """The texts one after the other, without the empty ones; a plain string among them is text by others."""
    notices = tuple(
        part
        for text in texts
        if text
        for part in (notices_of(text) or (Notice(code=NoticeCode.VERBATIM, values={"text": str(text)}),))
    )
    return NoticeText(render(notices), notices)


def listed(texts: Sequence[str]) -> str:
    """The texts as an enumeration; "" for none."""
    return _chained(NoticeCode.LISTED, texts)


def lines(texts: Sequence[str]) -> str:
    """The texts on lines of their own; "" for none."""
    return _chained(NoticeCode.LINES, texts)


def _chained(code: NoticeCode, texts: Sequence[str]) -> str:
    whole = texts[0] if texts else ""
    for text in texts[1:]:
        whole = notice(code, first=whole, second=text)
    return whole


def trimmed(text: str) -> str:
    """Text by others without the white space around it; a text with notices as it is."""
    return text if notices_of(text) else text.strip()


def without_secrets_in(text: str) -> str:
    """The text, or the values of its notices, without the secrets that are known."""
    if without_secrets(text) == text:
        return text
    notices = tuple(map(_without_secrets, notices_of(text)))
    return NoticeText(render(notices), notices) if notices else without_secrets(text)


def _without_secrets(each: Notice) -> Notice:
    values: dict[str, NoticeValue] = {}
    for name, value in each.values.items():
        if isinstance(value, tuple):
            values[name] = tuple(map(_without_secrets, value))
        else:
            values[name] = without_secrets(value) if isinstance(value, str) else value
    return Notice(code=each.code, values=values)


def notices_of(text: str) -> tuple[Notice, ...]:
    """The notices of a text; none for a plain string, which is text by others."""
    return text.notices if isinstance(text, NoticeText) else ()


def worded(text: str, translations: gettext.NullTranslations = ENGLISH) -> str:
    """The text in the language of `translations`, from its notices; the text itself where it has none, or where a
    newer version wrote them."""
    try:
        return render(notices_of(text), translations) or str(text)
    except (LookupError, ValueError, TypeError):
        return str(text)


def render(notices: tuple[Notice, ...], translations: gettext.NullTranslations = ENGLISH) -> str:
    """The sentences of these notices, in order.

    Raises:
        LookupError, ValueError, TypeError: an unknown code, or values that do not fit it.
    """
    return " ".join(_one(each, translations) for each in notices)


def _one(each: Notice, translations: gettext.NullTranslations) -> str:
    words = WORDS[NoticeCode(each.code)]
    values = {
        name: render(value, translations) if isinstance(value, tuple) else value for name, value in each.values.items()
    }
    if isinstance(words, Plural):
        template = translations.ngettext(words.one, words.many, _plural_number(each.values[words.by]))
    else:
        template = translations.gettext(words)
    return _TEMPLATES.vformat(template, (), values)


class _Templates(string.Formatter):
    """The formatting of `str.format`, with one more format: `{keys:chord}` is a hotkey, recorded in the notation of the
    settings file, as people write it."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return chord_words(str(value)) if format_spec == "chord" else str(super().format_field(value, format_spec))


_TEMPLATES = _Templates()


def _plural_number(value: NoticeValue) -> int:
    """The number that chooses a plural form, which must be whole; a fraction is counted like the number above it, but
    like 2 at least ("0.5 minutes")."""
    if not isinstance(value, int | float):
        raise TypeError("a plural needs a number")
    return int(value) if value == int(value) else max(2, math.ceil(value))


def keep_notices(owner: object, *names: str) -> None:
    """Make the text fields `names` of a frozen dataclass and their fields `..._notices` agree; for `__post_init__`.

    A NoticeText fills the field of its notices. A plain string with notices, as decoded, becomes a NoticeText; where a
    copy gets another text, it must be a NoticeText too, or the notices must be emptied.
    """
    for name in names:
        text, notices = getattr(owner, name), getattr(owner, f"{name}_notices")
        if isinstance(text, NoticeText):
            object.__setattr__(owner, f"{name}_notices", text.notices)
        elif notices:
            object.__setattr__(owner, name, NoticeText(text, notices))


def with_words(owner: Owner, translations: gettext.NullTranslations = ENGLISH) -> Owner:
    """For display: the dataclass, and those inside it, with its texts worded from their notices.

    Texts without notices, as in files of older versions, stay.
    """
    changes: dict[str, Any] = {}
    kind: type = type(owner)
    for name in _texts_with_notices(kind):
        text = getattr(owner, name)
        if notices_of(text) and (words := worded(text, translations)) != text:
            changes[name] = NoticeText(words, notices_of(text))
    for name in _parts_with_notices(kind):
        part = getattr(owner, name)
        if (new := _part_with_words(part, translations)) is not part:
            changes[name] = new
    return dataclasses.replace(owner, **changes) if changes else owner  # type: ignore[type-var]


def _part_with_words(part: Any, translations: gettext.NullTranslations) -> Any:
    if isinstance(part, tuple):
        made = tuple(_part_with_words(each, translations) for each in part)
        return made if any(new is not old for new, old in zip(made, part, strict=True)) else part
    return with_words(part, translations) if dataclasses.is_dataclass(part) else part


@functools.cache
def _texts_with_notices(kind: type) -> tuple[str, ...]:
    names = {field.name for field in dataclasses.fields(kind)}
    return tuple(sorted(name for name in names if f"{name}_notices" in names))


@functools.cache
def _parts_with_notices(kind: type) -> tuple[str, ...]:
    """The fields whose values may contain dataclasses with such texts; found from the types, because most have none."""
    hints = typing.get_type_hints(kind)
    return tuple(name for name in hints if not name.endswith("_notices") and _may_contain_texts(hints[name]))


def _may_contain_texts(hint: Any) -> bool:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return bool(_texts_with_notices(hint) or _parts_with_notices(hint))
    return any(_may_contain_texts(each) for each in typing.get_args(hint))


def to_wire(name: str, text: str) -> dict[str, Any]:
    """A text and its notices as two members of a JSON message: `name` and `name_notices`."""
    return {name: str(text), f"{name}_notices": encode(notices_of(text))}


def from_wire(message: Mapping[str, Any], name: str) -> str:
    """The text of a JSON message made with `to_wire`; "" where it has none, plain where its notices cannot be read."""
    text = str(message.get(name, ""))
    try:
        notices: tuple[Notice, ...] = decode(tuple[Notice, ...], message.get(f"{name}_notices", []))
    except CodecError:
        return text
    return NoticeText(text, notices) if notices else text


def value_names(words: str | Plural) -> frozenset[str]:
    """The names of the values that these words take."""
    templates = (words.one, words.many) if isinstance(words, Plural) else (words,)
    by = {words.by} if isinstance(words, Plural) else set()
    return frozenset(by | {name for text in templates for _, name, _, _ in string.Formatter().parse(text) if name})


_N = NoticeCode

WORDS: Mapping[NoticeCode, str | Plural] = MappingProxyType({
    _N.VERBATIM: "{text}",
    _N.LISTED: "{first}, {second}",
    _N.LINES: "{first}\n{second}",
    # Limits and pauses
    _N.STEP_LIMIT_REACHED: Plural("The limit of {count} step is reached.", "The limit of {count} steps is reached."),
    _N.TIME_LIMIT_REACHED: Plural(
        "The limit of {minutes:g} minute is reached.", "The limit of {minutes:g} minutes is reached.", by="minutes"
    ),
    _N.COST_LIMIT_REACHED: "Spent {spent} of {limit}.",
    _N.COST_LIMIT_NOT_KEPT: "The model's service reports no tokens, so the limit of {limit} cannot be kept.",
    _N.NEXT_REQUEST_COSTS: "The next request would cost about {amount}.",
    _N.WHOLE_RUN_COSTS: "Up to its step or time limit, the run would cost about {amount}.",
    _N.CALLS_DECLINED_IN_A_ROW: Plural(
        "{count} call in a row was declined.", "{count} calls in a row were declined."
    ),
    _N.CALLS_DECLINED: Plural("{count} call was declined.", "{count} calls were declined."),
    _N.QUESTIONS_UNANSWERED: Plural(
        "{count} question could not be answered by anybody.",
        "{count} questions in a row could not be answered by anybody.",
    ),
    _N.PAUSED_FOR_CAUSE: "Paused ({cause}).",
    _N.ENDED_BY_OPERATOR: "You ended the session.",
    _N.PAUSED_AND_NOT_RESUMED: "Paused ({cause}), and nobody resumed.",
    _N.CONTINUE_QUESTION: "Continue?",
    _N.CONTINUE_FOR_AMOUNT: "Continue for another {amount}?",
    _N.CONTINUE_AT_UNKNOWN_COST: "Continue at a cost that is not known?",
    _N.TOKENS_NOT_REPORTED: "The model's service reports no tokens.",
    _N.COST_NOT_KNOWN: "What this session costs is not known.",
    _N.PRICE_INVALID: "{price} is not a price.",
    _N.WRITE_PRICE_SO: "Write the prices of a million input and output tokens, such as --price 0.30/2.50, or with that "
    "of cached input, such as --price 0.30/2.50/0.075.",
    _N.NOT_A_SITE: "{site} is not a site.",
    _N.WRITE_SITE_SO: "Write a host such as example.org, *.example.org for its subdomains, or either with a port.",
    _N.SITES_WITHOUT_BROWSER: "--site limits a browser only.",
    _N.USE_BROWSER_FOR_SITES: "Use --target browser, or leave --site out.",
    _N.CURRENCY_INVALID: "{currency} is not a currency.",
    _N.WRITE_CURRENCY_SO: "Write up to 8 letters or a sign, such as EUR.",
    _N.AMOUNT_INVALID: "{option} {amount} is not an amount.",
    _N.WRITE_AMOUNT_SO: "Write a number such as 1 or 2.50.",
    _N.COST_LIMIT_INVALID: "{amount} is not a valid cost limit.",
    _N.COST_LIMIT_WITHOUT_PRICE: "A cost limit needs the price of the model's tokens.",
    _N.GIVE_PRICE_OR_NO_COST_LIMIT: "Choose a profile with a price, give one with --price, or leave the limit out.",
    _N.SCREEN_LOCKED: "The screen was locked.",
    _N.PAUSE_KEYS_PRESSED: "{keys:chord} was pressed.",
    _N.MACHINE_SUSPENDED: "The machine was suspended.",
    _N.SAFETY_QUESTION_LAPSED: "A safety question was not answered in time.",
    _N.SERVICE_BLOCKED_CALL: "The model's service blocked a call.",
    _N.FUNCTIONS_WITH_SAME_NAME: "Two functions are named {names}.",
    _N.RENAME_OR_REMOVE_ONE: "Rename or remove one of them.",
    # Stops
    _N.OUTPUT_CLOSED: "The output was closed.",
    _N.SIGNAL_RECEIVED: "{signal}.",
    _N.ACTION_BEING_EDITED: "An action is being edited.",
    _N.CONSOLE_CLOSED: "The console was closed.",
    _N.STOPPED_FOR_CAUSE: "Stopped ({cause}).",
    _N.STOP_IN_WINDOW: "Stop was pressed in the window.",
    _N.STOP_COMMAND: "The stop command was run.",
    _N.STOP_KEYS_FROM_PROGRAM: "A program sent the keys.",
    _N.TOP_LEFT_CORNER: "the top-left corner of monitor {monitor}",
    _N.TOP_RIGHT_CORNER: "the top-right corner of monitor {monitor}",
    _N.BOTTOM_LEFT_CORNER: "the bottom-left corner of monitor {monitor}",
    _N.BOTTOM_RIGHT_CORNER: "the bottom-right corner of monitor {monitor}",
    _N.POINTER_IN_CORNER: "The pointer was put into {corner}.",
    _N.CONSOLE_SILENT_MS: "The console did not answer for {milliseconds} ms.",
    _N.CONSOLE_SILENT: "The console did not answer for {seconds:g} s.",
    _N.CONSOLE_ENDED: "The console ended without disarming ({error}).",
    _N.CONSOLE_ENDED_AT_START: "The console ended while the session started.",
    _N.PROGRAM_ENDING: "The program is ending.",
    _N.WINDOW_CLOSED: "The window was closed.",
    _N.INTERNAL_ERROR: "An internal error ended the session ({error}).",
    _N.STOPPED_BEFORE_SESSION: "Stopped before the session began.",
    _N.INTERNAL_ERROR_ENDED_SESSION: "An internal error ended the session.",
    _N.LOG_AND_RECORD_HAVE_DETAILS: "The log has the details. What was done until then is in the record.",
    # The guard and the stop
    _N.GUARD_STARTING: "The guard is starting.",
    _N.GUARD_SILENT: "The guard does not answer.",
    _N.GUARD_ENDED: "The guard ended.",
    _N.GUARD_FAILED: "The guard failed: {error}.",
    _N.GUARD_TERMINATED: "The guard was told to end.",
    _N.GUARD_UNAVAILABLE: "The stop is not available.",
    _N.GUARD_PROCESS: "The guard process: {text}",
    _N.GUARD_PROCESS_ENDED: "It ended.",
    _N.NOTHING_CAN_BE_STARTED: "Nothing can be started now.",
    _N.START_SESSION_FIRST: "Start a session first.",
    _N.RUN_DOCTOR: "Run `operator-console doctor`.",
    _N.STOP_NOT_TESTED: "not proven yet",
    _N.STOP_NOT_WORKING: "The stop is not working.",
    _N.STOP_NEEDED_TO_RESUME: "The session can resume once the stop works again.",
    _N.STOP_WITHOUT_DISPLAY: (
        "No display: stop keys are not heard. Stop with `operator-console stop` or Ctrl-C."
    ),
    _N.STOP_NOT_HEARD_OVER_XWAYLAND: (
        "{display} is the X server of a Wayland session, where stop keys are heard over X windows only."
    ),
    _N.START_IN_WAYLAND_SESSION: "Start the console in a terminal of that session, where WAYLAND_DISPLAY is set.",
    _N.STOP_IN_WAYLAND_SESSION: (
        "Wayland session: stop keys are not heard. Stop with `operator-console stop` or Ctrl-C."
    ),
    _N.STOP_COMMAND_NOT_HEARD: "`operator-console stop` does not reach this session: {error}.",
    _N.NO_KEYCODE_FOR_STOP_TEST: "No keycode is free for the test of the stop keys.",
    _N.STOP_TEST_NOT_SENT: "The test of the stop keys could not be sent: {error}.",
    _N.STOP_TEST_NOT_HEARD: "The test of the stop keys did not reach {listener}.",
    _N.FIRST_LISTENER: "the first listener",
    _N.SECOND_LISTENER: "the second listener",
    _N.STOP_TEST_NOT_HEARD_TWICE: "The test of the stop keys reached neither of the two listeners.",
    _N.FIRST_LISTENER_ENDED: "The first listener for the stop keys has ended.",
    _N.SECOND_LISTENER_ENDED: "The second listener for the stop keys has ended.",
    _N.DISPLAY_CONNECTION_LOST: "The display is gone: {error}.",
    _N.CONNECTION_CLOSED_BY_X_SERVER: "the X server closed the connection",
    _N.X_SERVER_CLOSED_CONNECTION: "The X server closed the connection.",
    _N.INPUT_EVENT_HANGS: "An input event in progress did not end within {seconds:g} s.",
    _N.INJECTOR_ENDED: "The injector process ended unexpectedly.",
    _N.INJECTOR_NOT_RESTARTED: "The injector process could not be restarted.",
    _N.INJECTOR_NOT_STARTED: "The injector did not start.",
    _N.INJECTOR_START_IN_LOG: "The injector process did not start; its message is in the log.",
    _N.DISPLAY_STOPPED: "The display is stopped.",
    _N.STOPPED_WITHOUT_DISPLAY: "Sessions without a display are stopped.",
    _N.REASON_WITH_DETAIL: "{reason} ({detail})",
    _N.REASON: "Reason: {reason}.",
    _N.REASON_SINCE: "Reason: {reason}, since {time}.",
    _N.ITS_RECORD: "Its record: {path}",
    _N.LOOK_RESET_AND_START: (
        "Look at the screen, reset (`operator-console reset`, or Reset in the app), then start again."
    ),
    _N.STOPPED_WHILE_STARTING: "Stopped while starting.",
    _N.RESET_AND_START: "Reset, then start again.",
    _N.START_CALLED_OFF: "The start was called off.",
    _N.START_AGAIN: "Start again.",
    _N.CONSOLE_HAS_SESSION: "A session of this console is already running.",
    _N.END_IT_FIRST: "End it first.",
    _N.DISPLAY_IN_USE: "Another console is using this display.",
    _N.RUNNING_WITHOUT_DISPLAY: "Another session without a display is running.",
    _N.ARMED_SESSION_HOLDS_DISPLAY: "An armed session holds {display}.",
    _N.END_OTHER_SESSION_FIRST: "End it first; `operator-console status` names it, `operator-console stop` stops it.",
    _N.STOP_NOT_LIVE: "The stop is not live.",
    _N.NO_SESSION_WITHOUT_STOP: "No session starts without a working stop. Run `operator-console doctor` for details.",
    _N.STOP_NOT_HEARD: "The stop cannot be heard.",
    _N.STOP_NOT_HEARD_ON_SYSTEM: "The stop cannot be heard on this system.",
    _N.NO_LISTENER_FOR_SYSTEM: "There is no listener for {system}; X11 is needed.",
    _N.USE_LINUX_WITH_X: "Use a Linux desktop with an X server.",
    _N.STOP_NOT_HEARD_ON_X_SERVER: "The stop cannot be received on this X server.",
    _N.KEYS_NOT_TOLD_APART: "A person's keys cannot be told from a program's: {reason}.",
    _N.XINPUT_MISSING: "the XInput extension is missing",
    _N.XINPUT_TOO_OLD: "its XInput is {major}.{minor}, 2.1 is needed",
    _N.USE_CURRENT_X_SERVER: "Use a current X server; the isolated desktop (--target virtual) has one.",
    _N.HOTKEY_UNUSABLE: "The hotkey {hotkey!r} cannot be used.",
    _N.HOTKEY_NEEDS_MODIFIER_AND_KEY: "It needs Ctrl, Alt or Super and exactly one other key.",
    _N.WRITE_HOTKEY_LIKE: "Write it like <ctrl>+<alt>+x in the settings.",
    _N.HOTKEYS_ARE_SAME: "Two hotkeys are the same.",
    _N.CHANGE_ONE_HOTKEY: "Change one.",
    _N.RUN_FOLDER_NOT_WRITABLE: "The run folder cannot be written.",
    _N.MAKE_ROOM_IN_RUN_FOLDER: "Make room there, or set $OPERATOR_CONSOLE_HOME to another folder.",
    _N.GUARD_ERROR: "The guard failed.",
    _N.SESSION_USES_DISPLAY: "A session is using this display; stop or end it first.",
    _N.HELD_INPUT_NOT_RELEASED: "What the last session held cannot be released: {output}",
    _N.HELD_INPUT_DISPLAY_SILENT: "What the last session held cannot be released: the display does not answer.",
    # The record
    _N.DISK_SLOW: "The disk is slow.",
    _N.DISK_SLOW_EFFECT: "Actions wait until the record is written. Nothing is lost, and Stop works.",
    _N.RECORD_STILL_NOT_WRITABLE: "The record still cannot be written.",
    _N.NOT_SENT_RECORD_LATE: "Nothing was sent: the record was not written in time.",
    _N.SESSION_FILE_UNUSABLE: "The session file “{path}” cannot be used.",
    _N.SESSION_FILE_NOT_WRITABLE: "The session file “{path}” cannot be written.",
    _N.SESSION_FILE_CLOSED: "The session file “{path}” is closed.",
    _N.DISK_FULL_NO_ACTION: "The disk is full. No action runs without being recorded.",
    _N.DISK_FULL: "The disk is full.",
    _N.DISK_QUOTA_USED_UP: "Your disk quota is used up.",
    _N.FILE_SIZE_LIMIT: "The file may not grow any further.",
    _N.FILE_IO_FAILED: "Writing or reading failed (a faulty or full disk, or a size limit).",
    _N.FILE_READ_ONLY: "It is read-only.",
    _N.DISK_READ_ONLY: "The disk is read-only.",
    _N.FILE_NOT_PERMITTED: "You have no permission to write there.",
    _N.FILE_MISSING: "The file or its folder does not exist.",
    _N.FOLDER_IS_FILE: "Its folder is not a folder.",
    _N.FILE_EXISTS: "It already exists, and a new session needs a new file.",
    _N.FILE_NOT_OPENED: "It cannot be opened or created there.",
    _N.FILE_NOT_SESSION: "It is not a session file, or it was overwritten.",
    _N.FILE_DAMAGED: "It is damaged.",
    _N.FILE_IN_USE: "Another program is using it.",
    _N.FREE_SPACE: "Free some space, or choose a file on another disk with --session.",
    _N.CHOOSE_WRITABLE_FOLDER: "Choose a folder that you may write to with --session, or set OPERATOR_CONSOLE_HOME.",
    _N.CHECK_DISK: "Check the disk and the folder, or choose another file.",
    _N.CREATE_FOLDER: "Create the folder, or choose another one.",
    _N.CHOOSE_OTHER_FOLDER: "Choose another folder.",
    _N.CHOOSE_OTHER_NAME: "Choose another name.",
    _N.CHOOSE_OTHER_FILE: "Choose another file.",
    _N.VERIFY_AND_START_NEW: "`operator-console sessions verify` shows details. Start a new session.",
    _N.CLOSE_OTHER_PROGRAM: "Close that program, or wait until its run has ended.",
    _N.SEE_LOG: "For details, see the log.",
    _N.START_NEW_SESSION: "Start a new session.",
    _N.NOT_A_SESSION_FILE: "“{path}” is not a session file.",
    _N.CHOOSE_SESSION_FILE: (
        "Choose a file that this program wrote (*.ocsession); `operator-console sessions list` shows them."
    ),
    _N.NO_SUCH_FILE: "There is no file “{path}”.",
    _N.FILE_IS_FOLDER: "It is a folder.",
    _N.FILE_DOES_NOT_EXIST: "There is no such file.",
    _N.FILE_NOT_DATABASE: "It is not a database, or its first bytes were overwritten.",
    _N.FILE_EMPTY: "It is empty.",
    _N.FILE_OF_OTHER_PROGRAM: "It was written by another program.",
    _N.FILE_FORMAT_NEWER: "It has format {format}; this version reads up to {newest}. Update the console.",
    _N.SESSION_FILE_DAMAGED: "The session file “{path}” is damaged.",
    _N.VERIFY_SHOWS_DETAILS: "Run `operator-console sessions verify` for details.",
    _N.SESSION_FILE_WITHOUT_ID: "The session file “{path}” has no session id.",
    _N.SESSION_FILE_CHANGES_TOO_FAST: "The session file “{path}” changes too fast to be read.",
    _N.PAUSE_OR_STOP_RUN: "Pause or stop the run, and try again.",
    _N.SESSION_NOT_CONTINUED: "The session file “{path}” is damaged, so it cannot be continued.",
    _N.READ_OR_START_NEW: "You can still read it (`operator-console sessions show`). Start a new session.",
    _N.FILE_NAMES_NO_SESSION: "It does not name its session.",
    _N.SESSION_WRITTEN_ELSEWHERE: "The session “{path}” is being written by another console.",
    _N.WAIT_OR_START_NEW: "Wait until that run has ended, or start a new session.",
    _N.SESSION_NOT_DELETED: "The session “{path}” is still being written, so it was not deleted.",
    _N.STOP_RUN_FIRST: "First stop its run (`operator-console stop`).",
    _N.SESSION_NOT_RENAMED: "The session “{path}” is still being written, so it was not renamed.",
    _N.NAME_EMPTY: "A name needs at least one character.",
    _N.NAME_TOO_LONG: "This name is too long for a file.",
    _N.NAME_HAS_CHARACTER: "A name cannot contain “{character}”.",
    _N.NAME_HAS_INVISIBLE_CHARACTER: "A name cannot contain line breaks or invisible characters.",
    _N.NAME_ENDS_BADLY: "A name cannot begin or end with a dot.",
    _N.NAME_RESERVED: "“{name}” cannot be the name of a file on every system.",
    _N.NAME_TAKEN: "There is a file “{name}” already, and renaming does not overwrite files.",
    _N.EXPORT_EXISTS: "“{path}” already exists, and an export does not overwrite files.",
    _N.CHOOSE_OTHER_EXPORT: "Choose another name for --to, or delete that file.",
    _N.NOT_AN_EXPORT_FORMAT: "“{suffix}” is not a format for exports.",
    _N.USE_EXPORT_FORMAT: "Use a name for --to that ends in .html, .jsonl or .zip.",
    # Questions and messages
    _N.ALLOW_ACTION: "Allow the model to {action}?",
    _N.INPUT_RELEASED: Plural(
        "The console released {count} key or button that was held down.",
        "The console released {count} keys or buttons that were held down.",
    ),
    _N.NO_ANSWER_GIVEN: "The operator gave no answer.",
    _N.OPERATOR_DECLINED_ANSWER: "The operator declined to answer.",
    _N.NOBODY_COULD_ANSWER: "Nobody could answer.",
    _N.ANSWER_UNREADABLE_TO_MODEL: (
        "Your last answer was empty or could not be read. Answer with one of the functions you were given, or, where "
        "the task is done, with a short closing text."
    ),
    _N.EDIT_TOO_LATE: "Your edit came too late.",
    _N.SKIP_TOO_LATE: "Your skip came too late.",
    _N.TOO_LATE_FOR_CALL: "It was for call {call} of step {step}, which had been decided already. It had no effect.",
    # Pictures
    _N.PART_OF_TARGET_NOT_SEEN: "Part of the target cannot be seen.",
    _N.PART_BEHIND_CONSOLE: "A part behind the console's own windows cannot be seen and is shown grey.",
    _N.PART_NOT_PAINTED: "A part of the window has not been painted yet and is shown grey.",
    _N.PICTURE_OF_ONE_COLOUR: (
        "The picture has one colour only; it may be blank, or its application is still starting."
    ),
    _N.WINDOWS_SHOW_BLACK: Plural(
        "{windows} shows nothing but black; the content may be protected, or not readable here.",
        "{windows} show nothing but black; the content may be protected, or not readable here.",
    ),
    _N.PICTURE_REDUCED: "The picture for the model was reduced.",
    _N.SCREEN_COMPRESSES_BADLY: "The screen compresses badly, as photographs and films do: {changes}.",
    _N.DETAIL_MAY_BE_LOST: "Fine detail may be lost.",
    _N.PICTURE_SCALED: "scaled from {width} x {height}",
    _N.PICTURE_SCALED_TO_FIT: "scaled from {width} x {height} to keep within {bytes} bytes",
    _N.PICTURE_COLOURS_REDUCED: "{count} colours",
    _N.PICTURE_TOO_LARGE: "larger than {bytes} bytes",
    # Calls that send no input
    _N.WAITED: "Waited {seconds:g} s.",
    _N.REGION_OUTSIDE_PICTURE: "The region lies outside the picture.",
    _N.READING_UNAVAILABLE: "Reading text off the screen is not available here.",
    _N.ASKING_MODEL_UNAVAILABLE: "Asking the model is not available here; answer it yourself.",
    _N.ACTION_UNAVAILABLE: "“{kind}” is not available here.",
    _N.USE_MOUSE_AND_KEYBOARD: "Use the mouse and the keyboard instead.",
    _N.POINTER_NOT_ON_PICTURE: "The pointer is not on the picture.",
    _N.TEXT_SHORTENED: "Only the first {shown:,} of {total:,} characters.",
    _N.TEXT_READ_TO_END: Plural("Read {count} screen, to its end.", "Read {count} screens, to its end."),
    _N.TEXT_READ_DOES_NOT_SCROLL: Plural(
        "Read {count} screen, it does not scroll further.", "Read {count} screens, it does not scroll further."
    ),
    _N.TEXT_READ_MORE_BELOW: Plural(
        "Read {count} screen, there is more below.", "Read {count} screens, there is more below."
    ),
    _N.TEXT_READ_SCROLL_FAILED: Plural(
        "Read {count} screen, then it could not be scrolled further: {problem}",
        "Read {count} screens, then it could not be scrolled further: {problem}",
    ),
    _N.TEXT_PIECE_MAY_BE_MISSING: "A piece may be missing between two of them.",
    _N.READING_INTERRUPTED: Plural(
        "Interrupted after {count} screen; it was not scrolled back.",
        "Interrupted after {count} screens; it was not scrolled back.",
    ),
    _N.SCROLLED_BACK: "It was scrolled back.",
    _N.SCROLLED_BACK_NOT_EXACTLY: "It was scrolled back, but not to exactly the same position.",
    _N.NOT_SCROLLED_BACK: "It could not be scrolled back: {problem}",
    _N.SCREEN_TEXT_UNREADABLE: "Text on the screen cannot be read.",
    _N.OCR_FAILED: Plural("The OCR process failed {count} time.", "The OCR process failed {count} times."),
    _N.OCR_REMEDY: "Check that the rapidocr and onnxruntime packages are installed and that memory is free.",
    _N.CLIPBOARD_READ: "Read the clipboard.",
    _N.CLIPBOARD_WITHOUT_TEXT: "The clipboard contains no text.",
    _N.CLIPBOARD_UNREADABLE: "The clipboard cannot be read.",
    _N.CLIPBOARD_OWNER_SILENT: "The application that owns it does not answer.",
    _N.COPY_TEXT_AGAIN: "Copy the text again.",
    # Starting applications and own functions
    _N.ADDRESS_OPENED: "Opened {address} with {application}.",
    _N.APPLICATION_STARTED: "Started {application}.",
    _N.NO_WINDOW_APPEARED: "No window appeared within {seconds:.0f} s.",
    _N.WINDOW_WAS_OPEN: "It uses a window that was already open, “{window}”.",
    _N.WINDOW_APPEARED: "Its window “{window}” appeared.",
    _N.ADDRESS_NOT_ALLOWED: "Only http, https and file addresses can be opened, not “{address}”.",
    _N.NO_SUCH_APPLICATION: "No application is called “{name}”.",
    _N.SIMILAR_APPLICATIONS: "Similar: {names}.",
    _N.NOT_INSTALLED_WHEN_SESSION_BEGAN: "“{name}” appeared or changed since the session began. It is not started.",
    _N.NO_BROWSER_INSTALLED: "No browser is installed.",
    _N.APPLICATION_NOT_STARTED_IN_TIME: "It could not be started in time.",
    _N.APPLICATION_NOT_STARTED: "It could not be started: {error}.",
    _N.APPLICATION_NOT_DETACHED: "It could not be started (setsid ended with {exit_code}).",
    _N.APPLICATION_ENDED: "It ended at once with code {exit_code}.",
    _N.APPLICATION_ENDED_WITH_ERROR: "It ended at once with code {exit_code}: {output}",
    _N.NOT_A_FUNCTION_CALL: "It is not a call of a function.",
    _N.FUNCTION_ARGUMENTS_UNREADABLE: "The arguments are not a JSON object.",
    _N.FUNCTION_KILLED: "{name} was killed.",
    _N.FUNCTION_FAILED: "{name} failed: {error}",
    _N.FUNCTION_RETURNED: "{name} returned: {result}.",
    _N.FUNCTION_RETURNED_NOTHING: "{name} returned.",
    _N.FUNCTION_ANSWER_TOO_LARGE: "It returned too much data.",
    _N.FUNCTION_TIMED_OUT: "It did not end within {seconds:g} s, so it was killed.",
    _N.FUNCTION_ANSWER_INVALID: "Its answer is invalid.",
    _N.FUNCTION_CLOSED_PIPE: "It closed its pipe.",
    _N.FUNCTION_PROCESS_ENDED: "Its process ended without an answer (code {exit_code}).",
    _N.FUNCTION_UNUSABLE: "The function {function} cannot be offered to the model.",
    _N.FUNCTION_NAME_TAKEN: "{function} has the same name.",
    _N.CORRECT_OR_REMOVE_FUNCTION: "Correct or remove it under [functions] in the settings file.",
    _N.MCP_SERVER_UNUSABLE: "The MCP server “{server}” cannot be used.",
    _N.MCP_SERVER_WROTE: "It wrote: {text}",
    _N.MCP_SERVER_REMEDY: (
        "Correct it under [mcp.servers.{server}] in the settings file; operator-console mcp check {server} tries it."
    ),
    _N.MCP_KEY_MISSING: "Its settings name the key {key}, which has not been entered yet.",
    _N.MCP_KEY_REMEDY: "Set {key} in the environment, or run operator-console mcp key {key}.",
    _N.MCP_TOOL_NOT_OFFERED: "The tool “{tool}” of the MCP server “{server}” is not offered to the model.",
    _N.MCP_TOOL_REMEDY: "Name the tools to offer under [mcp.servers.{server}] in the settings file.",
    _N.MCP_TOOL_CHANGED: (
        "The MCP server “{server}” was started again, and its tool “{tool}” is no longer what it was when the session "
        "began."
    ),
    _N.MCP_SERVER_UNKNOWN: "There is no MCP server “{server}” in the settings.",
    _N.MCP_SERVERS_KNOWN: "Known: {names}.",
    _N.WRITE_MCP_SECTION: (
        "Write a section [mcp.servers.{server}]; operator-console mcp list shows the servers that are there."
    ),
    _N.SANDBOX_FOLDER_UNUSABLE: "The folder “{path}” cannot be the working folder of bash and the text editor.",
    _N.CHOOSE_SANDBOX_FOLDER: "Choose or create a folder for this work.",
    _N.NOT_A_FOLDER: "It is not a folder.",
    _N.FOLDER_HOLDS_HOME: "It is or holds your home folder, with your keys and settings.",
    _N.FOLDER_HOLDS_CONSOLE: "It is or holds a folder of this console.",
    _N.SANDBOX_UNAVAILABLE: "The tools bash and text editor cannot be used here.",
    _N.EDIT_COMMAND_UNKNOWN: "There is no command {command!r}. Use view, create, str_replace or insert.",
    # Carrying out an action
    _N.GRANT_UNREADABLE: "The grant cannot be read: {error}.",
    _N.GRANT_WITHOUT_KEY: "The grant was refused: no key was given.",
    _N.GRANT_SEAL_INVALID: "The grant was refused: its seal is not valid.",
    _N.GRANT_EXPIRED: "The grant was refused: it has expired.",
    _N.GRANT_USED: "The grant was refused: it was used before.",
    _N.GRANT_EPOCH_OUTDATED: "The grant was refused: its epoch is {epoch}, the current one is {current}.",
    _N.NO_BROWSER_HAS_FOCUS: "No browser has the focus. Open one first, or click its window.",
    _N.OTHER_ELEMENT_AT_PLACE: "The element is not what its application says is at its place; something may cover it.",
    _N.AGENT_POINTER_OFF_TARGET: "The agent's pointer is not on the target. Name a point.",
    _N.OTHER_WINDOW_THERE: "Another window is there now.",
    _N.IT_IS_WINDOW: "It is “{window}”.",
    _N.OTHER_CONTROL_THERE: "Another control is there now.",
    _N.OTHER_CONTROL_FOCUSED: "Another control has the focus now.",
    _N.FOCUS_DOES_NOT_STAY: "The keyboard focus did not stay in the target.",
    _N.IT_IS_CONTROL: "It is {control}.",
    _N.LOOK_AGAIN: "Look again.",
    _N.ONLY_FIRST_PARTS_DONE: "Only the first part was done: {actions}.",
    _N.INTERRUPTED_EXTENT_UNKNOWN: "It was interrupted; how much of it happened is not known.",
    _N.ACTION_NOT_FINISHED: "An action was not finished, although nobody paused or stopped it.",
    _N.INJECTOR_NOT_RUNNING: "The injector is not running; nothing was sent.",
    _N.INJECTOR_HAS_ENDED: "The injector has ended.",
    _N.INJECTOR_ENDED_DURING_ACTION: "The injector ended during the action.",
    _N.INJECTOR_SILENT: "The injector does not answer.",
    _N.INJECTOR_SILENT_FOR: "Nothing for {seconds:.0f} s; whether the action happened is unknown.",
    _N.STOP_AND_START_AGAIN: "Stop, look at the screen, and start again.",
    _N.ACTION_STOPPED: "Stopped.",
    _N.INPUT_LAYER_FAILED: "The input layer failed: {error}.",
    _N.NOT_FINISHED_STOPPED: "Not finished: stopped.",
    _N.NOT_FINISHED_PAUSED: "Not finished: paused.",
    _N.NOT_FINISHED_NO_ANSWER: "Not finished: the guard or the session does not answer.",
    _N.NOT_FINISHED_GUARD_ENDED: "Not finished: the guard has ended.",
    _N.NOT_FINISHED_GUARD_BEHIND: "Not finished: the guard does not see the events in time.",
    # Checks right before input
    _N.THE_DESKTOP: "the desktop",
    _N.ANOTHER_WINDOW: "another window",
    _N.WINDOW_BY_ID: "window {id}",
    _N.NO_WINDOW: "no window",
    _N.CONSOLE_WINDOW: "the console's own window",
    _N.THE_TARGET: "The target",
    _N.THE_WINDOW: "The window",
    _N.WINDOW_NOT_ON_SCREEN: "The window “{window}” is no longer on the screen.",
    _N.VIEWER_TAKES_KEYS: "{keys} was not sent: the viewer takes it for itself, and the machine would not get it.",
    _N.VIEWER_WINDOW_CHANGED: "The viewer's window was moved or resized since the picture was taken.",
    _N.WINDOW_SIZE_CHANGED: "The window's size changed since the picture was taken.",
    _N.POINT_OUT_OF_RANGE: "{axis} {value} is outside {limit}",
    _N.CONSOLE_COVERS_POINT: "A window of this console covers the point.",
    _N.POINTER_OFF_MONITOR: "The pointer is not on the target monitor.",
    _N.COVERED_BY_WINDOW: "Covered by {window}.",
    _N.POINT_ON_OTHER_WINDOW: "The point is on {window} now; in the picture it was on {before}.",
    _N.SCREEN_CHANGED_UNDER_TARGET: "The screen changed under the target since the picture was taken.",
    _N.ELEMENT_GONE: "The element is no longer there.",
    _N.ELEMENT_OF_CONSOLE: "The element is one of this console.",
    _N.ELEMENT_OF_OTHER_PROCESS: "The element is not one of the program whose window was there in the picture.",
    _N.ELEMENT_CHANGED: "The element is called “{name}” now, or is of another kind; in the picture it was “{before}”.",
    _N.ELEMENT_NOT_USABLE: "The element is disabled now.",
    _N.ELEMENT_MOVED: "The element has another place or size now.",
    _N.ELEMENT_NOT_ANSWERING: "Its application does not answer through accessibility.",
    _N.NO_ACCESSIBILITY_SERVICE: "There is no accessibility service on this display.",
    _N.ELEMENT_HAS_NO_ACTION: "The element has no accessible action that presses it.",
    _N.ELEMENT_HAS_NO_OPTIONS: "The element holds no options.",
    _N.ELEMENT_REFUSED_ACTION: "Its application refused the accessible action.",
    _N.ELEMENT_TAKES_NO_FOCUS: "The element did not take the keyboard focus.",
    _N.ELEMENT_ACTION_UNANSWERED: "Its application stopped answering when the accessible action was sent.",
    _N.OPTION_NOT_THERE: "There is no option “{option}”.",
    _N.OPTION_NOT_UNIQUE: "There are several options “{option}”.",
    _N.OPTION_NOT_CHOOSABLE: "Its application lets no option be chosen through accessibility.",
    _N.OPTION_NOT_SHOWN_CHOSEN: "The application took the choice, but does not say that the option is chosen.",
    _N.MONITOR_AREA_CHANGED: (
        "The monitor of {width} x {height} at {x}, {y} was unplugged, moved or resized since the picture was taken."
    ),
    _N.POINTER_MOVED_AWAY: "The pointer was moved away before the press; somebody is using the mouse.",
    _N.WINDOW_APPEARED_UNDER_POINTER: "Another window appeared under the pointer right before the press.",
    _N.POINT_ON_BARE_DESKTOP: "The point is on the bare desktop, which takes no text.",
    _N.CLICK_MAY_NOT_HAVE_ARRIVED: "The window manager does not answer, so the click may not have arrived.",
    _N.ACTION_UNSUPPORTED: "The injector does not support '{kind}'.",
    _N.ACTION_NUMBERS_OUT_OF_RANGE: "The numbers of this {kind} are out of range.",
    _N.NO_WINDOW_HAS_FOCUS: "No window has the keyboard focus.",
    _N.CONSOLE_HAS_FOCUS: "This console has the keyboard focus.",
    _N.OTHER_WINDOW_HAS_FOCUS: "The keyboard focus is with {window}.",
    _N.CLICK_DID_NOT_FOCUS: "The click did not give {window} the keyboard focus.",
    _N.FOCUS_MOVED_FROM: "The keyboard focus is with {window} now; in the picture “{before}” had it.",
    _N.FOCUS_MOVED: "The keyboard focus is with {window} now; in the picture it was elsewhere.",
    _N.WINDOW_COVERED_COMPLETELY: "{cover} covers {window} completely.",
    _N.KEYBOARD_TAKEN: "{window} has taken the keyboard.",
    # Keys and text
    _N.LAYOUTS_NOT_READABLE: (
        "The keyboard layouts of this computer cannot be read: libxkbcommon or its data is missing. On Debian and "
        "Ubuntu install libxkbcommon0 and xkb-data."
    ),
    _N.LAYOUT_NOT_KNOWN: (
        "This computer has no keyboard layout {layout}. Name one as XKB does: de, or de(nodeadkeys) for a variant."
    ),
    _N.NAME_LAYOUT_OF_VM: (
        "If the machine has another layout, name it in section {section} of the settings; paste = true there lets such "
        "text go through the clipboard that the viewer shares with it."
    ),
    _N.CLIPBOARD_NOT_OFFERED: (
        "The text cannot be pasted: what is in this desktop's clipboard cannot be kept, or another program has taken "
        "it."
    ),
    _N.VIEWER_SHARES_NO_CLIPBOARD: (
        "The text cannot be pasted: the viewer does not share this desktop's clipboard with the machine. SPICE does so "
        "where spice-vdagent runs in the machine."
    ),
    _N.VIEWER_FETCHED_NOTHING: (
        "Ctrl+V was pressed in the machine, but its viewer has not fetched the text; the machine may have pasted "
        "something else."
    ),
    _N.CAPS_LOCK_IS_ON: (
        "Caps Lock is on. Some viewers pass it on to the machine, where letters would change their case: switch it off."
    ),
    _N.LAYOUT_KEEPS_CHANGING: "The keyboard layout keeps changing; {character} cannot be typed.",
    _N.NO_SUCH_KEY: "This keyboard has no key {key}.",
    _N.MODIFIER_HELD: "A modifier key, or the key itself, is held down on the keyboard; release it.",
    _N.NO_SPARE_KEY: "This keyboard has no spare key for {character}.",
    _N.NO_KEY_FOR_CHARACTER: "This keyboard has no key for {character}.",
    _N.CHARACTER_UNTYPABLE: "The text contains {code_point}, which no key types.",
    _N.APPLICATION_NOT_RESPONDING: "The application has stopped responding; it has not read what was typed.",
    _N.PASTE_LATE: "Whether the text was pasted is not known: the application got it late.",
    _N.PASTE_UNCERTAIN: (
        "Whether the text was pasted is not known: another program took the clipboard meanwhile, or the application "
        "asked for the text and has not fetched it."
    ),
    _N.PASTE_HOLDER_SILENT: (
        "Whether the text will still be pasted is not known: the clipboard's holder does not answer."
    ),
    _N.INPUT_METHOD_NOT_SWITCHED_OFF: (
        "The input method {method} composes what is typed, and could not be switched off."
    ),
    _N.FCITX_WOULD_COMPOSE: "The input method {method} of fcitx5 would compose what is typed here.",
    _N.SWITCH_TO_PLAIN_KEYBOARD: (
        "Switch this field to the plain keyboard (by default Ctrl+Space), then try again."
    ),
    _N.INPUT_METHOD_SILENT: (
        "The input method stopped answering; part of what was typed may have been composed into other text."
    ),
    _N.PERSON_IS_COMPOSING: "A person is composing a text with the input method; finish or cancel it.",
    # The target
    _N.NO_WINDOW_AT_POINT: "There is no window at that point that could receive keys.",
    _N.CHOOSE_POINT_IN_WINDOW: "Choose a point inside a window.",
    _N.MONITOR_SIZE_CHANGED: "The monitor changed its size after the picture was taken.",
    _N.MONITOR_MOVED: "The monitor was moved after the picture was taken.",
    _N.TARGET_SIZE_CHANGED: "The target changed its size after the picture was taken.",
    _N.SIZE_WAS_AND_IS: "It was {old_width} x {old_height}, now it is {width} x {height}.",
    _N.PLACE_WAS_AND_IS: "It began at {old_x}, {old_y} of the desktop, now at {x}, {y}.",
    _N.POINT_OUTSIDE_TARGET: "That point lies outside the target.",
    _N.POINT_NOT_WITHIN: "{x}, {y} is not within {width} x {height}.",
    _N.CHOOSE_POINT_OF_PICTURE: "Choose a point of the picture.",
    _N.POINT_OUTSIDE_SCREEN: "That point of the window lies outside the screen.",
    _N.MOVE_WINDOW_ONTO_SCREEN: "Move the window onto the screen.",
    _N.CONSOLE_IN_THE_WAY: "The console's own window is there and cannot be clicked through.",
    _N.MOVE_CONSOLE_AWAY: "Move the console away from that place.",
    _N.TARGET_COVERED_BY: "The target is covered there by {window}.",
    _N.BRING_TARGET_TO_FRONT: "Bring the target to the front.",
    _N.FOCUS_NOT_IN_TARGET: "The keyboard focus is not in the target: {window} has it.",
    _N.CLICK_WINDOW_FIRST: "Click into the window that should receive the keys first.",
    _N.TARGET_CLOSED: "The target was closed.",
    _N.WINDOW_GONE: "{window} is gone.",
    _N.POINTER_HELD: "Another program holds the pointer.",
    _N.CLOSE_MENUS_AND_TRY_AGAIN: "Close its menu or end its drag, then try again.",
    _N.POINTING_FAILED: "The window could not be chosen by pointing.",
    _N.WINDOW_WAS_CLOSED: "The window was closed.",
    _N.OPEN_AND_CHOOSE_WINDOW: (
        "Open it again and choose it as the target; `operator-console targets` lists the windows."
    ),
    _N.WINDOW_MINIMISED: "{window} is minimised.",
    _N.RESTORE_WINDOW: "Restore it from the task bar, then resume.",
    _N.WINDOW_ON_OTHER_DESKTOP: "{window} is on another workspace.",
    _N.SWITCH_DESKTOP: "Switch to its workspace, or move the window to this one, then resume.",
    _N.WINDOW_HIDDEN: "{window} is hidden.",
    _N.HIDDEN_BY_APPLICATION: "Its application has hidden it.",
    _N.SHOW_WINDOW: "Show it again, then resume.",
    _N.WINDOW_NOT_CAPTURED: "{window} could not be captured.",
    _N.WINDOWS_CHANGE_TOO_FAST: "Its windows changed faster than they could be read.",
    _N.WAIT_FOR_STILL_WINDOW: "Wait until it has stopped changing, then resume.",
    _N.MONITOR_GONE: "Monitor {number} is no longer available.",
    _N.MONITOR_OFF: "It was switched off or unplugged.",
    _N.SWITCH_MONITOR_ON: (
        "Switch it on again and resume, or choose another target (`operator-console targets` lists them)."
    ),
    _N.MONITOR_CHANGED_DURING_CAPTURE: "The monitor changed its size during the capture.",
    _N.TRY_WHEN_STILL: "Try again when the screen has stopped changing.",
    _N.TARGET_SHOWS_BLACK: "{target} shows nothing but black.",
    _N.SCREEN_IN_POWER_SAVING: "The screen is switched off to save power.",
    _N.SCREEN_SAVER_ON: "The screen saver is on.",
    _N.SCREEN_MAY_BE_OFF: "The screen may be switched off, or its content protected or not readable.",
    _N.WAKE_SCREEN: "Wake the screen, or check that the application draws its window, then resume.",
    _N.DISPLAY_GONE: "The display {display} is gone.",
    _N.X_SERVER_ENDED: "The X server ended or closed the connection.",
    _N.START_WHEN_DESKTOP_BACK: "Start again when the desktop is back.",
    # Choosing a target
    _N.NOT_A_TARGET: "“{text}” is not a target.",
    _N.WRITE_TARGET_LIKE: "Write {forms} or {last}; `operator-console targets` lists what is here.",
    _N.VNC_ADDRESS_INVALID: "“{text}” is no address of a VNC machine.",
    _N.WRITE_VNC_ADDRESS_SO: "Write it like vnc:host:5900 or vnc:[2001:db8::1]:5900.",
    _N.VNC_NOT_REACHED: "{address} was not reached.",
    _N.CHECK_VNC_SERVER: (
        "Check the address and the port, and that the machine's VNC server runs and lets this computer in."
    ),
    _N.NOT_VNC_THERE: "What answers at {address} does not speak VNC.",
    _N.CHECK_VNC_PORT: "Check the port; a VNC server has 5900, or 5901 for its display :1.",
    _N.VNC_ASKS_FOR_KEY: "{address} asks for a password.",
    _N.VNC_ASKS_FOR_USER: "{address} asks for a user and a password.",
    _N.VNC_USER_WRONG: "{address} did not accept the user and the password.",
    _N.KEEP_VNC_USER: (
        "Keep them with `operator-console targets key vnc:{address} --user NAME`, or set OPERATOR_CONSOLE_VNC_USER and "
        "OPERATOR_CONSOLE_VNC_PASSWORD."
    ),
    _N.VNC_KEY_WRONG: "{address} did not accept the password.",
    _N.KEEP_VNC_KEY: (
        "Keep it with `operator-console targets key vnc:{address}`, or set OPERATOR_CONSOLE_VNC_PASSWORD."
    ),
    _N.VNC_KEY_INVALID: "That cannot be a password.",
    _N.TYPE_VNC_KEY_SO: "Type it on one line, without control characters.",
    _N.VNC_LOCKED_OUT: "{address} accepts no password for now, because too many were wrong.",
    _N.WAIT_FOR_VNC_LOGIN: "Wait a minute, and check the password with `operator-console targets key vnc:{address}`.",
    _N.VNC_LOGIN_NOT_KNOWN: "{address} offers no way of logging in that this program knows.",
    _N.SET_UP_VNC_LOGIN: "Let its server offer a VNC password, or TLS with a certificate (VeNCrypt, X509Vnc).",
    _N.VNC_FINGERPRINT_IS: "Its fingerprint (SHA-256) is {fingerprint}.",
    _N.VNC_CERTIFICATE_UNKNOWN: "The certificate of {address} has not been accepted yet.",
    _N.ACCEPT_VNC_CERTIFICATE: (
        "Compare the fingerprint on the machine, then accept it with `operator-console targets key "
        "vnc:{address}`."
    ),
    _N.VNC_CERTIFICATE_CHANGED: "The certificate of {address} is another one than you accepted.",
    _N.ACCEPT_NEW_VNC_CERTIFICATE: (
        "If the machine was set up anew, accept the new one with `operator-console targets key vnc:{address}`; if "
        "not, somebody may be between."
    ),
    _N.NOT_A_FINGERPRINT: "“{text}” is no SHA-256 fingerprint.",
    _N.COPY_FINGERPRINT: "Copy its 64 hexadecimal digits, with or without colons.",
    _N.VNC_HANGS: "{address} does not answer.",
    _N.VNC_CONNECTION_LOST: "The connection to {address} is lost.",
    _N.RESUME_RECONNECTS: "Check that the machine runs, then resume: the console connects again and looks first.",
    _N.VNC_POINTER_RELATIVE: "The machine takes only steps of the pointer, so that nothing can be pointed at.",
    _N.ADD_TABLET: (
        "Give it a tablet as a pointing device (QEMU: -device usb-tablet), and wait until its system has started."
    ),
    # A virtual machine's monitor
    _N.QMP_NOT_THERE: "There is no monitor of QEMU at {path}.",
    _N.START_QEMU_WITH_QMP: (
        "Start the virtual machine with -qmp unix:{path},server=on,wait=off, or change the socket in the "
        "machine's settings."
    ),
    _N.QMP_BUSY: "The monitor at {path} does not answer: another program is probably connected to it.",
    _N.CLOSE_OTHER_MONITOR: (
        "Disconnect the other program, or give the virtual machine a second -qmp socket for this console."
    ),
    _N.QMP_SILENT: "The monitor at {path} does not answer.",
    _N.QMP_LOST: "The monitor at {path} has closed the connection.",
    _N.NOT_QMP_THERE: "What answers at {path} does not speak QEMU's QMP.",
    _N.CHECK_QMP_SOCKET: (
        "Check that the virtual machine runs, and that the path in the machine's settings is that of its -qmp "
        "socket."
    ),
    _N.VM_PAUSED: "{name} is paused.",
    _N.LET_VM_RUN: "Let it run again in its own window or monitor, then resume.",
    _N.VM_SHUT_DOWN: "{name} is shut down.",
    _N.START_VM_AGAIN: "Start it again, or go back to a snapshot, then resume.",
    _N.VM_SUSPENDED: "{name} is asleep.",
    _N.WAKE_VM: "Wake it in its own window or monitor, then resume.",
    _N.VM_BUSY: "{name} is standing still while its state is saved, loaded or moved.",
    _N.WAIT_FOR_VM: "Wait until that is done, then resume.",
    _N.VM_CRASHED: "{name} has crashed (QEMU: {status}).",
    _N.RESET_VM_OR_GO_BACK: "Reset it in its own window or monitor, or go back to a snapshot, then resume.",
    _N.VM_DOES_NOT_RUN: "{name} does not run (QEMU: {status}).",
    _N.NO_SNAPSHOT_OF_OURS: "There is no snapshot that this console has taken.",
    _N.TAKE_SNAPSHOT_FIRST: "Take one first; snapshots by others are left alone.",
    _N.DISK_KEEPS_NO_SNAPSHOT: "A disk of the virtual machine is written to and cannot keep snapshots: {disk}.",
    _N.CONVERT_TO_QCOW2: "Shut the machine down and convert the image: qemu-img convert -O qcow2 OLD NEW.",
    _N.VM_HAS_NO_DISK: "The virtual machine has no disk to keep a snapshot on.",
    _N.ADD_QCOW2_DISK: "Give it a disk of the format qcow2; a small one is enough.",
    _N.QEMU_TOO_OLD: "This QEMU cannot take snapshots through its monitor.",
    _N.UPDATE_QEMU: "QEMU 6 or newer can.",
    _N.SNAPSHOT_FAILED: "QEMU has failed to do that with the snapshot.",
    _N.SNAPSHOT_JOB_LOST: "QEMU no longer knows of the snapshot that it was working on.",
    _N.CHECK_SNAPSHOT_IN_QEMU: (
        "Look at the virtual machine before you go on; `info snapshots` in its monitor lists what there is."
    ),
    _N.NO_QMP_SOCKET: "No QMP socket is set for {machine}.",
    _N.SET_QMP_SOCKET: (
        "Set it in the window under Machine settings, or as qmp in the section of {machine} in the settings file."
    ),
    _N.NOT_A_MACHINE: "“{text}” is no machine with settings of its own.",
    _N.WRITE_MACHINE_SO: "Write it like vnc:host:5900 or vm:NAME.",
    _N.PAUSE_BEFORE_SNAPSHOT: "A session is running.",
    _N.PAUSE_OR_STOP_FIRST: "Pause or stop it first.",
    # Managed browsers
    _N.NO_MANAGED_BROWSER: "That is possible only in a browser that this program manages.",
    _N.FILE_DOWNLOADED: "The browser has saved “{name}” from {site}.",
    _N.REQUESTS_BLOCKED: "The browser may not reach {site}, so nothing was sent there.",
    _N.PAGE_DOES_NOT_ANSWER: "The page does not answer.",
    _N.WAIT_OR_RELOAD_PAGE: "Wait, or load the page again.",
    _N.PAGE_HAS_NO_PICTURE: "The browser has no picture of the page.",
    _N.BROWSER_HAS_ENDED: "The browser has ended.",
    _N.START_NEW_SESSION_FOR_BROWSER: "Start a new session, which starts a new browser.",
    _N.PAGE_HAS_CRASHED: "The page has crashed.",
    _N.CONTINUE_LOADS_PAGE_AGAIN: "Continue loads it again.",
    _N.BROWSER_NOT_FOUND: "No browser is installed that the console could start.",
    _N.INSTALL_BROWSER: "Install Chromium or Google Chrome, or name its program in section [browser] of the settings.",
    _N.BROWSER_NOT_STARTED: "The browser did not start.",
    _N.SEE_BROWSER_LOG: "Start {program} by itself to see why.",
    _N.NOT_A_WEB_ADDRESS: "“{text}” is no address that a browser can begin with.",
    _N.WRITE_ADDRESS_SO: "Write it like browser:https://example.org.",
    _N.DIALOG_TAKES_INPUT: "A dialog of the page waits for an answer: answer it first.",
    _N.LIST_IS_OPEN: "A list is open over the page: click one of its rows, or press Escape to close it.",
    _N.PICKER_CLOSED: (
        "The browser's own picker for this field ({kind}) cannot be used here and was closed. Click into the field, "
        "and type its value."
    ),
    _N.PAGE_IS_ANOTHER: "The browser shows another page than in the picture.",
    _N.PAGE_NOT_REACHED: "The page could not be loaded: {error}.",
    _N.ADDRESS_NOT_OPENED: "This browser goes to web pages only, and to files where it began with one.",
    _N.FILE_NOT_DOWNLOADED: "The browser could not save “{name}” from {site}: the download broke off.",
    _N.NO_PAGE_IN_HISTORY: "There is no page to go to in this direction.",
    _N.NO_SUCH_TAB: "There is no tab {number}.",
    _N.NOT_DONE_IN_BROWSER: "The browser did not do it: {error}.",
    _N.NOT_A_DEBUGGING_ADDRESS: "“{text}” is no address of an open browser.",
    _N.WRITE_DEBUGGING_ADDRESS_SO: "Write it like browser:cdp=http://127.0.0.1:9222.",
    _N.OPEN_BROWSER_NOT_FENCED: "What an open browser may reach cannot be limited.",
    _N.USE_OWN_BROWSER: "Use the target browser, or give no sites.",
    _N.OPEN_BROWSER_NOT_REACHED: "The open browser was not reached.",
    _N.START_BROWSER_WITH_PORT: "Start it with --remote-debugging-port=9222 and --user-data-dir of its own.",
    _N.OPEN_BROWSER_IS_OPEN_TO_ALL: (
        "Any program on this computer can use the browser's debugging port, too: it can read its pages and type there."
    ),
    _N.KEY_NOT_FOR_PAGE: "A page cannot be sent the key {key}.",
    _N.CLIPBOARD_IS_THE_DISPLAYS: (
        "In a window the browser has the clipboard of the desktop, which is not for the model. Type the text instead."
    ),
    _N.PAGE_TOOK_NO_INPUT: "The page has not taken the input for {seconds:g} seconds.",
    _N.MACHINE_TOOK_NO_INPUT: "The machine did not confirm the input within {seconds:g} s.",
    _N.MACHINE_NOT_CONNECTED: "The machine could not be reached, so nothing was sent.",
    _N.MACHINE_HAS_NO_CLIPBOARD: "The machine takes no text by its clipboard: what you copied is not pasted.",
    _N.NO_KEY_AND_NO_CLIPBOARD: (
        "The machine was not sent {characters}: no key of its keyboard layout ({layout}) is known for it, and it takes "
        "no text by its clipboard."
    ),
    _N.MACHINE_LOST_DURING_INPUT: "The connection to the machine was lost during the input.",
    _N.MACHINE_SIZE_CHANGED: "The machine's screen changed its size since the picture was taken.",
    _N.MACHINE_GIVES_NO_PICTURE: "The machine gave no picture of the place in time, so nothing was sent.",
    _N.CHARACTERS_WITHOUT_MACHINE_KEY: (
        "The machine's keyboard layout ({layout}) has no key for {characters}, so nothing was typed."
    ),
    _N.NAME_LAYOUT_OR_PASTE: (
        "If the machine has another layout, name it in section [vnc] of the settings; paste = true there lets "
        "such text go through the machine's clipboard."
    ),
    _N.KEY_NOT_FOR_MACHINE: "The machine cannot be sent the key {key}.",
    _N.BUTTON_NOT_FOR_MACHINE: "The machine cannot be sent the button {button}.",
    _N.TOO_MANY_KEYS_HELD: "More keys would be held down than can be released.",
    _N.POINTER_PLACE_NOT_KNOWN: "Where the machine's pointer is, is not known: name a point.",
    _N.RELEASE_LINE_LOST: "The connection to the machine is lost, so that held keys could not be released there.",
    _N.NO_SUCH_MONITOR: "There is no monitor {number}.",
    _N.MONITORS_HERE: "This desktop has {count}.",
    _N.TARGETS_COMMAND_LISTS_THEM: "`operator-console targets` lists them.",
    _N.NOT_A_REGULAR_EXPRESSION: "“{text}” is not a regular expression.",
    _N.EXPRESSION_ERROR_AT: "{error} at position {position}.",
    _N.ESCAPE_SPECIAL_CHARACTERS: "Put a backslash before brackets and other special characters of the title.",
    _N.WINDOWS_FIT: Plural("{count} window fits “{title}”.", "{count} windows fit “{title}”."),
    _N.CHOOSE_WINDOW_BY_ID: "Choose one by its id: --target window:0xID.",
    _N.NO_WINDOW_FITS: "No window fits “{title}”.",
    _N.OPEN_WINDOWS: "Open windows: {windows}.",
    _N.NO_WINDOW_IS_OPEN: "No window is open.",
    _N.OPEN_WINDOW_OR_CHOOSE_TARGET: "Open it first, or choose another target; `operator-console targets` lists them.",
    _N.VIEWER_SHOWS_OTHER: "The viewer's window no longer shows {machine}.",
    _N.SHOW_MACHINE_AGAIN: "Show the machine in it again.",
    _N.MACHINE_IS_PAUSED: "{machine} is paused.",
    _N.LET_MACHINE_RUN: "Let it run on by its viewer.",
    _N.MACHINE_IS_OFF: "{machine} is switched off.",
    _N.START_MACHINE: "Start it by its viewer.",
    _N.VIEWER_HOLDS_POINTER: "The viewer of {machine} holds the pointer, because the machine takes only steps of it "
    "and no positions.",
    _N.GIVE_MACHINE_A_TABLET: "Release the pointer by the viewer's keys, which its title may name, and give the "
    "machine a tablet: “-device usb-tablet” in QEMU, else the viewer's setting for an absolute pointer. It counts once "
    "the machine's system has started.",
    _N.MACHINE_SCREEN_NOT_FOUND: "Where the viewer shows the screen of {machine} is not known.",
    _N.SHOW_MACHINE_IN_FULL_SCREEN: "If the viewer shows a message, connect to the machine or start it. Else show it "
    "in full screen, or switch accessibility on and start the viewer again.",
    _N.VIEWER_COVERS_MACHINE: "{cover} of the viewer lies over the screen of {machine}.",
    _N.A_MENU: "A menu",
    _N.A_TOOL_BAR: "A tool bar",
    _N.CLOSE_VIEWERS_DIALOG: "Answer or close it, or move the pointer away from it.",
    _N.MACHINE_SCREEN_MOVED: "The machine's screen has another place or size since the picture was taken.",
    _N.MACHINES_FIT: Plural("{count} virtual machine fits “{title}”.", "{count} virtual machines fit “{title}”."),
    _N.CHOOSE_MACHINE_BY_ID: "Choose one by its window's id: --target vm:0xID.",
    _N.NO_MACHINE_FITS: "No window shows a virtual machine that fits “{title}”.",
    _N.SHOWN_MACHINES: "Virtual machines with a window: {windows}.",
    _N.NO_MACHINE_IS_SHOWN: "No window of a known viewer shows a virtual machine.",
    _N.OPEN_VIEWER_OR_CHOOSE_TARGET: "Open it in its viewer first, or choose another target; "
    "`operator-console targets` lists them.",
    _N.NOT_A_DESKTOP_SIZE: "“{text}” is not the size of a virtual desktop.",
    _N.WRITE_DESKTOP_SIZE: "Write width x height in pixels, for instance virtual:1440x900 ({least} to {most}).",
    # What a managed browser may reach
    _N.SITE_BLOCKED: "{site} is one of the blocked sites, so nothing was sent there.",
    _N.SITE_NOT_ALLOWED: "{site} is not one of the allowed sites, so nothing was sent there.",
    _N.SITE_IS_LOCAL: "{site} is on this computer or its network, which is not allowed, so nothing was sent there.",
    _N.SITE_UNKNOWN: "No address of {site} was found.",
    _N.SITE_NOT_CONNECTED: "No connection to {site} could be made.",
    _N.SITE_SILENT: "{site} did not answer in time.",
    _N.SITE_UNREADABLE: "The answer of {site} could not be read.",
    _N.SITE_KEPT_BY_PROXY: "The proxy {proxy} made no connection to {site}; it answered {status}.",
    _N.REQUEST_UNREADABLE: "This is no request for an address of the web.",
    # The display and the virtual desktop
    _N.NO_DISPLAY: "There is no display.",
    _N.DISPLAY_NOT_OPENED: "The display {display} cannot be opened.",
    _N.NO_X_SERVER_ANSWERS: "No X server answers there, or it refuses this user.",
    _N.START_FROM_DESKTOP: "Start from a desktop session, set DISPLAY, or use the isolated desktop: --target virtual.",
    _N.DISPLAY_VARIABLE_UNSET: "The variable DISPLAY is not set.",
    _N.START_IN_GRAPHICAL_SESSION: (
        "Start it in a graphical session, or use an isolated desktop: `operator-console run … --target virtual`."
    ),
    _N.WAYLAND_SESSION: "This is a Wayland session, which gives programs no access to the screen and to input.",
    _N.WAYLAND_ALLOWS_VIRTUAL_ONLY: (
        "Monitors and windows cannot be captured or operated here; an isolated desktop and a browser of its own can."
    ),
    _N.WAYLAND_TARGETS: (
        "Wayland session: sessions work on an isolated desktop or in a browser of its own, not on monitors and windows."
    ),
    _N.USE_VIRTUAL_OR_BROWSER: "Use the isolated desktop (--target virtual) or a browser (--target browser).",
    _N.USE_VIRTUAL_DESKTOP: "Use the isolated desktop: --target virtual.",
    _N.OR_LOG_IN_TO_X11: "Or log in to an X11 session (“… on Xorg” at the login screen).",
    _N.SYSTEM_UNSUPPORTED: "This version cannot operate the desktop of {system}.",
    _N.ONLY_X11_SUPPORTED: "Only X11 on Linux is supported. Sessions can still be opened and read here.",
    _N.RUN_ON_LINUX: "Run it on Linux with an X11 session.",
    _N.DISPLAY_DEPTH_UNREADABLE: "The display has {bits} bits a pixel, which cannot be read here.",
    _N.SET_DISPLAY_DEPTH: "Set the display to 24 bits, or use the isolated desktop: --target virtual.",
    _N.NO_KEYBOARD_EXTENSION: "The X server has no keyboard extension.",
    _N.XKEYBOARD_MISSING: "XKEYBOARD is missing.",
    _N.START_SERVER_WITH_XKB: "Start the server with XKB (every current one has it unless started with -kb).",
    _N.XVFB_NOT_INSTALLED: "A virtual desktop needs Xvfb, which is not installed.",
    _N.INSTALL_XVFB: "Install it (on Debian and Ubuntu: sudo apt-get install xvfb openbox).",
    _N.VIRTUAL_DESKTOP_CANCELLED: "The start of the virtual desktop was cancelled.",
    _N.PROGRAM_NOT_STARTED: "{program} did not start.",
    _N.VIRTUAL_DESKTOP_NOT_READY: "The virtual desktop was not ready in time.",
    _N.RUN_XVFB_FOR_MESSAGE: "Run `Xvfb :90` in a terminal to see its error message.",
    _N.PROGRAMS_NOT_SANDBOXED: (
        "The programs of this isolated desktop run without a sandbox: they can reach your files, your display and "
        "other programs of yours."
    ),
    _N.INSTALL_BUBBLEWRAP: (
        "Install bubblewrap (on Debian and Ubuntu: sudo apt-get install bubblewrap); it needs user namespaces."
    ),
    _N.SANDBOX_WITHOUT_NETWORK: "The programs of this isolated desktop have no network: slirp4netns does not run.",
    _N.INSTALL_SLIRP4NETNS: (
        "Install it (on Debian and Ubuntu: sudo apt-get install slirp4netns), or set network = false in the section "
        "[virtual] of the settings."
    ),
    _N.NETWORK_NOT_CUT_OFF: "The network of the isolated desktop cannot be cut off without a sandbox.",
    _N.KEPT_HOME_IN_USE: "Another isolated desktop uses the kept home folder “{name}”.",
    _N.END_OTHER_DESKTOP: "End that session, or name another one as keep in the section [virtual] of the settings.",
    _N.DESKTOP_PROGRAM_NOT_STARTED: "“{name}” did not start on the isolated desktop.",
    _N.CORRECT_DESKTOP_PROGRAMS: "Correct programs in the section [virtual] of the settings.",
    # The model's service
    _N.SERVICE_ANSWER_EMPTY: "The answer was empty.",
    _N.MODEL_ANSWER_EMPTY: "The model's answer was empty.",
    _N.MODEL_ANSWER_WITHOUT_CANDIDATE: "It contains no candidate.",
    _N.MODEL_ANSWER_WITHOUT_CONTENT: "It contains neither text nor a call.",
    _N.CALLS_SHARE_ID: "Two calls have the same id.",
    _N.TOO_MANY_CALLS: "It has more than {most} calls.",
    _N.ANSWER_TOO_LONG: "It is too long.",
    _N.MODEL_ANSWER_UNREADABLE: "The answer could not be read.",
    _N.MODEL_ANSWER_CUT_OFF: "The answer was cut off or malformed.",
    _N.RAISE_ANSWER_LIMIT: "It reached the limit of tokens for one answer: raise the option `{option}`.",
    _N.REQUEST_IS_REPEATED: "The request is repeated a few times.",
    _N.MODEL_TIMED_OUT: "The model did not answer within {seconds:g} s.",
    _N.SERVICE_ASKS_TO_SLOW_DOWN: "{service} asks to slow down.",
    _N.SERVICE_UNAVAILABLE: "{service} is not available at the moment.",
    _N.SERVICE_REJECTED_REQUEST: "{service} rejected the request.",
    _N.REQUEST_NOT_REPEATED: "It is not sent again. The record holds what was sent.",
    _N.SERVICE_REJECTED_KEY: "{service} did not accept the key.",
    _N.ENTER_OTHER_KEY: "Enter another with `operator-console models key {provider}`, or set {variable}.",
    _N.SERVICE_HAS_NO_MODEL: "{service} has no model '{model}' for this key.",
    _N.CHOOSE_LISTED_MODEL: "Choose one that `operator-console models list` shows.",
    _N.NO_SERVICE_AT_ADDRESS: "No {service} model is served at {address}.",
    _N.SERVICE_REDIRECTS: "The address of the {service} service redirects to “{address}”.",
    _N.USE_ADDRESS_IT_LEADS_TO: (
        "What is meant for one address is not sent to another. Where the other one is yours, give that one."
    ),
    _N.LOWER_WHAT_IS_KEPT: (
        "Lower keep_screenshots, keep_turns or max_pixels in the model's options, or raise the service's limit."
    ),
    _N.CHANGE_JSON_MODE: "Set json_mode to json_object or none in the options of the model.",
    _N.FEWER_SCREENSHOTS_FROM_NOW: (
        "The service does not take the request; from now on {count} earlier screenshots are sent (keep_screenshots)."
    ),
    _N.FEWER_TURNS_FROM_NOW: (
        "The service does not take the request; from now on {count} turns are sent in full (keep_turns)."
    ),
    _N.OTHER_JSON_MODE_FROM_NOW: (
        "The service does not take this form of answers; from now on it is asked for with json_mode {mode}."
    ),
    _N.HEADER_VARIABLE_NOT_SET: "A header for {service} needs the environment variable {variable}, which is not set.",
    _N.SET_HEADER_VARIABLE: "Set {variable}, or take it out of extra_headers in the options of the model.",
    _N.NAME_SERVED_MODEL: "Or give the name under which the endpoint serves the model.",
    _N.ADDRESS_ENDS_IN_V1: "Most endpoints have an address that ends in /v1.",
    _N.PREVIEW_MODEL_NEEDS_BETA: "A preview model may need GOOGLE_GENAI_API_VERSION=beta.",
    _N.SERVICE_GAVE_NO_REASON: "The service gave no reason.",
    _N.DAILY_QUOTA_USED_UP: "The day's quota of this model is used up.",
    _N.WAIT_FOR_QUOTA: "Wait until it is renewed, raise it in the vendor's console, or choose another model.",
    _N.SERVICE_TIMED_OUT: "{service} did not answer in time.",
    _N.SERVICE_CONNECTION_FAILED: "The connection to {service} failed.",
    _N.SERVICE_ADDRESS_UNUSABLE: "The address of the {service} service cannot be used.",
    _N.CORRECT_SERVICE_ADDRESS: "Correct or unset {variable}.",
    _N.PROXY_UNUSABLE: "The proxy of the environment cannot be used: {proxy}.",
    _N.CORRECT_PROXY_VARIABLES: "Correct or unset HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, also in lower case.",
    _N.PICTURES_GO_THROUGH_PROXY: "Pictures go through the proxy {proxy}.",
    _N.SERVICE_REJECTED_CONVERSATION: "{service} rejected the conversation.",
    _N.START_FOLLOW_UP: "Start a follow-up task. The actions so far are in the session file.",
    _N.SERVICE_BLOCKED_SCREEN: "{service} blocked this screen or task.",
    _N.CHECK_SCREEN_FOR_HOSTILE_TEXT: (
        "Check the screen before you continue: it may show hostile instructions or sensitive content."
    ),
    _N.NO_SERVICE_KEY: "There is no key for {service}.",
    _N.SET_SERVICE_KEY: "Set {variable}, or enter a key with `operator-console models key {provider}`.",
    # Choosing a provider
    _N.KEY_VARIABLE_UNSET: "{variable} is not set, and the keyring has none.",
    _N.KEY_VARIABLES_UNSET: "Neither {variables} nor {last} is set, and the keyring has none.",
    _N.NO_SUCH_PROVIDER: "There is no provider {provider!r}.",
    _N.USE_ONE_OF: "Use one of: {names}.",
    _N.PROVIDER_NEEDS_MODEL: "The provider {provider!r} needs a model.",
    _N.GIVE_AS_MODEL: "Give {what} as the model.",
    _N.PROVIDER_OF_MODEL_UNKNOWN: "The provider of the model {model!r} is not known.",
    _N.ADD_PROVIDER_OR_CHOOSE_MODEL: "Add --provider, or choose a model from `operator-console models list`.",
    _N.PROVIDER_NOT_LOADED: "The provider {provider!r} cannot be loaded.",
    _N.UPDATE_OR_UNINSTALL_PACKAGE: "Update or uninstall the package that provides it.",
    _N.LOADING_FAILED: "Loading {object} failed: {error}",
    _N.NOT_A_PROVIDER_SPEC: "{object} is not a ProviderSpec.",
    _N.PROVIDER_NAMED_OTHERWISE: "{object} calls itself {name!r}.",
    _N.NO_SERVICE_ADDRESS: "There is no address for {service}.",
    _N.SET_SERVICE_ADDRESS: "Set {variable}, or base_url in the section [{provider}] of the settings.",
    _N.MODEL_VERSION_UNKNOWN: "The name {model!r} does not tell which version of the model it is.",
    _N.SET_OPTION: "Set {option} in the section [{provider}] of the settings.",
    # Calls as the model makes them
    _N.ARGUMENT_MISSING: "Argument {argument!r} is missing.",
    _N.ARGUMENT_EMPTY: "Argument {argument!r} is empty.",
    _N.ARGUMENT_NOT_NUMBER: "Argument {argument!r} is not a number: {value!r}.",
    _N.ARGUMENT_OUT_OF_RANGE: "Argument {argument!r} must be between {low:g} and {high:g}, not {value:g}.",
    _N.ARGUMENT_NOT_TEXT: "Argument {argument!r} is not a text: {value!r}.",
    _N.ARGUMENT_NOT_BOOLEAN: "Argument {argument!r} must be true or false, not {value!r}.",
    _N.ARGUMENT_NOT_DIRECTION: "Argument {argument!r} must be up, down, left or right, not {value!r}.",
    _N.ARGUMENT_WITHOUT_KEY: "Argument {argument!r} names no key.",
    _N.ARGUMENT_NOT_ONE_KEY: "Argument {argument!r} must name one key.",
    _N.ARGUMENT_NOT_BUTTON: "Argument {argument!r} must be left, right, wheel, back or forward, not {value!r}.",
    _N.ARGUMENT_NOT_PATH: "Argument {argument!r} must be a list of 2 to {most} points.",
    _N.ARGUMENT_NOT_SUPPORTED: "Argument {argument!r} of {name!r} is not supported here.",
    _N.ARGUMENTS_NOT_OBJECT: "The arguments are not a JSON object.",
    _N.ARGUMENT_NOT_POINT: "Argument {argument!r} is not a point of two numbers or a box of four: {value!r}.",
    _N.ARGUMENTS_NOT_EXPECTED: "Only one argument is expected. Write a backslash before each quote inside a text.",
    _N.EDGES_IN_WRONG_ORDER: "'right' and 'bottom' must not be smaller than 'left' and 'top'.",
    _N.UNKNOWN_KEY: "Unknown key {name!r}.",
    _N.NEAREST_KEYS: "Nearest: {names}.",
    _N.USE_KEY_NAME: "Use a key name such as enter, tab, f5, or one character.",
    _N.FUNCTION_NAME_RESERVED: "{service} cannot be offered a function with the name {name!r}.",
    _N.FUNCTION_NOT_OFFERED: "The function {name!r} is not available in this session.",
    _N.NO_SUCH_FUNCTION: "There is no function {name!r}. Available: {functions}.",
    _N.RENAME_FUNCTION: "Give the function another name, or leave it out of this session.",
    _N.CALL_UNKNOWN: "“{name}” is not known here.",
    _N.CALL_WITHOUT_ACTION: "The call has no action.",
    _N.CALL_WITHOUT_NAME: "This is not a call of a function that can be read: {text!r}.",
    _N.CALL_REPAIRED: "the model's call was damaged and has been repaired",
    _N.POINTER_UNKNOWN: "The position of the pointer is not known. Move it to where the drag begins first.",
    _N.ARGUMENT_NOT_BOX: "Argument {argument!r} must be a box [[left,top,right,bottom]].",
    _N.GESTURE_NOT_A_LIST: "A gesture needs a list of 1 to 20 actions: KEY_DOWN, KEY_PRESS and KEY_UP.",
    _N.GESTURE_NOT_BALANCED: "A gesture must release each key that it pressed down, and no other.",
    _N.VARIABLE_NAME_WRONG: "A variable is written __CogName_name__, not {value!r}.",
    _N.VARIABLE_WITHOUT_VALUE: "The variable {name} has no value. Fill it first.",
    _N.VARIABLES_TOO_LONG: "The values of the variables have {characters:,} characters; at most {limit:,} fit.",
    _N.VARIABLES_INSERTED: "with the value of {names}",
    _N.OPERATION_MISSING: 'There is no line "Grounded Operation:".',
    _N.ONLY_FIRST_OPERATION: "the model gave several operations; this is the first, and the others are ignored",
    _N.OPERATION_MARKED_SENSITIVE: "The model marked this operation as sensitive.",
    _N.OPERATION_NOT_MARKED: "The model did not say whether this operation is sensitive.",
    _N.CLICKS_POINT_FIRST: "clicks the given point first",
    _N.BY_DEFAULT: "by default: {effects}",
    _N.PRESSES_ENTER: "presses Enter afterwards",
    _N.CLEARS_FIELD: "clears the field",
    _N.WITH_PAGE_KEYS: "with the Page keys",
    _N.HALF_WIDTH_AT_CENTRE: "half the width, at the centre",
    _N.MOST_OF_PAGE_AT_CENTRE: "most of the height, at the centre",
    _N.NO_PROGRAM_IN_BROWSER: "No program can be started here, in a browser. Give the address of a page as url.",
    _N.HTTPS_ADDED: "https:// was added",
    _N.ELEMENT_NOT_ON_SCREEN: (
        "There is no element with the number {number} on this screen. Numbers of earlier screens are no longer valid."
    ),
    _N.OPTION_CHOSEN_BY_TYPING: "the list is opened, the option typed, and Enter pressed",
    _N.WAY_TRIED: "{way}: {outcome}",
    _N.WAY_NOT_OFFERED: "{way}: {reason}",
    _N.WAY_NOW: "Now {way}.",
    _N.BY_NUMBER: "by its number",
    _N.BY_ACCESSIBLE_ACTION: "by its accessible action",
    _N.BY_ACCESSIBLE_FOCUS: "by the accessible focus, then its text",
    _N.BY_ACCESSIBLE_SELECTION: "by its accessible selection",
    _N.BY_TYPED_OPTION: "by keyboard: the list opened, the option typed, and Enter",
    _N.ELEMENT_HAS_NONE: "the element has none.",
    _N.ELEMENT_UNKNOWN_TO_SERVICE: "not known to the accessibility service.",
    _N.NO_KEY_PRESSES_IT: "no key presses an element of this kind.",
    _N.TAB_CANNOT_REACH_IT: "it is not known how often Tab must be pressed.",
    _N.OPTION_CHOSEN_BY_SERVICE: "chosen through accessibility, without opening the list",
    _N.ELEMENT_TRIED_AT_POINT: "at a point of it on the new screen",
    _N.ELEMENT_TRIED_BY_FOCUS: "by keyboard: Tab to it",
    _N.ELEMENT_TRIED_BY_KEYS: "by keyboard: its key or text",
    # Answers to the model
    _N.EARLIER_CALL_NOT_DONE: (
        "Not done, because an earlier call of this turn was not. Look at the new picture and decide again."
    ),
    _N.CALL_SKIPPED: "The operator skipped this call.",
    _N.CALL_LAPSED: "Nobody answered in time, so it was not done.",
    _N.CALL_NEEDS_APPROVAL: "This call needs a human's approval, and nobody is there to give it.",
    _N.CALL_DECLINED: "The operator declined this call. Do not try it again another way.",
    _N.CALL_FORBIDDEN_BY_SERVICE: "The model's service forbids this call; it was not done.",
    _N.CALL_CUT_OFF_BY_STOP: "Not done: the session was stopped.",
    _N.CALL_CUT_OFF_BY_TAKE_OVER: "Not done: the operator took over. Look at the new picture and decide again.",
    _N.CALL_CUT_OFF_BY_PAUSE: "Not done: the session was paused. Look at the new picture and decide again.",
    _N.CALL_CUT_OFF_BY_END: "Not done: the run ended before. Look at the new picture and decide again.",
    _N.RESULT_LOST: "The result was lost when the run ended. Ask for it again if you need it.",
    _N.FUNCTION_RESULT_LOST: "The function ran, but its result was lost when the run ended. Do not simply repeat it.",
    _N.CONVERSATION_CONTINUED: (
        "This session goes on in a new run, and the screen may have changed since. The task is: {task}"
    ),
    _N.CONVERSATION_TOLD_IN_WORDS: "The model is told in words what happened before.",
    _N.CONVERSATION_OF_OTHER_MODEL: "The last turns are those of another model ({model}).",
    _N.CONVERSATION_INCOMPLETE: "The record lacks a part of its last turn.",
    _N.CONVERSATION_UNREADABLE: "The recorded conversation cannot be continued: {problem}",
    _N.OBSERVING_ONLY: "Not done: observing only.",
    _N.OPERATOR_SAYS: "The operator says: {text}",
    _N.CALL_EDITED: "The operator changed this call before it was carried out.",
    _N.INTERRUPTED_BY_OPERATOR: "Interrupted by the operator.",
    _N.INTERRUPTED_BY_PAUSE: "Interrupted: the session was paused.",
    _N.INTERRUPTED_BY_STOP: "Interrupted: the session was stopped.",
    _N.SENT_OF_TOTAL: "{sent} of {total} were sent.",
    _N.LOOK_BEFORE_GOING_ON: "Look at the new picture before going on.",
    _N.OUTCOME_UNKNOWN: "It is not known whether this happened.",
    _N.DO_NOT_REPEAT: "Look at the picture; do not simply repeat it.",
    _N.SCREEN_IS_NOT_AS_SEEN: "Nothing was sent: the screen there is no longer what you saw.",
    _N.CALL_NOT_DONE: "Not done.",
    _N.PICTURE_UNCHANGED: "The picture did not change.",
    _N.DESKTOP_HANDED_BACK: (
        "The operator used the desktop and handed it back. Look at the new picture before you continue."
    ),
    _N.MACHINE_WENT_BACK: (
        "The operator has set the machine back to a snapshot: it is in an earlier state, and what was done on it since "
        "is gone. Look at the new picture before you continue."
    ),
    # The same, to the person
    _N.YOU_DENIED_IT: "You denied it.",
    _N.YOUR_NOTE: "Your note: {text}",
    _N.YOU_TOOK_OVER_FIRST: "You took over first.",
    _N.PAUSED_FIRST: "The session was paused first.",
    _N.SCREEN_CHANGED_FIRST: "Nothing was sent, because the screen there had changed.",
    _N.IT_WAS_INTERRUPTED: "It was interrupted.",
    # Scripts
    _N.SCRIPT_ENDED: "The script has ended.",
    _N.SCRIPT_CONTAINS_ERROR: "The script contains this error.",
    _N.SCRIPT_UNREADABLE: "The script {path} cannot be read.",
    _N.GIVE_SCRIPT_FILE: "As the model, give the path of a JSON file with a list of turns.",
    _N.SCRIPT_MISTAKE: "Turn {turn} of the script {path} has a mistake.",
    _N.SCRIPT_HAS_NO_TURNS: "It has no list of turns.",
    _N.PLACE_IN_CALL: "call {number} ({fields})",
    _N.PLACE_IN_TURN: "the turn ({fields})",
    _N.UNKNOWN_KIND_IN_SCRIPT: "In {place}, the kind “{kind}” does not exist.",
    _N.USE_KIND: "Use one of these kinds: {kinds}.",
    _N.UNREADABLE_IN_SCRIPT: "In {place}: {why}.",
    _N.SEE_HELP_OF_SCRIPTS: "The help page “Events” lists the actions and their fields.",
    # Runbooks: their mistakes
    _N.RUNBOOK_UNREADABLE: "The runbook {path} cannot be read.",
    _N.NOT_UTF8_TEXT: "It is not UTF-8 text.",
    _N.GIVE_RUNBOOK_FILE: "Put the path of a text file after @, or write the steps as the task.",
    _N.RUNBOOK_EMPTY: "The runbook has no steps.",
    _N.WRITE_STEPS_ON_LINES: "Write each step on its own line.",
    _N.RUNBOOK_STEPS: (
        "Steps are click, double-click, right-click, middle-click, type, replace, check, uncheck, press, scroll, drag, "
        "wait for, expect, ask, go to, open tab, close tab, tab, back and forward."
    ),
    _N.RUNBOOK_MISTAKE: "The runbook has a mistake in line {line}, column {column}.",
    _N.QUOTE_NOT_CLOSED: "This text has no closing quotation mark.",
    _N.CLOSE_QUOTE: 'Close it with "; write \\" for one inside.',
    _N.NO_SUCH_ESCAPE: "\\{character} is not an escape.",
    _N.WRITE_ESCAPES: 'Write \\\\ for a backslash, \\" \\n or \\t.',
    _N.NOT_A_STEP: "“{text}” is not a step.",
    _N.STEP_ENDS_BEFORE: "The step ends before “{text}”.",
    _N.PUT_STEPS_ON_LINES: "Put each step on its own line.",
    _N.EXPECTED_BUT_STEP_ENDS: "Expected {expected}, but the step ends.",
    _N.EXPECTED_BUT_FOUND: "Expected {expected}, but found “{found}”.",
    _N.WORD_OF_STEP: "“{word}”",
    _N.TEXT_IN_QUOTES: "a text in quotes",
    _N.TEXT_TO_TYPE_IN_QUOTES: "the text to type, in quotes",
    _N.NEW_TEXT_IN_QUOTES: "the new text in quotes",
    _N.QUESTION_IN_QUOTES: "a question in quotes",
    _N.ADDRESS_OF_PAGE: "the address of a page",
    _N.WRITE_ADDRESS: "For example: go to https://example.org",
    _N.PUT_IN_QUOTES: 'Put it in quotes: "like this".',
    _N.TEXT_EMPTY: "This text is empty.",
    _N.WRITE_TEXT_ON_SCREEN: "Write a text that is on the screen.",
    _N.WRITE_TEXT_TO_TYPE: "Write the text to type.",
    _N.WRITE_QUESTION: "Write the question.",
    _N.HOW_TO_CLEAR_FIELD: 'To clear a field, use three steps: click "its label"; press Ctrl+A; press Delete',
    _N.KEYS_EXPECTED: "Expected keys after “press”.",
    _N.KEYS_EXAMPLE: "For example: press Ctrl+S.",
    _N.WRITE_KEYS_LIKE: "Write keys like Ctrl+S, Enter, Page_Down or F5.",
    _N.DIRECTION_EXPECTED: "Expected up, down, left or right after “scroll”.",
    _N.SCROLL_EXAMPLE: "For example: scroll down 3.",
    _N.NUMBER_EXPECTED: "Expected a number from {least} to {most}.",
    _N.WRITE_DIGITS: "Write the number in digits.",
    _N.NOT_A_ROLE: "“{name}” is not a role of a control.",
    _N.USE_ROLE: "Use one of these, or none: {roles}.",
    # Runbooks: their run
    _N.STEP_OF_LINE: "line {line}: {step}",
    _N.LINE_SAYS: "Line {line}: {text}",
    _N.NAME_ON_SCREEN: "{name} is on the screen.",
    _N.NAME_NOT_ON_SCREEN: "{name} is not on the screen (searched for {seconds:g} s).",
    _N.NAME_NOT_ON_SCREEN_YET: "{name} is not on the screen yet; searching for another {seconds:.0f} s.",
    _N.CHECKED_ALREADY: "{name} is already checked.",
    _N.UNCHECKED_ALREADY: "{name} is already unchecked.",
    _N.CHECKED_UNKNOWN: (
        "Whether {name} is checked cannot be seen, because the application tells no elements. Use click "
        "instead."
    ),
    _N.PLACE_BESIDE_LABEL_USED: "No field was found at {label}, so the place to the right of it is used.",
    _N.ROLE_NOT_CHECKED: "The application tells no elements: that it is a {role} was not checked.",
    _N.WHICH_ONE_IS_MEANT: Plural(
        "{name} appears {count} time. Which one is meant?", "{name} appears {count} times. Which one is meant?"
    ),
    _N.CONTROL_AT: "{control}, at {x}, {y}",
    _N.CONTROL_NEAR_AT: "{control} near “{other}”, at {x}, {y}",
    _N.CHOICE_NOT_MADE: "The question which place is meant was not answered (line {line}, {step}).",
    _N.ANSWER_WAS_NO: "The answer was no (line {line}, {step}).",
    _N.RUNBOOK_ENDED_AT_STEP: "The runbook ended at line {line}, {step}.",
    _N.MESSAGE_IS_NO_STEP: "A runbook understands only steps. This is not one: {message}",
    _N.STEPS_ADDED: Plural("{count} step added.", "{count} steps added."),
    _N.CONTINUE_AT_WHICH_STEP: "This runbook was run before. At which step should it continue?",
    _N.STEP_NOT_CHOSEN: "The question at which step to continue was not answered.",
    _N.CONTINUE_RUNBOOK: "continue the runbook",
    _N.RUNBOOK_ENDED: "the runbook has ended",
    _N.RUNBOOK_DONE: Plural(
        "The {count} written step of the runbook is done.", "All {count} written steps of the runbook are done."
    ),
    # Settings and keys
    _N.SETTINGS_UNUSABLE: "The settings file “{path}” cannot be used.",
    _N.CORRECT_SETTINGS_FILE: "Correct the file, or move it away to use the defaults. It was not changed.",
    _N.NOT_UTF8_AT_BYTE: "It is not UTF-8 text (byte {byte}).",
    _N.NOT_TOML: "It is not valid TOML: {error}.",
    _N.NO_SUCH_SETTING: "There is no setting “{setting}”.",
    _N.WHOLE_FILE: "the file",
    _N.SETTING_INVALID: "“{setting}”: {problem}.",
    _N.SETTING_INVALID_VALUE: "“{setting}”: {problem} (it is {value}).",
    _N.SETTINGS_NOT_WRITABLE: "The settings file “{path}” cannot be written.",
    _N.SETTINGS_UNCHANGED: "The previous settings are unchanged.",
    _N.FREE_SPACE_AND_CHANGE_AGAIN: (
        "Free some space, or give yourself permission to write there. Then change the setting again."
    ),
    _N.FOLDER_NOT_CREATED: "The folder “{path}” cannot be created.",
    _N.CREATE_FOLDER_OR_SET_HOME: "Create it yourself, or set {variable} to a folder that you may write to.",
    _N.KEY_INVALID: "This is not a valid key.",
    _N.KEY_EMPTY_OR_WITH_SPACES: "It is empty, or contains spaces or control characters.",
    _N.KEY_OF_VARIABLE_INVALID: "{variable} holds no valid key.",
    _N.KEY_OF_KEYRING_INVALID: "The keyring holds no valid key.",
    _N.KEY_WITH_FOREIGN_CHARACTERS: (
        "A key is made of unaccented letters, digits and signs such as - and _; it has no spaces, no line breaks and "
        "no quotation marks around it."
    ),
    _N.COPY_KEY_AGAIN: "Copy the key again, completely and without other text.",
    _N.SET_VARIABLE_AGAIN: "Then set {variable} to it.",
    _N.STORE_KEY_AGAIN: "Then store it anew.",
    _N.PROVIDER_NEEDS_NO_KEY: "“{provider}” is not a provider that needs a key.",
    _N.PROVIDERS_THAT_NEED_KEYS: "`operator-console models list` shows the providers that do.",
    _N.KEYRING_UNUSABLE: "There is no keyring that stores secrets safely.",
    _N.KEYRING_MISSING: "No keyring was found.",
    _N.KEYRING_STORES_NOTHING: "The null keyring does not store anything.",
    _N.KEYRING_STORES_PLAINLY: "It stores secrets in a readable file.",
    _N.KEYRING_NOT_LOADED: "It cannot be loaded ({error}).",
    _N.KEYRING_FAILED: "It failed ({error}).",
    _N.KEYRING_NOT_READ: "It cannot be read ({error}; is it locked?).",
    _N.SET_UP_KEYRING: (
        "Set up the keyring of the desktop (GNOME Keyring, KWallet, Keychain, Credential Manager), "
        "or set an environment variable in this shell, for example GEMINI_API_KEY."
    ),
    # Model profiles
    _N.NO_SUCH_PROFILE: "There is no model profile “{profile}”.",
    _N.PROFILES_KNOWN: "These are in the settings: {names}.",
    _N.CREATE_PROFILE: "Make it in the window, or with operator-console models profile add.",
    _N.PROFILE_EXISTS: "There is a model profile “{profile}” already.",
    _N.CHOOSE_OTHER_PROFILE_NAME: "Choose another name.",
    _N.PROFILE_NAME_IS_PROVIDER: "“{profile}” is the name of a provider.",
    _N.PROFILE_INVALID: "The model profile “{profile}” cannot be used like this.",
    _N.CORRECT_PROFILE: "Correct it and try again. Nothing was saved.",
    _N.PROFILE_PROVIDER_MISSING: "The provider “{provider}” of the model profile “{profile}” is not installed.",
    _N.INSTALL_PROVIDER_OR_CHANGE_PROFILE: "Install the package that provides it, or choose another provider for it.",
    _N.PROFILE_CHANGED_PROVIDER: "The model profile “{profile}” is now one of the provider “{provider}”.",
    _N.CHOOSE_MODEL_AGAIN: "Start a new session with the model that you want.",
    _N.PROFILE_WITH_MODEL: "--profile says which provider and model to use, and so does {option}.",
    _N.LEAVE_OUT_ONE_OR_MAKE_PROFILE: "Leave one of them out, or make a profile with that model.",
    _N.PROFILE_HAS_NO_VALUE: "The model profile has no value {what!r} that could be removed.",
    _N.OPTION_WITHOUT_VALUE: "The option {option!r} has no value.",
    _N.WRITE_OPTION_LIKE: "Write it like --option keep_screenshots=2.",
    # Checks of a model
    _N.CHECK_ADDRESS_AND_NETWORK: "Check the address, your network, and whether the service is running.",
    _N.CHECK_DIALECT: "Check the address, and whether this is the right provider for what answers there.",
    _N.CHECK_AGAIN_LATER: "Wait a little and check again. A session would do so by itself.",
    _N.CHECK_FAILED_AT_SECOND_REQUEST: (
        "The first request of a session was answered; the second, with the result of the call and another picture, was "
        "not."
    ),
    _N.CHECK_ANSWERS_OF_SERVICE: (
        "A session would ask a few times more, and then fail. Check how the service runs this model, and the limit of "
        "tokens in the options of the model."
    ),
    _N.CHECK_WHAT_IS_KEPT: (
        "A session would get no further. Where it is about the number of pictures or the length of the request, lower "
        "keep_screenshots or keep_turns in the options of the model."
    ),
    # Word tables of policy
    _N.WORD_TABLE_UNUSABLE: "The word table “{path}” cannot be used.",
    _N.CORRECT_OR_REINSTALL: "Correct it, or install the program again.",
    _N.NO_WORD_TABLE: "It contains no *.toml file.",
    _N.WORD_TABLE_CUT_OFF: "It ends at line {line} and has no section {sections}.",
    _N.NOT_UTF8_IN_LINE: "Line {line} is not UTF-8: {error}.",
    _N.UNKNOWN_WORD_SECTION: "Line {line}: {section}: not a section of a word table.",
    _N.WORD_SECTION_EMPTY: "Line {line}: [{section}] must contain at least one of: {lists}.",
    _N.UNKNOWN_WORD_LIST: "Line {line}: {list} is not a list of [{section}], which may contain: {lists}.",
    _N.WORD_LIST_EMPTY: "Line {line}: {list} of [{section}] must be a list of texts, and not empty.",
    _N.WORD_EMPTY: "Line {line}: {list} of [{section}] must hold texts that are not empty, not {item}.",
    # The program, its window and its commands
    _N.SESSION_IS_RUNNING: "A session is already running.",
    _N.STOP_OR_WAIT_FOR_END: "Stop it, or wait until it ends.",
    _N.STOP_NOT_RESET_NOW: "The stop cannot be reset now.",
    _N.STOP_NOT_RESET: "The stop was not reset.",
    _N.RUN_STOP_FIRST: "First run operator-console stop.",
    _N.RESET_NOT_CONFIRMED: "The reset was not confirmed.",
    _N.INPUT_EMPTY: "Standard input is empty and not a terminal.",
    _N.CONFIRM_IN_TERMINAL: "Run it in a terminal, or add --yes.",
    _N.RUN_FOLDER_UNUSABLE: "The folder for runtime files cannot be used.",
    _N.MAKE_RUN_FOLDER_USABLE: (
        "Free some space, give yourself permission to write there, or set OPERATOR_CONSOLE_HOME."
    ),
    _N.SPEED_INVALID: "--speed is not a number from 0 up.",
    _N.SPEED_OF_REAL_TIME: "Use 1 for real time, or 0 for at once.",
    _N.TASK_EMPTY: "The task is empty.",
    _N.DESCRIBE_TASK: 'Describe the task: operator-console run "Open the calculator".',
    _N.MAX_STEPS_TOO_SMALL: "--max-steps {steps} is too small.",
    _N.USE_ONE_OR_MORE: "Use 1 or more.",
    _N.MAX_MINUTES_INVALID: "--max-minutes {minutes} is not a valid time.",
    _N.USE_POSITIVE_NUMBER: "Use a number above 0.",
    _N.SESSION_PATH_TAKEN: "“{path}” already exists.",
    _N.CHOOSE_NEW_FILE_OR_RESUME: "Choose a new file for --session, or continue that session with --resume.",
    _N.SESSION_FOLDER_MISSING: "The folder of “{path}” does not exist.",
    _N.CREATE_OR_CHOOSE_FOLDER: "Create it, or choose another folder for --session.",
    _N.ALLOW_UNKNOWN_CATEGORY: "--allow {category}: there is no such category.",
    _N.ALLOW_NEVER_POSSIBLE: "--allow {category}: this always needs your confirmation.",
    _N.ALLOW_NEEDS_AUTO: "--allow needs --autonomy auto.",
    _N.ADD_AUTO_OR_REMOVE_ALLOW: "Add --autonomy auto, or remove --allow.",
    _N.WINDOW_DOES_NOT_ANSWER: "The console’s window is already open on this display, but it does not answer.",
    _N.CLOSE_OR_END_OTHER_WINDOW: "Close that window, or end its process, and start again.",
    _N.OTHER_INTERFACE_IN_PROCESS: "Another user interface runs in this process.",
    _N.START_CONSOLE_BY_ITSELF: "Start the console by itself.",
    _N.COMMAND_FAILED: "An internal error occurred.",
    _N.COMMAND_NOT_COMPLETED: "{error}. The command was not completed.",
    _N.SEE_LOG_FILE: "For details, see the log: {path}",
    _N.CONSOLE_TASK_FAILED: "Something went wrong in the console itself.",
    _N.SESSION_CONTINUES: "See the log for details. A running session continues and can be stopped.",
    _N.PREVIEW_STOPPED: "The live preview stopped.",
    _N.CHOOSE_TARGET_AGAIN: "Choose the target again.",
    _N.ENDED_WITHOUT_REASON: "It ended without giving a reason. See the log for details.",
    _N.DOCTOR_TEST: "Test by doctor",
    # Practice
    _N.PRACTICE_NOT_OPENED: "The practice window did not open.",
    _N.NOT_APPEARED_IN: "It did not appear within {seconds:g} s.",
    _N.EXITED_WITH_CODE: "It exited with code {exit_code}.",
    _N.CHECK_DISPLAY_WITH_DOCTOR: "Run operator-console doctor to check the display and PySide6.",
    # Tests of targets
    _N.TARGET_TEST_TASK: "Test of {target}: point at marks, type a word, and stop.",
    _N.TARGET_TEST_STOP: "The Test of the target asked for this stop.",
    _N.TEST_OF_PICTURE: "Picture",
    _N.TEST_OF_MARK: "Mark {number}",
    _N.TEST_OF_PLACE: "Place {number}",
    _N.TEST_OF_WORD: "Word",
    _N.TEST_OF_STOP: "Stop",
    _N.TEST_PICTURE_TAKES: "A picture takes {milliseconds:.0f} ms, about {rate:.0f} a second.",
    _N.TEST_ERROR_PX: "Error: {pixels:g} px.",
    _N.TEST_MARK_NOT_SEEN: "It is not in the picture.",
    _N.TEST_MOVE_WHAT_COVERS: "Move what lies over the test window, and test again.",
    _N.TEST_NO_PRESS: "No press arrived there.",
    _N.TEST_POINTED_WRONG: "Nothing may be clicked on this target before this is right. See the troubleshooting page.",
    _N.TEST_POINTER_NOT_TOLD: "Moved there. This target does not tell where its pointer is.",
    _N.TEST_POINTER_ELSEWHERE: "The pointer was not found there.",
    _N.TEST_WORD_ARRIVED: "“{word}” arrived as it was typed.",
    _N.TEST_WORD_WRONG: "“{got}” arrived in place of “{word}”.",
    _N.TEST_CHECK_LAYOUT: "Check the keyboard layout of the target, and what holds its keyboard focus.",
    _N.TEST_TYPES_NOTHING: "Typing would change what is there.",
    _N.TEST_STOPPED_TYPING: "Stopped after {done} of {all} characters. Nothing arrived later, and no key is held.",
    _N.TEST_STOPPED_TYPING_LATE: (
        "Stopped after {done} of {all} characters. The last one was sent {milliseconds:.0f} ms after the "
        "stop; nothing arrived later, and no key is held."
    ),
    _N.TEST_STOPPED_MOVING: "Stopped after {done} of {all} motions. The pointer did not move any more.",
    _N.TEST_STOPPED_MOVING_LATE: (
        "Stopped after {done} of {all} motions, the last one {milliseconds:.0f} ms after the stop. The "
        "pointer did not move any more."
    ),
    _N.TEST_STOP_TOO_LATE: "Everything was sent before the stop.",
    _N.TEST_STOP_LEAKED: "Something arrived after the stop: {done} characters at the stop, {later} later.",
    _N.TEST_STOP_MOVED: "The pointer moved after the stop.",
    _N.TEST_STOP_HELD: "Keys that are still held there: {count}.",
    _N.TEST_STOPPED_BY_PERSON: "The Test was stopped, or ended, before it came to this.",
    _N.TEST_DO_NOT_USE: "Start no session on this target, and run operator-console doctor.",
    _N.TEST_THEN_RESET: "The Test ends with a stop, as every stop does: Reset makes sessions possible again.",
})  # fmt: skip
