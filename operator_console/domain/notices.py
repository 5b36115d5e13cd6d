"""What this program says in a record or an error, as codes with values, and the words of each code in English.

A record holds both: the English text, and the notices that it renders, by which a reader of another language, or
another program, can word it. Codes and the names of their values are part of the event contract: additions only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self, TypeAlias

from operator_console.domain.translations import N_, NN_, Words


class NoticeCode(StrEnum):
    """Each sentence of a record or an error, with its words. `verbatim` stands for text by others between sentences of
    ours, `listed` for the comma between the parts of an enumeration, `lines` for the line break between sentences.

    A code is its name in lower case; a member's value and name in the record never change.
    """

    words: Words

    def __new__(cls, code: str, *words: Words) -> Self:  # by its code alone, a member is looked up
        member = str.__new__(cls, code)
        member._value_ = code
        (member.words,) = words
        return member

    VERBATIM = N_("{text}")
    # Translators: puts two things of an enumeration together, as in: a, b.
    LISTED = N_("{first}, {second}")
    # Translators: puts two texts into lines of their own.
    LINES = N_("{first}\n{second}")
    # Limits and pauses
    STEP_LIMIT_REACHED = NN_("The limit of {count} step is reached.", "The limit of {count} steps is reached.")
    TIME_LIMIT_REACHED = NN_(
        "The limit of {minutes:g} minute is reached.", "The limit of {minutes:g} minutes is reached.", by="minutes"
    )
    COST_LIMIT_REACHED = N_("Spent {spent} of {limit}.")
    COST_LIMIT_NOT_KEPT = N_("The model's service reports no tokens, so the limit of {limit} cannot be kept.")
    NEXT_REQUEST_COSTS = N_("The next request would cost about {amount}.")
    WHOLE_RUN_COSTS = N_("Up to its step or time limit, the run would cost about {amount}.")
    CALLS_DECLINED_IN_A_ROW = NN_("{count} call in a row was declined.", "{count} calls in a row were declined.")
    CALLS_DECLINED = NN_("{count} call was declined.", "{count} calls were declined.")
    QUESTIONS_UNANSWERED = NN_(
        "{count} question could not be answered by anybody.",
        "{count} questions in a row could not be answered by anybody.",
    )
    PAUSED_FOR_CAUSE = N_("Paused ({cause}).")
    ENDED_BY_OPERATOR = N_("You ended the session.")
    ENDED_BY_OPERATOR_WHY = N_("You ended the session: {why}")
    PAUSED_AND_NOT_RESUMED = N_("Paused ({cause}), and nobody resumed.")
    CONTINUE_QUESTION = N_("Continue?")
    CONTINUE_FOR_AMOUNT = N_("Continue for another {amount}?")
    CONTINUE_AT_UNKNOWN_COST = N_("Continue at a cost that is not known?")
    TOKENS_NOT_REPORTED = N_("The model's service reports no tokens.")
    COST_NOT_KNOWN = N_("What this session costs is not known.")
    PRICE_INVALID = N_("{price} is not a price.")
    WRITE_PRICE_SO = N_(
        "Write the prices of a million input and output tokens, such as --price 0.30/2.50, or with that "
        "of cached input, such as --price 0.30/2.50/0.075."
    )
    NOT_A_SITE = N_("{site} is not a site.")
    WRITE_SITE_SO = N_("Write a host such as example.org, *.example.org for its subdomains, or either with a port.")
    CURRENCY_INVALID = N_("{currency} is not a currency.")
    WRITE_CURRENCY_SO = N_("Write up to 8 letters or a sign, such as EUR.")
    AMOUNT_INVALID = N_("{option} {amount} is not an amount.")
    WRITE_AMOUNT_SO = N_("Write a number such as 1 or 2.50.")
    COST_LIMIT_INVALID = N_("{amount} is not a valid cost limit.")
    COST_LIMIT_WITHOUT_PRICE = N_("A cost limit needs the price of the model's tokens.")
    GIVE_PRICE_OR_NO_COST_LIMIT = N_("Choose a profile with a price, give one with --price, or leave the limit out.")
    SCREEN_LOCKED = N_("The screen was locked.")
    HOLD_KEY_UP = N_("The model acts while you hold the key or the button “Hold to run”.")
    HAND_STAYS = N_("Mouse or keyboard were used all the time.")
    HAND_ON_DEVICES = N_("You used the mouse or keyboard while the model was acting.")
    PAUSE_KEYS_PRESSED = N_("{keys:chord} was pressed.")
    MACHINE_SUSPENDED = N_("The machine was suspended.")
    SAFETY_QUESTION_LAPSED = N_("You did not answer in time, so it was denied.")
    SERVICE_BLOCKED_CALL = N_("The model's service blocked a call.")
    FUNCTIONS_WITH_SAME_NAME = N_("Two functions are named {names}.")
    RENAME_OR_REMOVE_ONE = N_("Rename or remove one of them.")
    # Stops
    OUTPUT_CLOSED = N_("The output was closed.")
    # Translators: {signal} is what ended the run, as in: Ctrl-C.
    SIGNAL_RECEIVED = N_("{signal}.")
    TERMINAL_CLOSED = N_("Terminal closed")
    ACTION_BEING_EDITED = N_("An action is being edited.")
    CONSOLE_CLOSED = N_("The console was closed.")
    STOPPED_FOR_CAUSE = N_("Stopped ({cause}).")
    STOP_IN_WINDOW = N_("Stop was pressed in the window.")
    STOP_COMMAND = N_("The stop command was run.")
    STOP_KEYS_FROM_PROGRAM = N_(
        "A program sent the keys. A remote desktop such as x11vnc sends a person's keys that way too."
    )
    STOP_KEYS_FROM_ANYBODY = N_("Whether a person or a program sent the keys cannot be told on this display.")
    INPUT_NOT_TOLD_FROM_PROGRAMS = N_(
        "Input of this session cannot be told from programs'. So your use of the mouse or keyboard does not pause the "
        "model, and a program's yes counts as yours. The stop keys and the screen corners stop it."
    )
    INPUT_OF_X11VNC_NOT_TOLD = N_(
        "x11vnc shows this screen elsewhere. Input from there cannot be told from programs'. So it does not pause the "
        "model, and Start and Allow do not count unless [approval] only_devices is switched off. The stop keys and the "
        "screen corners stop it."
    )
    TOP_LEFT_CORNER = N_("the top-left corner of monitor {monitor}")
    TOP_RIGHT_CORNER = N_("the top-right corner of monitor {monitor}")
    BOTTOM_LEFT_CORNER = N_("the bottom-left corner of monitor {monitor}")
    BOTTOM_RIGHT_CORNER = N_("the bottom-right corner of monitor {monitor}")
    POINTER_IN_CORNER = N_("The pointer was put into {corner}.")
    CONSOLE_SILENT_MS = N_("The console did not answer for {milliseconds} ms.")
    CONSOLE_SILENT = N_("The console did not answer for {seconds:g} s.")
    CONSOLE_ENDED = N_("The console ended without disarming ({error}).")
    CONSOLE_ENDED_AT_START = N_("The console ended while the session started.")
    PROGRAM_ENDING = N_("The program is ending.")
    WINDOW_CLOSED = N_("The window was closed.")
    INTERNAL_ERROR = N_("An internal error ended the session ({error}).")
    STOPPED_BEFORE_SESSION = N_("Stopped before the session began.")
    INTERNAL_ERROR_ENDED_SESSION = N_("An internal error ended the session.")
    LOG_AND_RECORD_HAVE_DETAILS = N_("The log has the details. What was done until then is in the record.")
    # The guard and the stop
    GUARD_STARTING = N_("The guard is starting.")
    GUARD_SILENT = N_("The guard does not answer.")
    GUARD_ENDED = N_("The guard ended.")
    GUARD_FAILED = N_("The guard failed: {error}.")
    GUARD_TERMINATED = N_("The guard was told to end.")
    GUARD_UNAVAILABLE = N_("The stop is not available.")
    GUARD_PROCESS = N_("The guard process: {text}")
    GUARD_PROCESS_ENDED = N_("It ended.")
    NOTHING_CAN_BE_STARTED = N_("Nothing can be started now.")
    START_SESSION_FIRST = N_("Start a session first.")
    RUN_DOCTOR = N_("Run `operator-console doctor`.")
    STOP_NOT_TESTED = N_("not proven yet")
    STOP_NOT_WORKING = N_("The stop is not working.")
    STOP_NEEDED_TO_RESUME = N_("The session can resume once the stop works again.")
    STOP_WITHOUT_DISPLAY = N_("No display: stop keys are not heard. Stop with `operator-console stop` or Ctrl-C.")
    STOP_NOT_HEARD_OVER_XWAYLAND = N_(
        "{display} is the X server of a Wayland session, where stop keys are heard over X windows only."
    )
    START_IN_WAYLAND_SESSION = N_("Start the console in a terminal of that session, where WAYLAND_DISPLAY is set.")
    STOP_IN_WAYLAND_SESSION = N_(
        "Wayland session: stop keys are not heard. Stop with `operator-console stop` or Ctrl-C."
    )
    STOP_COMMAND_NOT_HEARD = N_("`operator-console stop` does not reach this session: {error}.")
    NO_KEYCODE_FOR_STOP_TEST = N_("No keycode is free for the test of the stop keys.")
    STOP_TEST_NOT_SENT = N_("The test of the stop keys could not be sent: {error}.")
    STOP_TEST_NOT_HEARD = N_("The test of the stop keys did not reach {listener}.")
    FIRST_LISTENER = N_("the first listener")
    SECOND_LISTENER = N_("the second listener")
    STOP_TEST_NOT_HEARD_TWICE = N_("The test of the stop keys reached neither of the two listeners.")
    FIRST_LISTENER_ENDED = N_("The first listener for the stop keys has ended.")
    SECOND_LISTENER_ENDED = N_("The second listener for the stop keys has ended.")
    DISPLAY_CONNECTION_LOST = N_("The display is gone: {error}.")
    CONNECTION_CLOSED_BY_X_SERVER = N_("the X server closed the connection")
    X_SERVER_CLOSED_CONNECTION = N_("The X server closed the connection.")
    INPUT_EVENT_HANGS = N_("An input event in progress did not end within {seconds:g} s.")
    INJECTOR_ENDED = N_("The injector process ended unexpectedly.")
    INJECTOR_NOT_RESTARTED = N_("The injector process could not be restarted.")
    INJECTOR_NOT_STARTED = N_("The injector did not start.")
    INJECTOR_START_IN_LOG = N_("The injector process did not start; its message is in the log.")
    DISPLAY_STOPPED = N_("The display is stopped.")
    STOPPED_WITHOUT_DISPLAY = N_("Sessions without a display are stopped.")
    REASON_WITH_DETAIL = N_("{reason} ({detail})")
    REASON = N_("Reason: {reason}.")
    REASON_SINCE = N_("Reason: {reason}, since {time}.")
    ITS_RECORD = N_("Its record: {path}")
    LOOK_RESET_AND_START = N_(
        "Look at the screen, reset (`operator-console reset`, or Reset in the app), then start again."
    )
    STOPPED_WHILE_STARTING = N_("Stopped while starting.")
    RESET_AND_START = N_("Reset, then start again.")
    START_CALLED_OFF = N_("The start was called off.")
    START_AGAIN = N_("Start again.")
    CONSOLE_HAS_SESSION = N_("A session of this console is already running.")
    END_IT_FIRST = N_("End it first.")
    DISPLAY_IN_USE = N_("Another console is using this display.")
    RUNNING_WITHOUT_DISPLAY = N_("Another session without a display is running.")
    ARMED_SESSION_HOLDS_DISPLAY = N_("An armed session holds {display}.")
    END_OTHER_SESSION_FIRST = N_("End it first; `operator-console status` names it, `operator-console stop` stops it.")
    STOP_NOT_LIVE = N_("The stop is not live.")
    NO_SESSION_WITHOUT_STOP = N_("No session starts without a working stop. Run `operator-console doctor` for details.")
    STOP_NOT_HEARD = N_("The stop cannot be heard.")
    STOP_NOT_HEARD_ON_SYSTEM = N_("The stop cannot be heard on this system.")
    NO_LISTENER_FOR_SYSTEM = N_("There is no listener for {system}; X11 is needed.")
    USE_LINUX_WITH_X = N_("Use a Linux desktop with an X server.")
    STOP_NOT_HEARD_ON_X_SERVER = N_("The stop cannot be received on this X server.")
    KEYS_NOT_TOLD_APART = N_("A person's keys cannot be told from a program's: {reason}.")
    XINPUT_MISSING = N_("the XInput extension is missing")
    XINPUT_TOO_OLD = N_("its XInput is {major}.{minor}, 2.1 is needed")
    USE_CURRENT_X_SERVER = N_("Use a current X server; the isolated desktop (--target virtual) has one.")
    HOTKEY_UNUSABLE = N_("The hotkey {hotkey!r} cannot be used.")
    HOTKEY_NEEDS_MODIFIER_AND_KEY = N_("It needs Ctrl, Alt or Super and exactly one other key.")
    WRITE_HOTKEY_LIKE = N_("Write it like <ctrl>+<alt>+x in the settings.")
    HOTKEYS_ARE_SAME = N_("Two hotkeys are the same.")
    CHANGE_ONE_HOTKEY = N_("Change one.")
    RUN_FOLDER_NOT_WRITABLE = N_("The run folder cannot be written.")
    MAKE_ROOM_IN_RUN_FOLDER = N_("Make room there, or set $OPERATOR_CONSOLE_HOME to another folder.")
    GUARD_ERROR = N_("The guard failed.")
    SESSION_USES_DISPLAY = N_("A session is using this display; stop or end it first.")
    HELD_INPUT_NOT_RELEASED = N_("What the last session held cannot be released: {output}")
    HELD_INPUT_DISPLAY_SILENT = N_("What the last session held cannot be released: the display does not answer.")
    # The record
    DISK_SLOW = N_("The disk is slow.")
    DISK_SLOW_EFFECT = N_("Actions wait until the record is written. Nothing is lost, and Stop works.")
    RECORD_STILL_NOT_WRITABLE = N_("The record still cannot be written.")
    NOT_SENT_RECORD_LATE = N_("Nothing was sent: the record was not written in time.")
    SESSION_FILE_UNUSABLE = N_("The session file “{path}” cannot be used.")
    SESSION_FILE_NOT_WRITABLE = N_("The session file “{path}” cannot be written.")
    SESSION_FILE_CLOSED = N_("The session file “{path}” is closed.")
    DISK_FULL_NO_ACTION = N_("The disk is full. No action runs without being recorded.")
    DISK_FULL = N_("The disk is full.")
    DISK_QUOTA_USED_UP = N_("Your disk quota is used up.")
    FILE_SIZE_LIMIT = N_("The file may not grow any further.")
    FILE_IO_FAILED = N_("Writing or reading failed (a faulty or full disk, or a size limit).")
    FILE_READ_ONLY = N_("It is read-only.")
    DISK_READ_ONLY = N_("The disk is read-only.")
    FILE_NOT_PERMITTED = N_("You have no permission to write there.")
    FILE_MISSING = N_("The file or its folder does not exist.")
    FOLDER_IS_FILE = N_("Its folder is not a folder.")
    FILE_EXISTS = N_("It already exists, and a new session needs a new file.")
    FILE_NOT_OPENED = N_("It cannot be opened or created there.")
    FILE_NOT_SESSION = N_("It is not a session file, or it was overwritten.")
    FILE_DAMAGED = N_("It is damaged.")
    FILE_IN_USE = N_("Another program is using it.")
    FREE_SPACE = N_("Free some space, or choose a file on another disk with --session.")
    CHOOSE_WRITABLE_FOLDER = N_("Choose a folder that you may write to with --session, or set OPERATOR_CONSOLE_HOME.")
    CHECK_DISK = N_("Check the disk and the folder, or choose another file.")
    CREATE_FOLDER = N_("Create the folder, or choose another one.")
    CHOOSE_OTHER_FOLDER = N_("Choose another folder.")
    CHOOSE_OTHER_NAME = N_("Choose another name.")
    CHOOSE_OTHER_FILE = N_("Choose another file.")
    VERIFY_AND_START_NEW = N_("`operator-console sessions verify` shows details. Start a new session.")
    CLOSE_OTHER_PROGRAM = N_("Close that program, or wait until its run has ended.")
    SEE_LOG = N_("For details, see the log.")
    START_NEW_SESSION = N_("Start a new session.")
    NOT_A_SESSION_FILE = N_("“{path}” is not a session file.")
    CHOOSE_SESSION_FILE = N_(
        "Choose a file that this program wrote (*.ocsession); `operator-console sessions list` shows them."
    )
    NO_SUCH_FILE = N_("There is no file “{path}”.")
    FILE_IS_FOLDER = N_("It is a folder.")
    FILE_DOES_NOT_EXIST = N_("There is no such file.")
    FILE_NOT_DATABASE = N_("It is not a database, or its first bytes were overwritten.")
    FILE_EMPTY = N_("It is empty.")
    FILE_OF_OTHER_PROGRAM = N_("It was written by another program.")
    FILE_FORMAT_NEWER = N_("It has format {format}; this version reads up to {newest}. Update the console.")
    SESSION_FILE_DAMAGED = N_("The session file “{path}” is damaged.")
    VERIFY_SHOWS_DETAILS = N_("Run `operator-console sessions verify` for details.")
    SESSION_FILE_WITHOUT_ID = N_("The session file “{path}” has no session id.")
    SESSION_FILE_CHANGES_TOO_FAST = N_("The session file “{path}” changes too fast to be read.")
    PAUSE_OR_STOP_RUN = N_("Pause or stop the run, and try again.")
    SESSION_NOT_CONTINUED = N_("The session file “{path}” is damaged, so it cannot be continued.")
    READ_OR_START_NEW = N_("You can still read it (`operator-console sessions show`). Start a new session.")
    FILE_NAMES_NO_SESSION = N_("It does not name its session.")
    SESSION_WRITTEN_ELSEWHERE = N_("The session “{path}” is being written by another console.")
    WAIT_OR_START_NEW = N_("Wait until that run has ended, or start a new session.")
    SESSION_NOT_DELETED = N_("The session “{path}” is still being written, so it was not deleted.")
    STOP_RUN_FIRST = N_("First stop its run (`operator-console stop`).")
    SESSION_NOT_RENAMED = N_("The session “{path}” is still being written, so it was not renamed.")
    NAME_EMPTY = N_("A name needs at least one character.")
    NAME_TOO_LONG = N_("This name is too long for a file.")
    NAME_HAS_CHARACTER = N_("A name cannot contain “{character}”.")
    NAME_HAS_INVISIBLE_CHARACTER = N_("A name cannot contain line breaks or invisible characters.")
    NAME_ENDS_BADLY = N_("A name cannot begin or end with a dot.")
    NAME_RESERVED = N_("“{name}” cannot be the name of a file on every system.")
    NAME_TAKEN = N_("There is a file “{name}” already, and renaming does not overwrite files.")
    EXPORT_EXISTS = N_("“{path}” already exists, and an export does not overwrite files.")
    CHOOSE_OTHER_EXPORT = N_("Choose another name for --to, or delete that file.")
    NOT_AN_EXPORT_FORMAT = N_("“{suffix}” is not a format for exports.")
    USE_EXPORT_FORMAT = N_("Use a name for --to that ends in .html, .jsonl or .zip.")
    # Questions and messages
    ALLOW_ACTION = N_("Allow the model to {action}?")
    # Translators: what is permitted; {name} is that of a button, a link or an entry.
    PERMIT_PRESS_IN_WINDOW = N_("Press “{name}” in “{window}”")
    PERMIT_PRESS_ON_SITE = N_("Press “{name}” on {site}")
    # Translators: what is permitted; {name} is that of a field.
    PERMIT_TYPE_IN_WINDOW = N_("Type into “{name}” in “{window}”")
    PERMIT_TYPE_ON_SITE = N_("Type into “{name}” on {site}")
    PERMIT_REPLACE_IN_WINDOW = N_("Replace the text of “{name}” in “{window}”")
    PERMIT_REPLACE_ON_SITE = N_("Replace the text of “{name}” on {site}")
    # Translators: what is permitted; {keys} as in: Ctrl+S.
    PERMIT_KEYS_IN_APP = N_("Press {keys} in {app}")
    PERMIT_KEYS_ON_SITE = N_("Press {keys} on {site}")
    PERMIT_LINKS_OF_SITE = N_("Open links of {site} that stay on it")
    # Translators: {what} as in: Press “Next” in “Import wizard”.
    PERMIT_UNTIL_END = N_("{what} without asking, until this session ends")
    PERMIT_NO_ACTION_BEFORE = N_("No action before this one would have been covered.")
    PERMIT_WOULD_HAVE_COVERED = NN_(
        "It would have covered {covered} of the last {of} action.",
        "It would have covered {covered} of the last {of} actions.",
        by="of",
    )
    # Translators: {what} as in: Press “Next” in “Import wizard” without asking, until this session ends.
    PERMIT_AS_CHOICE = N_("{what}. {share}")
    PERMISSION_WAS_REVOKED = N_("The permission that it rested on was revoked.")
    PERMITTED_PLACE_NOT_CERTAIN = N_("The application does not tell that the permitted control is still there.")
    ANSWERS_IN_HASTE = NN_(
        "Your last {count} answer came within a second. How should it go on?",
        "Your last {count} answers came within a second each. How should it go on?",
    )
    PAUSE_INSTEAD = N_("Pause the session")
    PAUSED_FOR_HASTE = N_("You chose a pause after several quick answers.")
    INPUT_RELEASED = NN_(
        "The console released {count} key or button that was held down.",
        "The console released {count} keys or buttons that were held down.",
    )
    NO_ANSWER_GIVEN = N_("The operator gave no answer.")
    OPERATOR_DECLINED_ANSWER = N_("The operator declined to answer.")
    NOBODY_COULD_ANSWER = N_("Nobody could answer.")
    ANSWER_UNREADABLE_TO_MODEL = N_(
        "Your last answer was empty or could not be read. Answer with one of the functions you were given, or, where "
        "the task is done, with a short closing text."
    )
    EDIT_TOO_LATE = N_("Your edit came too late.")
    SKIP_TOO_LATE = N_("Your skip came too late.")
    TOO_LATE_FOR_CALL = N_("It was for call {call} of step {step}, which had been decided already. It had no effect.")
    # Pictures
    CONTROLS_NOT_TOLD = N_("{app} does not tell its controls.")
    CONTROLS_NOT_TOLD_WHY = N_(
        "It was open before accessibility came on. What is there is judged by its picture, and more is asked. To have "
        "them told, close it and start it again: {command}"
    )
    PART_OF_TARGET_NOT_SEEN = N_("Part of the target cannot be seen.")
    SECOND_WINDOW_JOINED = N_("A second window of {app} opened: {window}. It is a part of the target now.")
    SECOND_WINDOW_APART = N_("A second window of {app} opened: {window}. It is not in the picture.")
    SECOND_WINDOW_APART_WHY = N_(
        "It did not open as the effect of an action, so it may be yours. To have it worked in, end this session and "
        "choose that window, or its monitor, as the target."
    )
    PART_BEHIND_CONSOLE = N_("A part behind the console's own windows cannot be seen and is shown grey.")
    PART_NOT_PAINTED = N_("A part of the window has not been painted yet and is shown grey.")
    PICTURE_OF_ONE_COLOUR = N_(
        "The picture has one colour only; it may be blank, or its application is still starting."
    )
    WINDOWS_SHOW_BLACK = NN_(
        "{windows} shows nothing but black; the content may be protected, or not readable here.",
        "{windows} show nothing but black; the content may be protected, or not readable here.",
    )
    PICTURE_REDUCED = N_("The picture for the model was reduced.")
    SCREEN_COMPRESSES_BADLY = N_("The screen compresses badly, as photographs and films do: {changes}.")
    DETAIL_MAY_BE_LOST = N_("Fine detail may be lost.")
    PICTURE_SCALED = N_("scaled from {width} x {height}")
    PICTURE_SCALED_TO_FIT = N_("scaled from {width} x {height} to keep within {bytes} bytes")
    PICTURE_COLOURS_REDUCED = N_("{count} colours")
    PICTURE_TOO_LARGE = N_("larger than {bytes} bytes")
    # Calls that send no input
    WAITED = N_("Waited {seconds:g} s.")
    REGION_OUTSIDE_PICTURE = N_("The region lies outside the picture.")
    READING_UNAVAILABLE = N_("Reading text off the screen is not available here.")
    ASKING_MODEL_UNAVAILABLE = N_("Asking the model is not available here; answer it yourself.")
    ACTION_UNAVAILABLE = N_("“{kind}” is not available here.")
    USE_MOUSE_AND_KEYBOARD = N_("Use the mouse and the keyboard instead.")
    POINTER_NOT_ON_PICTURE = N_("The pointer is not on the picture.")
    TEXT_SHORTENED = N_("Only the first {shown:,} of {total:,} characters.")
    TEXT_READ_TO_END = NN_("Read {count} screen, to its end.", "Read {count} screens, to its end.")
    TEXT_READ_DOES_NOT_SCROLL = NN_(
        "Read {count} screen, it does not scroll further.", "Read {count} screens, it does not scroll further."
    )
    TEXT_READ_MORE_BELOW = NN_(
        "Read {count} screen, there is more below.", "Read {count} screens, there is more below."
    )
    TEXT_READ_SCROLL_FAILED = NN_(
        "Read {count} screen, then it could not be scrolled further: {problem}",
        "Read {count} screens, then it could not be scrolled further: {problem}",
    )
    TEXT_PIECE_MAY_BE_MISSING = N_("A piece may be missing between two of them.")
    READING_INTERRUPTED = NN_(
        "Interrupted after {count} screen; it was not scrolled back.",
        "Interrupted after {count} screens; it was not scrolled back.",
    )
    SCROLLED_BACK = N_("It was scrolled back.")
    SCROLLED_BACK_NOT_EXACTLY = N_("It was scrolled back, but not to exactly the same position.")
    NOT_SCROLLED_BACK = N_("It could not be scrolled back: {problem}")
    SCREEN_TEXT_UNREADABLE = N_("Text on the screen cannot be read.")
    OCR_FAILED = NN_("The OCR process failed {count} time.", "The OCR process failed {count} times.")
    OCR_REMEDY = N_("Check that the rapidocr and onnxruntime packages are installed and that memory is free.")
    CLIPBOARD_READ = N_("Read the clipboard.")
    CLIPBOARD_WITHOUT_TEXT = N_("The clipboard contains no text.")
    CLIPBOARD_UNREADABLE = N_("The clipboard cannot be read.")
    CLIPBOARD_OWNER_SILENT = N_("The application that owns it does not answer.")
    COPY_TEXT_AGAIN = N_("Copy the text again.")
    # Starting applications and own functions
    ADDRESS_OPENED = N_("Opened {address} with {application}.")
    APPLICATION_STARTED = N_("Started {application}.")
    NO_WINDOW_APPEARED = N_("No window appeared within {seconds:.0f} s.")
    WINDOW_WAS_OPEN = N_("It uses a window that was already open, “{window}”.")
    WINDOW_APPEARED = N_("Its window “{window}” appeared.")
    ADDRESS_NOT_ALLOWED = N_("Only http, https and file addresses can be opened, not “{address}”.")
    NO_SUCH_APPLICATION = N_("No application is called “{name}”.")
    SIMILAR_APPLICATIONS = N_("Similar: {names}.")
    NOT_INSTALLED_WHEN_SESSION_BEGAN = N_("“{name}” appeared or changed since the session began. It is not started.")
    NO_BROWSER_INSTALLED = N_("No browser is installed.")
    APPLICATION_NOT_STARTED_IN_TIME = N_("It could not be started in time.")
    APPLICATION_NOT_STARTED = N_("It could not be started: {error}.")
    APPLICATION_NOT_DETACHED = N_("It could not be started (setsid ended with {exit_code}).")
    APPLICATION_ENDED = N_("It ended at once with code {exit_code}.")
    APPLICATION_ENDED_WITH_ERROR = N_("It ended at once with code {exit_code}: {output}")
    NOT_A_FUNCTION_CALL = N_("It is not a call of a function.")
    FUNCTION_ARGUMENTS_UNREADABLE = N_("The arguments are not a JSON object.")
    FUNCTION_KILLED = N_("{name} was killed.")
    FUNCTION_FAILED = N_("{name} failed: {error}")
    FUNCTION_RETURNED = N_("{name} returned: {result}.")
    FUNCTION_RETURNED_NOTHING = N_("{name} returned.")
    FUNCTION_ANSWER_TOO_LARGE = N_("It returned too much data.")
    FUNCTION_TIMED_OUT = N_("It did not end within {seconds:g} s, so it was killed.")
    FUNCTION_ANSWER_INVALID = N_("Its answer is invalid.")
    FUNCTION_CLOSED_PIPE = N_("It closed its pipe.")
    FUNCTION_PROCESS_ENDED = N_("Its process ended without an answer (code {exit_code}).")
    FUNCTION_UNUSABLE = N_("The function {function} cannot be offered to the model.")
    FUNCTION_NAME_TAKEN = N_("{function} has the same name.")
    CORRECT_OR_REMOVE_FUNCTION = N_("Correct or remove it under [functions] in the settings file.")
    MCP_SERVER_UNUSABLE = N_("The MCP server “{server}” cannot be used.")
    MCP_SERVER_WROTE = N_("It wrote: {text}")
    MCP_SERVER_REMEDY = N_(
        "Correct it under [mcp.servers.{server}] in the settings file; operator-console mcp check {server} tries it."
    )
    MCP_KEY_MISSING = N_("Its settings name the key {key}, which has not been entered yet.")
    MCP_KEY_REMEDY = N_("Set {key} in the environment, or run operator-console mcp key {key}.")
    MCP_TOOL_SIMPLIFIED = N_(
        "The tool “{tool}” of the MCP server “{server}” is told to the model in a simpler form, which every service "
        "takes."
    )
    MCP_TOOL_ARGUMENTS_RENAMED = N_("Arguments have other names: {names}.")
    MCP_TOOL_CHOICES_MERGED = N_("A choice of several forms became one with all arguments.")
    MCP_TOOL_NOT_OFFERED = N_("The tool “{tool}” of the MCP server “{server}” is not offered to the model.")
    MCP_TOOL_REMEDY = N_("Name the tools to offer under [mcp.servers.{server}] in the settings file.")
    MCP_TOOL_CHANGED = N_(
        "The MCP server “{server}” was started again, and its tool “{tool}” is no longer what it was when the session "
        "began."
    )
    MCP_SERVER_UNKNOWN = N_("There is no MCP server “{server}” in the settings.")
    MCP_SERVERS_KNOWN = N_("Known: {names}.")
    WRITE_MCP_SECTION = N_(
        "Write a section [mcp.servers.{server}]; operator-console mcp list shows the servers that are there."
    )
    SANDBOX_FOLDER_UNUSABLE = N_("The folder “{path}” cannot be the working folder of bash and the text editor.")
    CHOOSE_SANDBOX_FOLDER = N_("Choose or create a folder for this work.")
    NOT_A_FOLDER = N_("It is not a folder.")
    FOLDER_HOLDS_HOME = N_("It is or holds your home folder, with your keys and settings.")
    FOLDER_HOLDS_CONSOLE = N_("It is or holds a folder of this console.")
    SANDBOX_UNAVAILABLE = N_("The tools bash and text editor cannot be used here.")
    EDIT_COMMAND_UNKNOWN = N_("There is no command {command!r}. Use view, create, str_replace or insert.")
    # Carrying out an action
    GRANT_UNREADABLE = N_("The grant cannot be read: {error}.")
    GRANT_WITHOUT_KEY = N_("The grant was refused: no key was given.")
    GRANT_SEAL_INVALID = N_("The grant was refused: its seal is not valid.")
    GRANT_EXPIRED = N_("The grant was refused: it has expired.")
    GRANT_USED = N_("The grant was refused: it was used before.")
    GRANT_EPOCH_OUTDATED = N_("The grant was refused: its epoch is {epoch}, the current one is {current}.")
    NO_BROWSER_HAS_FOCUS = N_("No browser has the focus. Open one first, or click its window.")
    OTHER_ELEMENT_AT_PLACE = N_("The element is not what its application says is at its place; something may cover it.")
    AGENT_POINTER_OFF_TARGET = N_("The agent's pointer is not on the target. Name a point.")
    OTHER_WINDOW_THERE = N_("Another window is there now.")
    IT_IS_WINDOW = N_("It is “{window}”.")
    OTHER_CONTROL_THERE = N_("Another control is there now.")
    OTHER_CONTROL_FOCUSED = N_("Another control has the focus now.")
    FOCUS_DOES_NOT_STAY = N_("The keyboard focus did not stay in the target.")
    IT_IS_CONTROL = N_("It is {control}.")
    LOOK_AGAIN = N_("Look again.")
    ONLY_FIRST_PARTS_DONE = N_("Only the first part was done: {actions}.")
    INTERRUPTED_EXTENT_UNKNOWN = N_("It was interrupted; how much of it happened is not known.")
    ACTION_NOT_FINISHED = N_("An action was not finished, although nobody paused or stopped it.")
    INJECTOR_NOT_RUNNING = N_("The injector is not running; nothing was sent.")
    INJECTOR_HAS_ENDED = N_("The injector has ended.")
    INJECTOR_ENDED_DURING_ACTION = N_("The injector ended during the action.")
    INJECTOR_SILENT = N_("The injector does not answer.")
    INJECTOR_SILENT_FOR = N_("Nothing for {seconds:.0f} s; whether the action happened is unknown.")
    STOP_AND_START_AGAIN = N_("Stop, look at the screen, and start again.")
    ACTION_STOPPED = N_("Stopped.")
    INPUT_LAYER_FAILED = N_("The input layer failed: {error}.")
    NOT_FINISHED_STOPPED = N_("Not finished: stopped.")
    NOT_FINISHED_PAUSED = N_("Not finished: paused.")
    NOT_FINISHED_NO_ANSWER = N_("Not finished: the guard or the session does not answer.")
    NOT_FINISHED_GUARD_ENDED = N_("Not finished: the guard has ended.")
    NOT_FINISHED_GUARD_BEHIND = N_("Not finished: the guard does not see the events in time.")
    # Checks right before input
    THE_DESKTOP = N_("the desktop")
    ANOTHER_WINDOW = N_("another window")
    WINDOW_BY_ID = N_("window {id}")
    NO_WINDOW = N_("no window")
    CONSOLE_WINDOW = N_("the console's own window")
    THE_TARGET = N_("The target")
    THE_WINDOW = N_("The window")
    WINDOW_NOT_ON_SCREEN = N_("The window “{window}” is no longer on the screen.")
    VIEWER_TAKES_KEYS = N_("{keys} was not sent: the viewer takes it for itself, and the machine would not get it.")
    VIEWER_WINDOW_CHANGED = N_("The viewer's window was moved or resized since the picture was taken.")
    WINDOW_SIZE_CHANGED = N_("The window's size changed since the picture was taken.")
    # Translators: {axis} is x or y, {limit} a range, as in: x 1200 is outside 0 to 999.
    POINT_OUT_OF_RANGE = N_("{axis} {value} is outside {limit}")
    CONSOLE_COVERS_POINT = N_("A window of this console covers the point.")
    POINTER_OFF_MONITOR = N_("The pointer is not on the target monitor.")
    COVERED_BY_WINDOW = N_("Covered by {window}.")
    POINT_ON_OTHER_WINDOW = N_("The point is on {window} now; in the picture it was on {before}.")
    SCREEN_CHANGED_UNDER_TARGET = N_("The screen changed under the target since the picture was taken.")
    ELEMENT_GONE = N_("The element is no longer there.")
    ELEMENT_OF_CONSOLE = N_("The element is one of this console.")
    ELEMENT_OF_OTHER_PROCESS = N_("The element is not one of the program whose window was there in the picture.")
    ELEMENT_CHANGED = N_("The element is called “{name}” now, or is of another kind; in the picture it was “{before}”.")
    ELEMENT_NOT_USABLE = N_("The element is disabled now.")
    ELEMENT_MOVED = N_("The element has another place or size now.")
    ELEMENT_NOT_ANSWERING = N_("Its application does not answer through accessibility.")
    NO_ACCESSIBILITY_SERVICE = N_("There is no accessibility service on this display.")
    ELEMENT_HAS_NO_ACTION = N_("The element has no accessible action that presses it.")
    ELEMENT_HAS_NO_OPTIONS = N_("The element holds no options.")
    ELEMENT_REFUSED_ACTION = N_("Its application refused the accessible action.")
    ELEMENT_TAKES_NO_FOCUS = N_("The element did not take the keyboard focus.")
    ELEMENT_ACTION_UNANSWERED = N_("Its application stopped answering when the accessible action was sent.")
    OPTION_NOT_THERE = N_("There is no option “{option}”.")
    OPTION_NOT_UNIQUE = N_("There are several options “{option}”.")
    OPTION_NOT_CHOOSABLE = N_("Its application lets no option be chosen through accessibility.")
    OPTION_NOT_SHOWN_CHOSEN = N_("The application took the choice, but does not say that the option is chosen.")
    MONITOR_AREA_CHANGED = N_(
        "The monitor of {width} x {height} at {x}, {y} was unplugged, moved or resized since the picture was taken."
    )
    POINTER_MOVED_AWAY = N_("The pointer was moved away before the press; somebody is using the mouse.")
    WINDOW_APPEARED_UNDER_POINTER = N_("Another window appeared under the pointer right before the press.")
    POINT_ON_BARE_DESKTOP = N_("The point is on the bare desktop, which takes no text.")
    CLICK_MAY_NOT_HAVE_ARRIVED = N_("The window manager does not answer, so the click may not have arrived.")
    ACTION_UNSUPPORTED = N_("The injector does not support '{kind}'.")
    ACTION_NUMBERS_OUT_OF_RANGE = N_("The numbers of this {kind} are out of range.")
    NO_WINDOW_HAS_FOCUS = N_("No window has the keyboard focus.")
    CONSOLE_HAS_FOCUS = N_("This console has the keyboard focus.")
    OTHER_WINDOW_HAS_FOCUS = N_("The keyboard focus is with {window}.")
    CLICK_DID_NOT_FOCUS = N_("The click did not give {window} the keyboard focus.")
    FOCUS_MOVED_FROM = N_("The keyboard focus is with {window} now; in the picture “{before}” had it.")
    FOCUS_MOVED = N_("The keyboard focus is with {window} now; in the picture it was elsewhere.")
    HELD_KEYS_RELEASED = N_("The keyboard focus moved while keys were held down, so they were released.")
    WINDOW_COVERED_COMPLETELY = N_("{cover} covers {window} completely.")
    KEYBOARD_TAKEN = N_("{window} has taken the keyboard.")
    # Keys and text
    LAYOUTS_NOT_READABLE = N_(
        "The keyboard layouts of this computer cannot be read: libxkbcommon or its data is missing. On Debian and "
        "Ubuntu install libxkbcommon0 and xkb-data."
    )
    LAYOUT_NOT_KNOWN = N_(
        "This computer has no keyboard layout {layout}. Name one as XKB does: de, or de(nodeadkeys) for a variant."
    )
    NAME_LAYOUT_OF_VM = N_(
        "If the machine has another layout, name it in section {section} of the settings; paste = true there lets such "
        "text go through the clipboard that the viewer shares with it."
    )
    CLIPBOARD_NOT_OFFERED = N_(
        "The text cannot be pasted: what is in this desktop's clipboard cannot be kept, or another program has taken "
        "it."
    )
    VIEWER_SHARES_NO_CLIPBOARD = N_(
        "The text cannot be pasted: the viewer does not share this desktop's clipboard with the machine. SPICE does so "
        "where spice-vdagent runs in the machine."
    )
    VIEWER_FETCHED_NOTHING = N_(
        "Ctrl+V was pressed in the machine, but its viewer has not fetched the text; the machine may have pasted "
        "something else."
    )
    CAPS_LOCK_IS_ON = N_(
        "Caps Lock is on. Some viewers pass it on to the machine, where letters would change their case: switch it off."
    )
    LAYOUT_KEEPS_CHANGING = N_("The keyboard layout keeps changing; {character} cannot be typed.")
    NO_SUCH_KEY = N_("This keyboard has no key {key}.")
    MODIFIER_HELD = N_("A modifier key, or the key itself, is held down on the keyboard; release it.")
    SLOW_KEYS_IGNORE_KEY = N_("Slow keys do not let a key through: turn them off, or type nothing meanwhile.")
    NO_SPARE_KEY = N_("This keyboard has no spare key for {character}.")
    NO_KEY_FOR_CHARACTER = N_("This keyboard has no key for {character}.")
    CHARACTER_UNTYPABLE = N_("The text contains {code_point}, which no key types.")
    APPLICATION_NOT_RESPONDING = N_("The application has stopped responding; it has not read what was typed.")
    PASTE_LATE = N_("Whether the text was pasted is not known: the application got it late.")
    PASTE_UNCERTAIN = N_(
        "Whether the text was pasted is not known: another program took the clipboard meanwhile, or the application "
        "asked for the text and has not fetched it."
    )
    PASTE_HOLDER_SILENT = N_(
        "Whether the text will still be pasted is not known: the clipboard's holder does not answer."
    )
    INPUT_METHOD_NOT_SWITCHED_OFF = N_(
        "The input method {method} composes what is typed, and could not be switched off."
    )
    FCITX_WOULD_COMPOSE = N_("The input method {method} of fcitx5 would compose what is typed here.")
    SWITCH_TO_PLAIN_KEYBOARD = N_("Switch this field to the plain keyboard (by default Ctrl+Space), then try again.")
    INPUT_METHOD_SILENT = N_(
        "The input method stopped answering; part of what was typed may have been composed into other text."
    )
    PERSON_IS_COMPOSING = N_("A person is composing a text with the input method; finish or cancel it.")
    # The target
    NO_WINDOW_AT_POINT = N_("There is no window at that point that could receive keys.")
    CHOOSE_POINT_IN_WINDOW = N_("Choose a point inside a window.")
    MONITOR_SIZE_CHANGED = N_("The monitor changed its size after the picture was taken.")
    MONITOR_MOVED = N_("The monitor was moved after the picture was taken.")
    TARGET_SIZE_CHANGED = N_("The target changed its size after the picture was taken.")
    SIZE_WAS_AND_IS = N_("It was {old_width} x {old_height}, now it is {width} x {height}.")
    PLACE_WAS_AND_IS = N_("It began at {old_x}, {old_y} of the desktop, now at {x}, {y}.")
    POINT_OUTSIDE_TARGET = N_("That point lies outside the target.")
    POINT_NOT_WITHIN = N_("{x}, {y} is not within {width} x {height}.")
    CHOOSE_POINT_OF_PICTURE = N_("Choose a point of the picture.")
    POINT_OUTSIDE_SCREEN = N_("That point of the window lies outside the screen.")
    MOVE_WINDOW_ONTO_SCREEN = N_("Move the window onto the screen.")
    CONSOLE_IN_THE_WAY = N_("The console's own window is there and cannot be clicked through.")
    MOVE_CONSOLE_AWAY = N_("Move the console away from that place.")
    TARGET_COVERED_BY = N_("The target is covered there by {window}.")
    BRING_TARGET_TO_FRONT = N_("Bring the target to the front.")
    FOCUS_NOT_IN_TARGET = N_("The keyboard focus is not in the target: {window} has it.")
    FOCUS_NOT_GIVEN_BY_MANAGER = N_(
        "The window manager {manager} did not give the target the focus when it was asked to."
    )
    CLICK_WINDOW_FIRST = N_("Click into the window that should receive the keys first.")
    TARGET_CLOSED = N_("The target was closed.")
    WINDOW_GONE = N_("{window} is gone.")
    POINTER_HELD = N_("Another program holds the pointer.")
    CLOSE_MENUS_AND_TRY_AGAIN = N_("Close its menu or end its drag, then try again.")
    POINTING_FAILED = N_("The window could not be chosen by pointing.")
    WINDOW_WAS_CLOSED = N_("The window was closed.")
    OPEN_AND_CHOOSE_WINDOW = N_(
        "Open it again and choose it as the target; `operator-console targets` lists the windows."
    )
    WINDOW_MINIMISED = N_("{window} is minimised.")
    RESTORE_WINDOW = N_("Restore it from the task bar, then resume.")
    WINDOW_ON_OTHER_DESKTOP = N_("{window} is on another workspace.")
    SWITCH_DESKTOP = N_("Switch to its workspace, or move the window to this one, then resume.")
    WINDOW_HIDDEN = N_("{window} is hidden.")
    HIDDEN_BY_APPLICATION = N_("Its application has hidden it.")
    SHOW_WINDOW = N_("Show it again, then resume.")
    WINDOW_NOT_CAPTURED = N_("{window} could not be captured.")
    WINDOWS_CHANGE_TOO_FAST = N_("Its windows changed faster than they could be read.")
    WAIT_FOR_STILL_WINDOW = N_("Wait until it has stopped changing, then resume.")
    MONITOR_GONE = N_("Monitor {number} is no longer available.")
    MONITOR_OFF = N_("It was switched off or unplugged.")
    SWITCH_MONITOR_ON = N_(
        "Switch it on again and resume, or choose another target (`operator-console targets` lists them)."
    )
    MONITOR_CHANGED_DURING_CAPTURE = N_("The monitor changed its size during the capture.")
    TRY_WHEN_STILL = N_("Try again when the screen has stopped changing.")
    TARGET_SHOWS_BLACK = N_("{target} shows nothing but black.")
    SCREEN_IN_POWER_SAVING = N_("The screen is switched off to save power.")
    SCREEN_SAVER_ON = N_("The screen saver is on.")
    SCREEN_MAY_BE_OFF = N_("The screen may be switched off, or its content protected or not readable.")
    WAKE_SCREEN = N_("Wake the screen, or check that the application draws its window, then resume.")
    DISPLAY_GONE = N_("The display {display} is gone.")
    X_SERVER_ENDED = N_("The X server ended or closed the connection.")
    START_WHEN_DESKTOP_BACK = N_("Start again when the desktop is back.")
    # Choosing a target
    SECRET_NAME_INVALID = N_("“{name}” cannot be the name of a secret.")
    NAME_SECRET_SO = N_("Use letters, digits, “-”, “_” and “.”, at most 40.")
    NOT_A_BINDING = N_("“{text}” is no place that a secret can be bound to.")
    WRITE_BINDING_SO = N_("Write site:https://example.org, app:NAME or window:TITLE.")
    SECRET_INVALID = N_("This cannot be a secret.")
    TYPE_SECRET_SO = N_("Enter it on one line, with at most 1,000 characters and without two opening braces.")
    SECRET_WAS_NOT_TYPED = N_("A secret was not typed.")
    SECRET_UNKNOWN = N_("Not done: there is no secret {name}. These can be typed: {known}.")
    SECRETS_NONE = N_("none")
    SECRET_ONLY_TYPED = N_(
        "Not done: a secret can only be typed, as the whole text: {{{{secret:NAME}}}} and nothing else, into a field "
        "for a password."
    )
    SECRET_NOT_BOUND_HERE = N_(
        "Not done: {name} is not bound to the place that would get it, or that place is not known. It may be typed "
        "into {places}."
    )
    SECRET_FIELD_NOT_KNOWN = N_(
        "Not done: {name} is typed only into what is known to be a field for a password, or into a terminal that asks "
        "for one. Click the field first, or ask the operator to type it."
    )
    PLACE_IS_HIDDEN = N_("Not done: the operator has hidden this place from you. Do without it, or ask the operator.")
    PLACE_MAY_SHOW_PASSWORD = N_(
        "Not done: this place is not shown, because its application does not answer and may show a password there. "
        "Wait and look again."
    )
    MAY_SHOW_PASSWORD = N_("A part of the picture is black, because it may show a password.")
    MAY_SHOW_PASSWORD_WHY = N_(
        "Its application does not say whether it shows a field for a password. It is shown again once it answers."
    )
    PAGE_IS_PARTLY_HIDDEN = N_(
        "The operator has hidden a part of the screen from you, so the whole page cannot be read."
    )
    NOT_A_SHUTTER = N_("“{text}” hides nothing.")
    WRITE_SHUTTER_LIKE = N_("Write {region}, {window} or {app}.")
    NOT_A_TARGET = N_("“{text}” is not a target.")
    WRITE_TARGET_LIKE = N_("Write {forms} or {last}; `operator-console targets` lists what is here.")
    VNC_ADDRESS_INVALID = N_("“{text}” is no address of a VNC machine.")
    WRITE_VNC_ADDRESS_SO = N_("Write it like vnc:host:5900 or vnc:[2001:db8::1]:5900.")
    VNC_NOT_REACHED = N_("{address} was not reached.")
    CHECK_VNC_SERVER = N_(
        "Check the address and the port, and that the machine's VNC server runs and lets this computer in."
    )
    NOT_VNC_THERE = N_("What answers at {address} does not speak VNC.")
    CHECK_VNC_PORT = N_("Check the port; a VNC server has 5900, or 5901 for its display :1.")
    VNC_ASKS_FOR_KEY = N_("{address} asks for a password.")
    VNC_ASKS_FOR_USER = N_("{address} asks for a user and a password.")
    VNC_USER_WRONG = N_("{address} did not accept the user and the password.")
    KEEP_VNC_USER = N_(
        "Keep them with `operator-console targets key vnc:{address} --user NAME`, or set OPERATOR_CONSOLE_VNC_USER and "
        "OPERATOR_CONSOLE_VNC_PASSWORD."
    )
    VNC_KEY_WRONG = N_("{address} did not accept the password.")
    KEEP_VNC_KEY = N_(
        "Keep it with `operator-console targets key vnc:{address}`, or set OPERATOR_CONSOLE_VNC_PASSWORD."
    )
    VNC_KEY_INVALID = N_("That cannot be a password.")
    TYPE_VNC_KEY_SO = N_("Type it on one line, without control characters.")
    VNC_LOCKED_OUT = N_("{address} accepts no password for now, because too many were wrong.")
    WAIT_FOR_VNC_LOGIN = N_("Wait a minute, and check the password with `operator-console targets key vnc:{address}`.")
    VNC_LOGIN_NOT_KNOWN = N_("{address} offers no way of logging in that this program knows.")
    SET_UP_VNC_LOGIN = N_("Let its server offer a VNC password, or TLS with a certificate (VeNCrypt, X509Vnc).")
    VNC_FINGERPRINT_IS = N_("Its fingerprint (SHA-256) is {fingerprint}.")
    VNC_CERTIFICATE_UNKNOWN = N_("The certificate of {address} has not been accepted yet.")
    ACCEPT_VNC_CERTIFICATE = N_(
        "Compare the fingerprint on the machine, then accept it with `operator-console targets key vnc:{address}`."
    )
    VNC_CERTIFICATE_CHANGED = N_("The certificate of {address} is another one than you accepted.")
    ACCEPT_NEW_VNC_CERTIFICATE = N_(
        "If the machine was set up anew, accept the new one with `operator-console targets key vnc:{address}`; if "
        "not, somebody may be between."
    )
    NOT_A_FINGERPRINT = N_("“{text}” is no SHA-256 fingerprint.")
    COPY_FINGERPRINT = N_("Copy its 64 hexadecimal digits, with or without colons.")
    VNC_HANGS = N_("{address} does not answer.")
    VNC_CONNECTION_LOST = N_("The connection to {address} is lost.")
    RESUME_RECONNECTS = N_("Check that the machine runs, then resume: the console connects again and looks first.")
    VNC_POINTER_RELATIVE = N_("The machine takes only steps of the pointer, so that nothing can be pointed at.")
    ADD_TABLET = N_(
        "Give it a tablet as a pointing device (QEMU: -device usb-tablet), and wait until its system has started."
    )
    # A virtual machine's monitor
    QMP_NOT_THERE = N_("There is no monitor of QEMU at {path}.")
    START_QEMU_WITH_QMP = N_(
        "Start the virtual machine with -qmp unix:{path},server=on,wait=off, or change the socket in the "
        "machine's settings."
    )
    QMP_BUSY = N_("The monitor at {path} does not answer: another program is probably connected to it.")
    CLOSE_OTHER_MONITOR = N_(
        "Disconnect the other program, or give the virtual machine a second -qmp socket for this console."
    )
    QMP_SILENT = N_("The monitor at {path} does not answer.")
    QMP_LOST = N_("The monitor at {path} has closed the connection.")
    NOT_QMP_THERE = N_("What answers at {path} does not speak QEMU's QMP.")
    CHECK_QMP_SOCKET = N_(
        "Check that the virtual machine runs, and that the path in the machine's settings is that of its -qmp socket."
    )
    VM_PAUSED = N_("{name} is paused.")
    LET_VM_RUN = N_("Let it run again in its own window or monitor, then resume.")
    VM_SHUT_DOWN = N_("{name} is shut down.")
    START_VM_AGAIN = N_("Start it again, or go back to a snapshot, then resume.")
    VM_SUSPENDED = N_("{name} is asleep.")
    WAKE_VM = N_("Wake it in its own window or monitor, then resume.")
    VM_BUSY = N_("{name} is standing still while its state is saved, loaded or moved.")
    WAIT_FOR_VM = N_("Wait until that is done, then resume.")
    VM_CRASHED = N_("{name} has crashed (QEMU: {status}).")
    RESET_VM_OR_GO_BACK = N_("Reset it in its own window or monitor, or go back to a snapshot, then resume.")
    VM_DOES_NOT_RUN = N_("{name} does not run (QEMU: {status}).")
    NO_SNAPSHOT_OF_OURS = N_("There is no snapshot that this console has taken.")
    TAKE_SNAPSHOT_FIRST = N_("Take one first; snapshots by others are left alone.")
    DISK_KEEPS_NO_SNAPSHOT = N_("A disk of the virtual machine is written to and cannot keep snapshots: {disk}.")
    CONVERT_TO_QCOW2 = N_("Shut the machine down and convert the image: qemu-img convert -O qcow2 OLD NEW.")
    VM_HAS_NO_DISK = N_("The virtual machine has no disk to keep a snapshot on.")
    ADD_QCOW2_DISK = N_("Give it a disk of the format qcow2; a small one is enough.")
    QEMU_TOO_OLD = N_("This QEMU cannot take snapshots through its monitor.")
    UPDATE_QEMU = N_("QEMU 6 or newer can.")
    SNAPSHOT_FAILED = N_("QEMU has failed to do that with the snapshot.")
    SNAPSHOT_JOB_LOST = N_("QEMU no longer knows of the snapshot that it was working on.")
    CHECK_SNAPSHOT_IN_QEMU = N_(
        "Look at the virtual machine before you go on; `info snapshots` in its monitor lists what there is."
    )
    NO_QMP_SOCKET = N_("No QMP socket is set for {machine}.")
    SET_QMP_SOCKET = N_(
        "Set it in the window under Machine settings, or as qmp in the section of {machine} in the settings file."
    )
    NOT_A_MACHINE = N_("“{text}” is no machine with settings of its own.")
    WRITE_MACHINE_SO = N_("Write it like vnc:host:5900 or vm:NAME.")
    PAUSE_BEFORE_SNAPSHOT = N_("A session is running.")
    PAUSE_OR_STOP_FIRST = N_("Pause or stop it first.")
    # Managed browsers
    NO_MANAGED_BROWSER = N_("That is possible only in a browser that this program manages.")
    FILE_DOWNLOADED = N_("The browser has saved “{name}” from {site}.")
    REQUESTS_BLOCKED = N_("The browser may not reach {site}, so nothing was sent there.")
    PAGE_DOES_NOT_ANSWER = N_("The page does not answer.")
    WAIT_OR_RELOAD_PAGE = N_("Wait, or load the page again.")
    PAGE_HAS_NO_PICTURE = N_("The browser has no picture of the page.")
    BROWSER_HAS_ENDED = N_("The browser has ended.")
    START_NEW_SESSION_FOR_BROWSER = N_("Start a new session, which starts a new browser.")
    PAGE_HAS_CRASHED = N_("The page has crashed.")
    CONTINUE_LOADS_PAGE_AGAIN = N_("Continue loads it again.")
    BROWSER_NOT_FOUND = N_("No browser is installed that the console could start.")
    INSTALL_BROWSER = N_("Install Chromium or Google Chrome, or name its program in section [browser] of the settings.")
    BROWSER_NOT_STARTED = N_("The browser did not start.")
    SEE_BROWSER_LOG = N_("Start {program} by itself to see why.")
    NOT_A_WEB_ADDRESS = N_("“{text}” is no address that a browser can begin with.")
    WRITE_ADDRESS_SO = N_("Write it like browser:https://example.org.")
    DIALOG_TAKES_INPUT = N_("A dialog of the page waits for an answer: answer it first.")
    LIST_IS_OPEN = N_("A list is open over the page: click one of its rows, or press Escape to close it.")
    PICKER_CLOSED = N_(
        "The browser's own picker for this field ({kind}) cannot be used here and was closed. Click into the field, "
        "and type its value."
    )
    PAGE_IS_ANOTHER = N_("The browser shows another page than in the picture.")
    PAGE_NOT_REACHED = N_("The page could not be loaded: {error}.")
    ADDRESS_NOT_OPENED = N_("This browser goes to web pages only, and to files where it began with one.")
    FILE_NOT_DOWNLOADED = N_("The browser could not save “{name}” from {site}: the download broke off.")
    NO_PAGE_IN_HISTORY = N_("There is no page to go to in this direction.")
    NO_SUCH_TAB = N_("There is no tab {number}.")
    NOT_DONE_IN_BROWSER = N_("The browser did not do it: {error}.")
    NOT_A_DEBUGGING_ADDRESS = N_("“{text}” is no address of an open browser.")
    WRITE_DEBUGGING_ADDRESS_SO = N_("Write it like browser:cdp=http://127.0.0.1:9222.")
    OPEN_BROWSER_NOT_FENCED = N_("What an open browser may reach cannot be limited.")
    USE_OWN_BROWSER = N_("Use the target browser, or give no sites.")
    OPEN_BROWSER_NOT_REACHED = N_("The open browser was not reached.")
    START_BROWSER_WITH_PORT = N_("Start it with --remote-debugging-port=9222 and --user-data-dir of its own.")
    OPEN_BROWSER_IS_OPEN_TO_ALL = N_(
        "Any program on this computer can use the browser's debugging port, too: it can read its pages and type there."
    )
    KEY_NOT_FOR_PAGE = N_("A page cannot be sent the key {key}.")
    CLIPBOARD_IS_THE_DISPLAYS = N_(
        "In a window the browser has the clipboard of the desktop, which is not for the model. Type the text instead."
    )
    PAGE_TOOK_NO_INPUT = N_("The page has not taken the input for {seconds:g} seconds.")
    MACHINE_TOOK_NO_INPUT = N_("The machine did not confirm the input within {seconds:g} s.")
    MACHINE_NOT_CONNECTED = N_("The machine could not be reached, so nothing was sent.")
    MACHINE_HAS_NO_CLIPBOARD = N_("The machine takes no text by its clipboard: what you copied is not pasted.")
    NO_KEY_AND_NO_CLIPBOARD = N_(
        "The machine was not sent {characters}: no key of its keyboard layout ({layout}) is known for it, and it takes "
        "no text by its clipboard."
    )
    MACHINE_LOST_DURING_INPUT = N_("The connection to the machine was lost during the input.")
    MACHINE_SIZE_CHANGED = N_("The machine's screen changed its size since the picture was taken.")
    MACHINE_GIVES_NO_PICTURE = N_("The machine gave no picture of the place in time, so nothing was sent.")
    CHARACTERS_WITHOUT_MACHINE_KEY = N_(
        "The machine's keyboard layout ({layout}) has no key for {characters}, so nothing was typed."
    )
    NAME_LAYOUT_OR_PASTE = N_(
        "If the machine has another layout, name it in section [vnc] of the settings; paste = true there lets "
        "such text go through the machine's clipboard."
    )
    KEY_NOT_FOR_MACHINE = N_("The machine cannot be sent the key {key}.")
    BUTTON_NOT_FOR_MACHINE = N_("The machine cannot be sent the button {button}.")
    TOO_MANY_KEYS_HELD = N_("More keys would be held down than can be released.")
    POINTER_PLACE_NOT_KNOWN = N_("Where the machine's pointer is, is not known: name a point.")
    RELEASE_LINE_LOST = N_("The connection to the machine is lost, so that held keys could not be released there.")
    NO_SUCH_MONITOR = N_("There is no monitor {number}.")
    MONITORS_HERE = N_("This desktop has {count}.")
    TARGETS_COMMAND_LISTS_THEM = N_("`operator-console targets` lists them.")
    NOT_A_REGULAR_EXPRESSION = N_("“{text}” is not a regular expression.")
    EXPRESSION_ERROR_AT = N_("{error} at position {position}.")
    ESCAPE_SPECIAL_CHARACTERS = N_("Put a backslash before brackets and other special characters of the title.")
    WINDOWS_FIT = NN_("{count} window fits “{title}”.", "{count} windows fit “{title}”.")
    CHOOSE_WINDOW_BY_ID = N_("Choose one by its id: --target window:0xID.")
    NO_WINDOW_FITS = N_("No window fits “{title}”.")
    OPEN_WINDOWS = N_("Open windows: {windows}.")
    NO_WINDOW_IS_OPEN = N_("No window is open.")
    OPEN_WINDOW_OR_CHOOSE_TARGET = N_("Open it first, or choose another target; `operator-console targets` lists them.")
    VIEWER_SHOWS_OTHER = N_("The viewer's window no longer shows {machine}.")
    SHOW_MACHINE_AGAIN = N_("Show the machine in it again.")
    MACHINE_IS_PAUSED = N_("{machine} is paused.")
    LET_MACHINE_RUN = N_("Let it run on by its viewer.")
    MACHINE_IS_OFF = N_("{machine} is switched off.")
    START_MACHINE = N_("Start it by its viewer.")
    VIEWER_HOLDS_POINTER = N_(
        "The viewer of {machine} holds the pointer, because the machine takes only steps of it and no positions."
    )
    GIVE_MACHINE_A_TABLET = N_(
        "Release the pointer by the viewer's keys, which its title may name, and give the machine a tablet: “-device "
        "usb-tablet” in QEMU, else the viewer's setting for an absolute pointer. It counts once the machine's system "
        "has started."
    )
    MACHINE_SCREEN_NOT_FOUND = N_("Where the viewer shows the screen of {machine} is not known.")
    SHOW_MACHINE_IN_FULL_SCREEN = N_(
        "If the viewer shows a message, connect to the machine or start it. Else show it "
        "in full screen, or switch accessibility on and start the viewer again."
    )
    VIEWER_COVERS_MACHINE = N_("{cover} of the viewer lies over the screen of {machine}.")
    A_MENU = N_("A menu")
    A_TOOL_BAR = N_("A tool bar")
    CLOSE_VIEWERS_DIALOG = N_("Answer or close it, or move the pointer away from it.")
    MACHINE_SCREEN_MOVED = N_("The machine's screen has another place or size since the picture was taken.")
    MACHINES_FIT = NN_("{count} virtual machine fits “{title}”.", "{count} virtual machines fit “{title}”.")
    CHOOSE_MACHINE_BY_ID = N_("Choose one by its window's id: --target vm:0xID.")
    NO_MACHINE_FITS = N_("No window shows a virtual machine that fits “{title}”.")
    SHOWN_MACHINES = N_("Virtual machines with a window: {windows}.")
    NO_MACHINE_IS_SHOWN = N_("No window of a known viewer shows a virtual machine.")
    OPEN_VIEWER_OR_CHOOSE_TARGET = N_(
        "Open it in its viewer first, or choose another target; `operator-console targets` lists them."
    )
    NOT_A_DESKTOP_SIZE = N_("“{text}” is not the size of a virtual desktop.")
    WRITE_DESKTOP_SIZE = N_("Write width x height in pixels, for instance virtual:1440x900 ({least} to {most}).")
    # What a managed browser may reach
    SITE_BLOCKED = N_("{site} is one of the blocked sites, so nothing was sent there.")
    SITE_NOT_ALLOWED = N_("{site} is not one of the allowed sites, so nothing was sent there.")
    SITE_IS_LOCAL = N_("{site} is on this computer or its network, which is not allowed, so nothing was sent there.")
    SITE_UNKNOWN = N_("No address of {site} was found.")
    SITE_NOT_CONNECTED = N_("No connection to {site} could be made.")
    SITE_SILENT = N_("{site} did not answer in time.")
    SITE_UNREADABLE = N_("The answer of {site} could not be read.")
    SITE_KEPT_BY_PROXY = N_("The proxy {proxy} made no connection to {site}; it answered {status}.")
    REQUEST_UNREADABLE = N_("This is no request for an address of the web.")
    # The display and the virtual desktop
    NO_DISPLAY = N_("There is no display.")
    DISPLAY_NOT_OPENED = N_("The display {display} cannot be opened.")
    NO_X_SERVER_ANSWERS = N_("No X server answers there.")
    X_SERVER_REFUSES_USER = N_("The X server there does not let this user in: XAUTHORITY is {file}.")
    SET_XAUTHORITY = N_(
        "Set XAUTHORITY to the file that the desktop session has: `echo $XAUTHORITY` in a terminal there shows it."
    )
    QT_NOT_STARTED = N_("The window cannot be opened: Qt cannot use this display.")
    LIBRARY_MISSING = N_("The library {library} is missing.")
    INSTALL_LIBRARY = N_("Install it, on Debian and Ubuntu with: sudo apt install {package}")
    START_FROM_DESKTOP = N_("Start from a desktop session, set DISPLAY, or use the isolated desktop: --target virtual.")
    DISPLAY_VARIABLE_UNSET = N_("The variable DISPLAY is not set.")
    START_IN_GRAPHICAL_SESSION = N_(
        "Start it in a graphical session, or use an isolated desktop: `operator-console run … --target virtual`."
    )
    WAYLAND_SESSION = N_("This is a Wayland session, which gives programs no access to the screen and to input.")
    WAYLAND_ALLOWS_VIRTUAL_ONLY = N_(
        "Monitors and windows cannot be captured or operated here; an isolated desktop and a browser of its own can."
    )
    NO_SHARED_MEMORY = N_(
        "Its pictures take longer, because the X server shares no memory with this program: it is on another machine, "
        "in another container (one with --ipc=host can), or lacks MIT-SHM."
    )
    KEYS_ARE_SLOW = N_(
        "Slow or bounce keys are on: text is typed exactly, but slowly. Turn them off in the desktop’s accessibility "
        "settings, or with xkbset -sl -bo."
    )
    WAYLAND_TARGETS = N_(
        "Wayland session: sessions work on an isolated desktop or in a browser of its own, not on monitors and windows."
    )
    USE_VIRTUAL_OR_BROWSER = N_("Use the isolated desktop (--target virtual) or a browser (--target browser).")
    USE_VIRTUAL_DESKTOP = N_("Use the isolated desktop: --target virtual.")
    OR_LOG_IN_TO_X11 = N_("Or log in to an X11 session (“… on Xorg” at the login screen).")
    SYSTEM_UNSUPPORTED = N_("This version cannot operate the desktop of {system}.")
    ONLY_X11_SUPPORTED = N_("Only X11 on Linux is supported. Sessions can still be opened and read here.")
    RUN_ON_LINUX = N_("Run it on Linux with an X11 session.")
    DISPLAY_DEPTH_UNREADABLE = N_("The display has {bits} bits a pixel, which cannot be read here.")
    SET_DISPLAY_DEPTH = N_("Set the display to 24 bits, or use the isolated desktop: --target virtual.")
    NO_KEYBOARD_EXTENSION = N_("The X server has no keyboard extension.")
    XKEYBOARD_MISSING = N_("XKEYBOARD is missing.")
    START_SERVER_WITH_XKB = N_("Start the server with XKB (every current one has it unless started with -kb).")
    XVFB_NOT_INSTALLED = N_("A virtual desktop needs Xvfb, which is not installed.")
    INSTALL_XVFB = N_("Install it (on Debian and Ubuntu: sudo apt-get install xvfb openbox).")
    VIRTUAL_DESKTOP_CANCELLED = N_("The start of the virtual desktop was cancelled.")
    PROGRAM_NOT_STARTED = N_("{program} did not start.")
    VIRTUAL_DESKTOP_NOT_READY = N_("The virtual desktop was not ready in time.")
    RUN_XVFB_FOR_MESSAGE = N_("Run `Xvfb :90` in a terminal to see its error message.")
    PROGRAMS_NOT_SANDBOXED = N_(
        "The programs of this isolated desktop run without a sandbox: they can reach your files, your display and "
        "other programs of yours."
    )
    INSTALL_BUBBLEWRAP = N_(
        "Install bubblewrap (on Debian and Ubuntu: sudo apt-get install bubblewrap); it needs user namespaces."
    )
    SANDBOX_WITHOUT_NETWORK = N_("The programs of this isolated desktop have no network: slirp4netns does not run.")
    INSTALL_SLIRP4NETNS = N_(
        "Install it (on Debian and Ubuntu: sudo apt-get install slirp4netns), or set network = false in the section "
        "[virtual] of the settings."
    )
    NETWORK_NOT_CUT_OFF = N_("The network of the isolated desktop cannot be cut off without a sandbox.")
    KEPT_HOME_IN_USE = N_("Another isolated desktop uses the kept home folder “{name}”.")
    END_OTHER_DESKTOP = N_("End that session, or name another one as keep in the section [virtual] of the settings.")
    DESKTOP_PROGRAM_NOT_STARTED = N_("“{name}” did not start on the isolated desktop.")
    CORRECT_DESKTOP_PROGRAMS = N_("Correct programs in the section [virtual] of the settings.")
    # The model's service
    SERVICE_ANSWER_EMPTY = N_("The answer was empty.")
    MODEL_ANSWER_EMPTY = N_("The model's answer was empty.")
    MODEL_ANSWER_WITHOUT_CANDIDATE = N_("It contains no candidate.")
    MODEL_ANSWER_WITHOUT_CONTENT = N_("It contains neither text nor a call.")
    CALLS_SHARE_ID = N_("Two calls have the same id.")
    TOO_MANY_CALLS = N_("It has more than {most} calls.")
    ANSWER_TOO_LONG = N_("It is too long.")
    MODEL_ANSWER_UNREADABLE = N_("The answer could not be read.")
    MODEL_ANSWER_CUT_OFF = N_("The answer was cut off or malformed.")
    RAISE_ANSWER_LIMIT = N_("It reached the limit of tokens for one answer: raise the option `{option}`.")
    MODEL_TIMED_OUT = N_("The model did not answer within {seconds:g} s.")
    SERVICE_ASKS_TO_SLOW_DOWN = N_("{service} asks to slow down.")
    SERVICE_UNAVAILABLE = N_("{service} is not available at the moment.")
    SERVICE_REJECTED_REQUEST = N_("{service} rejected the request.")
    REQUEST_NOT_REPEATED = N_("It is not sent again. The record holds what was sent.")
    SERVICE_REJECTED_KEY = N_("{service} did not accept the key.")
    ENTER_OTHER_KEY = N_("Enter another with `operator-console models key {provider}`, or set {variable}.")
    SERVICE_HAS_NO_MODEL = N_("{service} has no model '{model}' for this key.")
    CHOOSE_LISTED_MODEL = N_("Choose one that `operator-console models list` shows.")
    NO_SERVICE_AT_ADDRESS = N_("No {service} model is served at {address}.")
    SERVICE_REDIRECTS = N_("The address of the {service} service redirects to “{address}”.")
    USE_ADDRESS_IT_LEADS_TO = N_(
        "What is meant for one address is not sent to another. Where the other one is yours, give that one."
    )
    LOWER_WHAT_IS_KEPT = N_(
        "Lower keep_screenshots, keep_turns or max_pixels in the model's options, or raise the service's limit."
    )
    CHANGE_JSON_MODE = N_("Set json_mode to json_object or none in the options of the model.")
    SET_STREAM = N_("Set stream to true in the options of the model, where its provider has that option.")
    FEWER_SCREENSHOTS_FROM_NOW = N_(
        "The service does not take the request; from now on {count} earlier screenshots are sent (keep_screenshots)."
    )
    FEWER_TURNS_FROM_NOW = N_(
        "The service does not take the request; from now on {count} turns are sent in full (keep_turns)."
    )
    SMALLER_PICTURES_FROM_NOW = N_(
        "The service does not take the request; from now on pictures are at most {pixels} pixels wide and high."
    )
    OTHER_JSON_MODE_FROM_NOW = N_(
        "The service does not take this form of answers; from now on it is asked for with json_mode {mode}."
    )
    HEADER_VARIABLE_NOT_SET = N_("A header for {service} needs the environment variable {variable}, which is not set.")
    SET_HEADER_VARIABLE = N_("Set {variable}, or take it out of extra_headers in the options of the model.")
    NAME_SERVED_MODEL = N_("Or give the name under which the endpoint serves the model.")
    ADDRESS_ENDS_IN_V1 = N_("Most endpoints have an address that ends in /v1.")
    PREVIEW_MODEL_NEEDS_BETA = N_("A preview model may need GOOGLE_GENAI_API_VERSION=beta.")
    SERVICE_GAVE_NO_REASON = N_("The service gave no reason.")
    DAILY_QUOTA_USED_UP = N_("The day's quota of this model is used up.")
    WAIT_FOR_QUOTA = N_("Wait until it is renewed, raise it in the vendor's console, or choose another model.")
    SERVICE_TIMED_OUT = N_("{service} did not answer in time.")
    SERVICE_CONNECTION_FAILED = N_("The connection to {service} failed.")
    SERVICE_NAME_UNKNOWN = N_("No address is known for “{host}”, where {service} is asked.")
    CERTIFICATE_NOT_TRUSTED = N_("The certificate that “{host}” shows is not trusted; {service} is asked there.")
    TRUST_CERTIFICATE = N_(
        "Where it is your own or your company's, add its authority to the system's certificates or name its file in "
        "SSL_CERT_FILE."
    )
    CHECK_CLOCK_OR_RENEW = N_("Check the clock of this computer, or have the certificate renewed.")
    USE_NAME_OF_CERTIFICATE = N_("Give the address with the name for which the certificate was made.")
    CERTIFICATES_UNREADABLE = N_("The trusted certificates cannot be read.")
    CORRECT_CERTIFICATE_VARIABLES = N_("Correct or unset SSL_CERT_FILE and SSL_CERT_DIR.")
    NO_TLS_AT_ADDRESS = N_("“{host}”, where {service} is asked, does not speak TLS.")
    USE_HTTP_OR_OTHER_PORT = N_("Give its address with http:// or with another port.")
    PAGE_ANSWERED = N_("A web page answered at {address}, not {service}.")
    OPEN_ADDRESS_IN_BROWSER = N_(
        "It may be from a proxy, a firewall or the sign-in of a network: open the address in a browser, or correct it."
    )
    PROXY_WANTS_LOGIN = N_("The proxy {proxy} between this computer and {service} asks for a login.")
    SET_PROXY_LOGIN = N_("Write it as http://USER:PASSWORD@HOST:PORT in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY.")
    PROXY_MADE_NO_CONNECTION = N_("The proxy {proxy} made no connection to {service}.")
    WENT_THROUGH_PROXY = N_("The request went through the proxy {proxy}.")
    SERVICE_FORBIDS = N_("{service} does not let this key do this.")
    CHECK_WHAT_KEY_MAY_DO = N_("Check what the key may do and whether the service is offered in your country.")
    SERVICE_WANTS_PAYMENT = N_("{service} does not answer: there is no credit left.")
    ADD_CREDIT = N_("Add credit at the vendor, or choose another model.")
    SERVICE_ASKS_TO_WAIT = N_("It asks to wait for {minutes:.0f} minutes.")
    SERVICE_ASKS_TO_WAIT_LONG = N_("It asks to wait for a day or more.")
    GO_ON_LATER = N_("Continue the session later, or choose another model.")
    CHECK_HOW_SERVICE_RUNS = N_("Check whether the service runs this model, and continue the session later.")
    RAISE_TIME_LIMIT = N_("Raise request_timeout_s in the options of the model, or check the service.")
    MODEL_TAKES_NO_PICTURES = N_("{service} takes no pictures for the model '{model}'.")
    CHOOSE_MODEL_WITH_PICTURES = N_(
        "Choose a model that sees, or have the service load the part that does, such as llama.cpp's --mmproj."
    )
    ANSWER_BEGINS_WITH = N_("It begins with “{text}”.")
    CHECK_MODELS_ANSWERS = N_("Check how the service runs this model and the limit of tokens, or choose another model.")
    SERVICE_ADDRESS_UNUSABLE = N_("The address of the {service} service cannot be used.")
    CORRECT_SERVICE_ADDRESS = N_("Correct or unset {variable}.")
    PROXY_UNUSABLE = N_("The proxy of the environment cannot be used: {proxy}.")
    CORRECT_PROXY_VARIABLES = N_("Correct or unset HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, also in lower case.")
    PICTURES_GO_THROUGH_PROXY = N_("Pictures go through the proxy {proxy}.")
    SERVICE_REJECTED_CONVERSATION = N_("{service} rejected the conversation.")
    START_FOLLOW_UP = N_("Start a follow-up task. The actions so far are in the session file.")
    SERVICE_BLOCKED_SCREEN = N_("{service} blocked this screen or task.")
    CHECK_SCREEN_FOR_HOSTILE_TEXT = N_(
        "Check the screen before you continue: it may show hostile instructions or sensitive content."
    )
    NO_CLOUD_CREDENTIALS = N_("There are no usable credentials for {service}.")
    CLOUD_NOT_CONFIGURED = N_("{service} needs more than the profile says.")
    CLOUD_PROJECT_UNKNOWN = N_("Neither the options nor the credentials name a project.")
    CLOUD_ENDPOINT_UNKNOWN = N_("The endpoint is missing: the address of your Azure resource.")
    SERVICE_REJECTED_CREDENTIALS = N_("{service} did not accept the credentials.")
    SIGN_IN_TO_GOOGLE_CLOUD = N_(
        "Sign in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS, and give the "
        "project in the options. The account must be allowed to use the model."
    )
    SIGN_IN_TO_AWS = N_(
        "Sign in with `aws sso login` or `aws configure`, or set AWS_BEARER_TOKEN_BEDROCK, and give the region in the "
        "options. The account must be allowed to use the model there."
    )
    SIGN_IN_TO_AZURE = N_(
        "Sign in with `az login`, or set AZURE_OPENAI_API_KEY, and give the resource's address as the endpoint. The "
        "account must be allowed to use the deployment."
    )
    NO_SERVICE_KEY = N_("There is no key for {service}.")
    SET_SERVICE_KEY = N_("Set {variable}, or enter a key with `operator-console models key {provider}`.")
    # Choosing a provider
    KEY_VARIABLE_UNSET = N_("{variable} is not set, and the keyring has none.")
    KEY_VARIABLES_UNSET = N_("Neither {variables} nor {last} is set, and the keyring has none.")
    NO_SUCH_PROVIDER = N_("There is no provider {provider!r}.")
    USE_ONE_OF = N_("Use one of: {names}.")
    PROVIDER_NEEDS_MODEL = N_("The provider {provider!r} needs a model.")
    GIVE_AS_MODEL = N_("Give {what} as the model.")
    PROVIDER_OF_MODEL_UNKNOWN = N_("The provider of the model {model!r} is not known.")
    ADD_PROVIDER_OR_CHOOSE_MODEL = N_("Add --provider, or choose a model from `operator-console models list`.")
    PROVIDER_NOT_LOADED = N_("The provider {provider!r} cannot be loaded.")
    UPDATE_OR_UNINSTALL_PACKAGE = N_("Update or uninstall the package that provides it.")
    LOADING_FAILED = N_("Loading {object} failed: {error}")
    NOT_A_PROVIDER_SPEC = N_("{object} is not a ProviderSpec.")
    PROVIDER_NAMED_OTHERWISE = N_("{object} calls itself {name!r}.")
    NO_SERVICE_ADDRESS = N_("There is no address for {service}.")
    SET_SERVICE_ADDRESS = N_("Set {variable}, or base_url in the section [{provider}] of the settings.")
    MODEL_VERSION_UNKNOWN = N_("The name {model!r} does not tell which version of the model it is.")
    SET_OPTION = N_("Set {option} in the section [{provider}] of the settings.")
    # Calls as the model makes them
    ARGUMENT_MISSING = N_("Argument {argument!r} is missing.")
    ARGUMENT_EMPTY = N_("Argument {argument!r} is empty.")
    ARGUMENT_NOT_NUMBER = N_("Argument {argument!r} is not a number: {value!r}.")
    ARGUMENT_OUT_OF_RANGE = N_("Argument {argument!r} must be between {low:g} and {high:g}, not {value:g}.")
    ARGUMENT_NOT_TEXT = N_("Argument {argument!r} is not a text: {value!r}.")
    ARGUMENT_NOT_BOOLEAN = N_("Argument {argument!r} must be true or false, not {value!r}.")
    ARGUMENT_NOT_DIRECTION = N_("Argument {argument!r} must be up, down, left or right, not {value!r}.")
    ARGUMENT_WITHOUT_KEY = N_("Argument {argument!r} names no key.")
    ARGUMENT_NOT_ONE_KEY = N_("Argument {argument!r} must name one key.")
    ARGUMENT_NOT_FOR_KEYS = N_(
        "A call presses keys once and briefly; argument {argument!r} cannot change that. Make a call for each press."
    )
    ARGUMENT_NOT_BUTTON = N_("Argument {argument!r} must be left, right, wheel, back or forward, not {value!r}.")
    ARGUMENT_NOT_PATH = N_("Argument {argument!r} must be a list of 2 to {most} points.")
    ARGUMENT_NOT_SUPPORTED = N_("Argument {argument!r} of {name!r} is not supported here.")
    ARGUMENTS_NOT_OBJECT = N_("The arguments are not a JSON object.")
    ARGUMENT_NOT_POINT = N_("Argument {argument!r} is not a point of two numbers or a box of four: {value!r}.")
    POINT_IN_FRACTIONS = N_(
        "The point ({x:g}, {y:g}) is in fractions of the screen. Give coordinates in the unit that you were told."
    )
    ARGUMENTS_NOT_EXPECTED = N_("Only one argument is expected. Write a backslash before each quote inside a text.")
    EDGES_IN_WRONG_ORDER = N_("'right' and 'bottom' must not be smaller than 'left' and 'top'.")
    UNKNOWN_KEY = N_("Unknown key {name!r}.")
    NEAREST_KEYS = N_("Nearest: {names}.")
    USE_KEY_NAME = N_("Use a key name such as enter, tab, f5, or one character.")
    FUNCTION_NAME_RESERVED = N_("{service} cannot be offered a function with the name {name!r}.")
    FUNCTION_NOT_OFFERED = N_("The function {name!r} is not available in this session.")
    NO_SUCH_FUNCTION = N_("There is no function {name!r}. Available: {functions}.")
    RENAME_FUNCTION = N_("Give the function another name, or leave it out of this session.")
    CALL_UNKNOWN = N_("“{name}” is not known here.")
    CALL_WITHOUT_ACTION = N_("The call has no action.")
    CALL_WITHOUT_NAME = N_("This is not a call of a function that can be read: {text!r}.")
    CALL_REPAIRED = N_("the model's call was damaged and has been repaired")
    POINTER_UNKNOWN = N_("The position of the pointer is not known. Move it to where the drag begins first.")
    ARGUMENT_NOT_BOX = N_("Argument {argument!r} must be a box [[left,top,right,bottom]].")
    GESTURE_NOT_A_LIST = N_("A gesture needs a list of 1 to 20 actions: KEY_DOWN, KEY_PRESS and KEY_UP.")
    GESTURE_NOT_BALANCED = N_("A gesture must release each key that it pressed down, and no other.")
    VARIABLE_NAME_WRONG = N_("A variable is written __CogName_name__, not {value!r}.")
    VARIABLE_WITHOUT_VALUE = N_("The variable {name} has no value. Fill it first.")
    VARIABLES_TOO_LONG = N_("The values of the variables have {characters:,} characters; at most {limit:,} fit.")
    VARIABLES_INSERTED = N_("with the value of {names}")
    OPERATION_MISSING = N_('There is no line "Grounded Operation:".')
    ONLY_FIRST_OPERATION = N_("the model gave several operations; this is the first, and the others are ignored")
    OPERATION_MARKED_SENSITIVE = N_("The model marked this operation as sensitive.")
    OPERATION_NOT_MARKED = N_("The model did not say whether this operation is sensitive.")
    CLICKS_POINT_FIRST = N_("clicks the given point first")
    BY_DEFAULT = N_("by default: {effects}")
    PRESSES_ENTER = N_("presses Enter afterwards")
    CLEARS_FIELD = N_("clears the field")
    WITH_PAGE_KEYS = N_("with the Page keys")
    HALF_WIDTH_AT_CENTRE = N_("half the width, at the centre")
    MOST_OF_PAGE_AT_CENTRE = N_("most of the height, at the centre")
    NO_PROGRAM_IN_BROWSER = N_("No program can be started here, in a browser. Give the address of a page as url.")
    HTTPS_ADDED = N_("https:// was added")
    ELEMENT_NOT_ON_SCREEN = N_(
        "There is no element with the number {number} on this screen. Numbers of earlier screens are no longer valid."
    )
    OPTION_CHOSEN_BY_TYPING = N_("the list is opened, the option typed, and Enter pressed")
    # Translators: {way} is how an action was tried, {outcome} what became of it.
    WAY_TRIED = N_("{way}: {outcome}")
    # Translators: {way} is how an action could be done, {reason} why it could not.
    WAY_NOT_OFFERED = N_("{way}: {reason}")
    # Translators: {way} is how an action is done, as in: by its number.
    WAY_NOW = N_("Now {way}.")
    BY_NUMBER = N_("by its number")
    BY_ACCESSIBLE_ACTION = N_("by its accessible action")
    BY_ACCESSIBLE_FOCUS = N_("by the accessible focus, then its text")
    BY_ACCESSIBLE_SELECTION = N_("by its accessible selection")
    BY_TYPED_OPTION = N_("by keyboard: the list opened, the option typed, and Enter")
    ELEMENT_HAS_NONE = N_("the element has none.")
    ELEMENT_UNKNOWN_TO_SERVICE = N_("not known to the accessibility service.")
    NO_KEY_PRESSES_IT = N_("no key presses an element of this kind.")
    TAB_CANNOT_REACH_IT = N_("it is not known how often Tab must be pressed.")
    OPTION_CHOSEN_BY_SERVICE = N_("chosen through accessibility, without opening the list")
    ELEMENT_TRIED_AT_POINT = N_("at a point of it on the new screen")
    ELEMENT_TRIED_BY_FOCUS = N_("by keyboard: Tab to it")
    ELEMENT_TRIED_BY_KEYS = N_("by keyboard: its key or text")
    # Answers to the model
    EARLIER_CALL_NOT_DONE = N_(
        "Not done, because an earlier call of this turn was not. Look at the new picture and decide again."
    )
    CALL_SKIPPED = N_("The operator skipped this call.")
    CALL_LAPSED = N_("Nobody answered in time, so it was not done.")
    CALL_NEEDS_APPROVAL = N_("Needs approval: nobody can answer here, or --answer deny is set.")
    CALL_DECLINED = N_("The operator declined this call. Do not try it again another way.")
    CALL_FORBIDDEN_BY_SERVICE = N_("The model's service forbids this call; it was not done.")
    CALL_CUT_OFF_BY_STOP = N_("Not done: the session was stopped.")
    CALL_CUT_OFF_BY_TAKE_OVER = N_("Not done: the operator took over. Look at the new picture and decide again.")
    CALL_CUT_OFF_BY_PAUSE = N_("Not done: the session was paused. Look at the new picture and decide again.")
    CALL_CUT_OFF_BY_END = N_("Not done: the run ended before. Look at the new picture and decide again.")
    RESULT_LOST = N_("The result was lost when the run ended. Ask for it again if you need it.")
    FUNCTION_RESULT_LOST = N_("The function ran, but its result was lost when the run ended. Do not simply repeat it.")
    CONVERSATION_CONTINUED = N_(
        "This session goes on in a new run, and the screen may have changed since. The task is: {task}"
    )
    CONVERSATION_TOLD_IN_WORDS = N_("The model is told in words what happened before.")
    CONVERSATION_OF_OTHER_MODEL = N_("The last turns are those of another model ({model}).")
    CONVERSATION_INCOMPLETE = N_("The record lacks a part of its last turn.")
    CONVERSATION_UNREADABLE = N_("The recorded conversation cannot be continued: {problem}")
    OBSERVING_ONLY = N_("Not done: observing only.")
    OPERATOR_SAYS = N_("The operator says: {text}")
    CALL_EDITED = N_("The operator changed this call before it was carried out.")
    INTERRUPTED_BY_OPERATOR = N_("Interrupted by the operator.")
    INTERRUPTED_BY_PAUSE = N_("Interrupted: the session was paused.")
    INTERRUPTED_BY_STOP = N_("Interrupted: the session was stopped.")
    SENT_OF_TOTAL = N_("{sent} of {total} were sent.")
    LOOK_BEFORE_GOING_ON = N_("Look at the new picture before going on.")
    OUTCOME_UNKNOWN = N_("It is not known whether this happened.")
    DO_NOT_REPEAT = N_("Look at the picture; do not simply repeat it.")
    SCREEN_IS_NOT_AS_SEEN = N_("Nothing was sent: the screen there is no longer what you saw.")
    CALL_NOT_DONE = N_("Not done.")
    PICTURE_UNCHANGED = N_("The picture did not change.")
    INPUT_NOT_HANDLED = N_("The application does not answer: it has not handled this input, and may do so later.")
    APPLICATION_DOES_NOT_ANSWER = N_("{window} does not answer.")
    APPLICATION_DOES_NOT_ANSWER_WHY = N_(
        "It hangs, or its process is stopped. What was sent waits, and takes effect once it goes on."
    )
    FIELD_HOLDS_OTHER_TEXT = N_("The field that was typed into does not hold what was typed.")
    FIELD_HOLDS = N_("It now holds: {text}")
    DESKTOP_HANDED_BACK = N_(
        "The operator used the desktop and handed it back. Look at the new picture before you continue."
    )
    MACHINE_WENT_BACK = N_(
        "The operator has set the machine back to a snapshot: it is in an earlier state, and what was done on it since "
        "is gone. Look at the new picture before you continue."
    )
    # The same, to the person
    YOU_DENIED_IT = N_("You denied it.")
    YOUR_NOTE = N_("Your note: {text}")
    YOU_TOOK_OVER_FIRST = N_("You took over first.")
    PAUSED_FIRST = N_("The session was paused first.")
    SCREEN_CHANGED_FIRST = N_("Nothing was sent, because the screen there had changed.")
    IT_WAS_INTERRUPTED = N_("It was interrupted.")
    # Scripts
    SCRIPT_ENDED = N_("The script has ended.")
    SCRIPT_CONTAINS_ERROR = N_("The script contains this error.")
    SCRIPT_UNREADABLE = N_("The script {path} cannot be read.")
    GIVE_SCRIPT_FILE = N_("As the model, give the path of a JSON file with a list of turns.")
    SCRIPT_MISTAKE = N_("Turn {turn} of the script {path} has a mistake.")
    SCRIPT_HAS_NO_TURNS = N_("It has no list of turns.")
    PLACE_IN_CALL = N_("call {number} ({fields})")
    PLACE_IN_TURN = N_("the turn ({fields})")
    UNKNOWN_KIND_IN_SCRIPT = N_("In {place}, the kind “{kind}” does not exist.")
    USE_KIND = N_("Use one of these kinds: {kinds}.")
    UNREADABLE_IN_SCRIPT = N_("In {place}: {why}.")
    SEE_HELP_OF_SCRIPTS = N_("The help page “Events” lists the actions and their fields.")
    # Runbooks: their mistakes
    RUNBOOK_UNREADABLE = N_("The runbook {path} cannot be read.")
    NOT_UTF8_TEXT = N_("It is not UTF-8 text.")
    GIVE_RUNBOOK_FILE = N_("Put the path of a text file after @, or write the steps as the task.")
    RUNBOOK_EMPTY = N_("The runbook has no steps.")
    WRITE_STEPS_ON_LINES = N_("Write each step on its own line.")
    RUNBOOK_STEPS = N_(
        "Steps are click, double-click, right-click, middle-click, type, replace, check, uncheck, press, scroll, drag, "
        "wait for, expect, ask, go to, open tab, close tab, tab, back and forward."
    )
    RUNBOOK_MISTAKE = N_("The runbook has a mistake in line {line}, column {column}.")
    QUOTE_NOT_CLOSED = N_("This text has no closing quotation mark.")
    CLOSE_QUOTE = N_('Close it with "; write \\" for one inside.')
    NO_SUCH_ESCAPE = N_("\\{character} is not an escape.")
    WRITE_ESCAPES = N_('Write \\\\ for a backslash, \\" \\n or \\t.')
    NOT_A_STEP = N_("“{text}” is not a step.")
    STEP_ENDS_BEFORE = N_("The step ends before “{text}”.")
    PUT_STEPS_ON_LINES = N_("Put each step on its own line.")
    EXPECTED_BUT_STEP_ENDS = N_("Expected {expected}, but the step ends.")
    EXPECTED_BUT_FOUND = N_("Expected {expected}, but found “{found}”.")
    WORD_OF_STEP = N_("“{word}”")
    TEXT_IN_QUOTES = N_("a text in quotes")
    TEXT_TO_TYPE_IN_QUOTES = N_("the text to type, in quotes")
    NEW_TEXT_IN_QUOTES = N_("the new text in quotes")
    QUESTION_IN_QUOTES = N_("a question in quotes")
    ADDRESS_OF_PAGE = N_("the address of a page")
    WRITE_ADDRESS = N_("For example: go to https://example.org")
    PUT_IN_QUOTES = N_('Put it in quotes: "like this".')
    TEXT_EMPTY = N_("This text is empty.")
    WRITE_TEXT_ON_SCREEN = N_("Write a text that is on the screen.")
    WRITE_TEXT_TO_TYPE = N_("Write the text to type.")
    WRITE_QUESTION = N_("Write the question.")
    HOW_TO_CLEAR_FIELD = N_('To clear a field, use three steps: click "its label"; press Ctrl+A; press Delete')
    KEYS_EXPECTED = N_("Expected keys after “press”.")
    KEYS_EXAMPLE = N_("For example: press Ctrl+S.")
    WRITE_KEYS_LIKE = N_("Write keys like Ctrl+S, Enter, Page_Down or F5.")
    DIRECTION_EXPECTED = N_("Expected up, down, left or right after “scroll”.")
    SCROLL_EXAMPLE = N_("For example: scroll down 3.")
    NUMBER_EXPECTED = N_("Expected a number from {least} to {most}.")
    WRITE_DIGITS = N_("Write the number in digits.")
    NOT_A_ROLE = N_("“{name}” is not a role of a control.")
    USE_ROLE = N_("Use one of these, or none: {roles}.")
    # Runbooks: their run
    STEP_OF_LINE = N_("line {line}: {step}")
    LINE_SAYS = N_("Line {line}: {text}")
    NAME_ON_SCREEN = N_("{name} is on the screen.")
    NAME_NOT_ON_SCREEN = N_("{name} is not on the screen (searched for {seconds:g} s).")
    NAME_MAY_BE_IN_OTHER_WINDOW = N_("A further window, {window}, opened, which is no part of the target.")
    NAME_NOT_ON_SCREEN_YET = N_("{name} is not on the screen yet; still looking, up to {seconds:.0f} s.")
    CHECKED_ALREADY = N_("{name} is already checked.")
    UNCHECKED_ALREADY = N_("{name} is already unchecked.")
    CHECKED_UNKNOWN = N_(
        "Whether {name} is checked cannot be seen, because the application tells no elements. Use click instead."
    )
    PLACE_BESIDE_LABEL_USED = N_("No field was found at {label}, so the place to the right of it is used.")
    ROLE_NOT_CHECKED = N_("The application tells no elements: that it is a {role} was not checked.")
    WHICH_ONE_IS_MEANT = NN_(
        "{name} appears {count} time. Which one is meant?", "{name} appears {count} times. Which one is meant?"
    )
    CONTROL_AT = N_("{control}, at {x}, {y}")
    CONTROL_NEAR_AT = N_("{control} near “{other}”, at {x}, {y}")
    CHOICE_NOT_MADE = N_("The question which place is meant was not answered (line {line}, {step}).")
    ANSWER_WAS_NO = N_("The answer was no (line {line}, {step}).")
    RUNBOOK_ENDED_AT_STEP = N_("The runbook ended at line {line}, {step}.")
    MESSAGE_IS_NO_STEP = N_("A runbook understands only steps. This is not one: {message}")
    STEPS_ADDED = NN_("{count} step added.", "{count} steps added.")
    CONTINUE_AT_WHICH_STEP = N_("This runbook was run before. Continue from:")
    CONTINUE_FROM_LINE = N_("Stopped at line {line}. Continue from:")
    LINE_TO_CHOOSE = N_("Line {line}: {step}")
    STEP_NOT_CHOSEN = N_("The question at which step to continue was not answered.")
    CONTINUE_RUNBOOK = N_("continue the runbook")
    RUNBOOK_ENDED = N_("the runbook has ended")
    RUNBOOK_DONE = NN_(
        "The {count} written step of the runbook is done.", "All {count} written steps of the runbook are done."
    )
    # Settings and keys
    SETTINGS_UNUSABLE = N_("The settings file “{path}” cannot be used.")
    CORRECT_SETTINGS_FILE = N_("Correct the file, or move it away to use the defaults. It was not changed.")
    NOT_UTF8_AT_BYTE = N_("It is not UTF-8 text (byte {byte}).")
    NOT_TOML = N_("It is not valid TOML: {error}.")
    NO_SUCH_SETTING = N_("There is no setting “{setting}”.")
    WHOLE_FILE = N_("the file")
    SETTING_INVALID = N_("“{setting}”: {problem}.")
    SETTING_INVALID_VALUE = N_("“{setting}”: {problem} (it is {value}).")
    SETTINGS_NOT_WRITABLE = N_("The settings file “{path}” cannot be written.")
    SETTINGS_UNCHANGED = N_("The previous settings are unchanged.")
    FREE_SPACE_AND_CHANGE_AGAIN = N_(
        "Free some space, or give yourself permission to write there. Then change the setting again."
    )
    FOLDER_NOT_CREATED = N_("The folder “{path}” cannot be created.")
    CREATE_FOLDER_OR_SET_HOME = N_("Create it yourself, or set {variable} to a folder that you may write to.")
    KEY_INVALID = N_("This is not a valid key.")
    KEY_EMPTY_OR_WITH_SPACES = N_("It is empty, or contains spaces or control characters.")
    KEY_OF_VARIABLE_INVALID = N_("{variable} holds no valid key.")
    KEY_OF_KEYRING_INVALID = N_("The keyring holds no valid key.")
    KEY_WITH_FOREIGN_CHARACTERS = N_(
        "A key is made of unaccented letters, digits and signs such as - and _; it has no spaces, no line breaks and "
        "no quotation marks around it."
    )
    COPY_KEY_AGAIN = N_("Copy the key again, completely and without other text.")
    SET_VARIABLE_AGAIN = N_("Then set {variable} to it.")
    STORE_KEY_AGAIN = N_("Then store it anew.")
    PROVIDER_NEEDS_NO_KEY = N_("“{provider}” is not a provider that needs a key.")
    PROVIDERS_THAT_NEED_KEYS = N_("`operator-console models list` shows the providers that do.")
    KEYRING_UNUSABLE = N_("There is no keyring that stores secrets safely.")
    KEYRING_NOT_USABLE = N_("Not usable. {reason}")
    KEYRING_MISSING = N_("No keyring was found.")
    KEYRING_STORES_NOTHING = N_("The null keyring does not store anything.")
    KEYRING_STORES_PLAINLY = N_("It stores secrets in a readable file.")
    KEYRING_NOT_LOADED = N_("It cannot be loaded ({error}).")
    KEYRING_FAILED = N_("It failed ({error}).")
    KEYRING_NOT_READ = N_("It cannot be read ({error}; is it locked?).")
    KEYRING_SILENT = N_("The keyring does not answer.")
    UNLOCK_KEYRING = N_(
        "Unlock it, or end what it waits for, and try again; or set an environment variable in this shell, for example "
        "GEMINI_API_KEY."
    )
    SET_UP_KEYRING = N_(
        "Set up the keyring of the desktop (GNOME Keyring, KWallet, Keychain, Credential Manager), "
        "or set an environment variable in this shell, for example GEMINI_API_KEY."
    )
    # Model profiles
    NO_SUCH_PROFILE = N_("There is no model profile “{profile}”.")
    PROFILES_KNOWN = N_("These are in the settings: {names}.")
    CREATE_PROFILE = N_("Make it in the window, or with operator-console models profile add.")
    PROFILE_EXISTS = N_("There is a model profile “{profile}” already.")
    CHOOSE_OTHER_PROFILE_NAME = N_("Choose another name.")
    PROFILE_NAME_IS_PROVIDER = N_("“{profile}” is the name of a provider.")
    PROFILE_INVALID = N_("The model profile “{profile}” cannot be used like this.")
    CORRECT_PROFILE = N_("Correct it and try again. Nothing was saved.")
    PROFILE_PROVIDER_MISSING = N_("The provider “{provider}” of the model profile “{profile}” is not installed.")
    INSTALL_PROVIDER_OR_CHANGE_PROFILE = N_("Install the package that provides it, or choose another provider for it.")
    PROFILE_CHANGED_PROVIDER = N_("The model profile “{profile}” is now one of the provider “{provider}”.")
    CHOOSE_MODEL_AGAIN = N_("Start a new session with the model that you want.")
    PROFILE_WITH_MODEL = N_("--profile says which provider and model to use, and so does {option}.")
    LEAVE_OUT_ONE_OR_MAKE_PROFILE = N_("Leave one of them out, or make a profile with that model.")
    PROFILE_HAS_NO_VALUE = N_("The model profile has no value {what!r} that could be removed.")
    OPTION_WITHOUT_VALUE = N_("The option {option!r} has no value.")
    WRITE_OPTION_LIKE = N_("Write it like --option keep_screenshots=2.")
    # Checks of a model
    CHECK_ADDRESS_AND_NETWORK = N_("Check the address, your network, and whether the service is running.")
    CHECK_DIALECT = N_("Check the address, and whether this is the right provider for what answers there.")
    MODEL_KNOWS_ACTIONS_ALONE = N_("This model answers with actions alone: it cannot name what a task needs.")
    ASK_AGAIN_OR_NAME_SCOPE = N_("Ask again, or write it yourself.")
    CHECK_AGAIN_LATER = N_("Wait a little and check again. A session would do so by itself.")
    CHECK_FAILED_AT_SECOND_REQUEST = N_(
        "The first request of a session was answered; the second, with the result of the call and another picture, was "
        "not."
    )
    CHECK_ANSWERS_OF_SERVICE = N_(
        "A session would ask a few times more, and then fail. Check how the service runs this model, and the limit of "
        "tokens in the options of the model."
    )
    CHECK_WHAT_IS_KEPT = N_(
        "A session would get no further. Where it is about the number of pictures or the length of the request, lower "
        "keep_screenshots or keep_turns in the options of the model."
    )
    # Word tables of policy
    WORD_TABLE_UNUSABLE = N_("The word table “{path}” cannot be used.")
    CORRECT_OR_REINSTALL = N_("Correct it, or install the program again.")
    NO_WORD_TABLE = N_("It contains no *.toml file.")
    WORD_TABLE_CUT_OFF = N_("It ends at line {line} and has no section {sections}.")
    NOT_UTF8_IN_LINE = N_("Line {line} is not UTF-8: {error}.")
    UNKNOWN_WORD_SECTION = N_("Line {line}: {section}: not a section of a word table.")
    WORD_SECTION_EMPTY = N_("Line {line}: [{section}] must contain at least one of: {lists}.")
    UNKNOWN_WORD_LIST = N_("Line {line}: {list} is not a list of [{section}], which may contain: {lists}.")
    WORD_LIST_EMPTY = N_("Line {line}: {list} of [{section}] must be a list of texts, and not empty.")
    WORD_EMPTY = N_("Line {line}: {list} of [{section}] must hold texts that are not empty, not {item}.")
    # The program, its window and its commands
    SESSION_IS_RUNNING = N_("A session is already running.")
    STOP_OR_WAIT_FOR_END = N_("Stop it, or wait until it ends.")
    STOP_NOT_RESET_NOW = N_("The stop cannot be reset now.")
    STOP_NOT_RESET = N_("The stop was not reset.")
    RUN_STOP_FIRST = N_("First run operator-console stop.")
    RESET_NOT_CONFIRMED = N_("The reset was not confirmed.")
    INPUT_EMPTY = N_("Standard input is empty and not a terminal.")
    CONFIRM_IN_TERMINAL = N_("Run it in a terminal, or add --yes.")
    RUN_FOLDER_UNUSABLE = N_("The folder for runtime files cannot be used.")
    MAKE_RUN_FOLDER_USABLE = N_(
        "Free some space, give yourself permission to write there, or set OPERATOR_CONSOLE_HOME."
    )
    SPEED_INVALID = N_("--speed is not a number from 0 up.")
    SPEED_OF_REAL_TIME = N_("Use 1 for real time, or 0 for at once.")
    TASK_EMPTY = N_("The task is empty.")
    DESCRIBE_TASK = N_('Describe the task: operator-console run "Open the calculator".')
    MAX_STEPS_TOO_SMALL = N_("--max-steps {steps} is too small.")
    USE_ONE_OR_MORE = N_("Use 1 or more.")
    MAX_MINUTES_INVALID = N_("--max-minutes {minutes} is not a valid time.")
    USE_POSITIVE_NUMBER = N_("Use a number above 0.")
    SESSION_PATH_TAKEN = N_("“{path}” already exists.")
    CHOOSE_NEW_FILE_OR_RESUME = N_("Choose a new file for --session, or continue that session with --resume.")
    SESSION_FOLDER_MISSING = N_("The folder of “{path}” does not exist.")
    CREATE_OR_CHOOSE_FOLDER = N_("Create it, or choose another folder for --session.")
    ALLOW_UNKNOWN_CATEGORY = N_("--allow {category}: there is no such category.")
    ALLOW_NEVER_POSSIBLE = N_("--allow {category}: this always needs your confirmation.")
    ALLOW_NEEDS_AUTO = N_("--allow needs --autonomy auto.")
    ADD_AUTO_OR_REMOVE_ALLOW = N_("Add --autonomy auto, or remove --allow.")
    WINDOW_DOES_NOT_ANSWER = N_("The console’s window is already open on this display, but it does not answer.")
    CLOSE_OR_END_OTHER_WINDOW = N_("Close that window, or end its process, and start again.")
    OTHER_INTERFACE_IN_PROCESS = N_("Another user interface runs in this process.")
    START_CONSOLE_BY_ITSELF = N_("Start the console by itself.")
    COMMAND_FAILED = N_("An internal error occurred.")
    COMMAND_NOT_COMPLETED = N_("{error}. The command was not completed.")
    OUTPUT_NOT_WRITTEN = N_("The output cannot be written.")
    FREE_SPACE_FOR_OUTPUT = N_("Free some space, or send the output elsewhere, and run the command again.")
    SEE_LOG_FILE = N_("For details, see the log: {path}")
    CONSOLE_TASK_FAILED = N_("Something went wrong in the console itself.")
    SESSION_CONTINUES = N_("See the log for details. A running session continues and can be stopped.")
    PREVIEW_STOPPED = N_("The live preview stopped.")
    CHOOSE_TARGET_AGAIN = N_("Choose the target again.")
    ENDED_WITHOUT_REASON = N_("It ended without giving a reason. See the log for details.")
    DOCTOR_TEST = N_("Test by doctor")
    # Practice
    PRACTICE_NOT_OPENED = N_("The practice window did not open.")
    NOT_APPEARED_IN = N_("It did not appear within {seconds:g} s.")
    EXITED_WITH_CODE = N_("It exited with code {exit_code}.")
    CHECK_DISPLAY_WITH_DOCTOR = N_("Run operator-console doctor to check the display and PySide6.")
    # Tests of targets
    TARGET_TEST_TASK = N_("Test of {target}: point at marks, type a word, and stop.")
    TARGET_TEST_STOP = N_("The Test of the target asked for this stop.")
    TEST_OF_PICTURE = N_("Picture")
    TEST_OF_MARK = N_("Mark {number}")
    TEST_OF_PLACE = N_("Place {number}")
    TEST_OF_WORD = N_("Word")
    TEST_OF_STOP = N_("Stop")
    TEST_PICTURE_TAKES = N_("A picture takes {milliseconds:.0f} ms, about {rate:.0f} a second.")
    TEST_ERROR_PX = N_("Error: {pixels:g} px.")
    TEST_MARK_NOT_SEEN = N_("It is not in the picture.")
    TEST_MOVE_WHAT_COVERS = N_("Move what lies over the test window, and test again.")
    TEST_NO_PRESS = N_("No press arrived there.")
    TEST_POINTED_WRONG = N_("Nothing may be clicked on this target before this is right. See the troubleshooting page.")
    TEST_POINTER_NOT_TOLD = N_("Moved there. This target does not tell where its pointer is.")
    TEST_POINTER_ELSEWHERE = N_("The pointer was not found there.")
    TEST_WORD_ARRIVED = N_("“{word}” arrived as it was typed.")
    TEST_WORD_WRONG = N_("“{got}” arrived in place of “{word}”.")
    TEST_CHECK_LAYOUT = N_("Check the keyboard layout of the target, and what holds its keyboard focus.")
    TEST_TYPES_NOTHING = N_("Typing would change what is there.")
    TEST_STOPPED_TYPING = N_("Stopped after {done} of {all} characters. Nothing arrived later, and no key is held.")
    TEST_STOPPED_TYPING_LATE = N_(
        "Stopped after {done} of {all} characters. The last one was sent {milliseconds:.0f} ms after the "
        "stop; nothing arrived later, and no key is held."
    )
    TEST_STOPPED_MOVING = N_("Stopped after {done} of {all} motions. The pointer did not move any more.")
    TEST_STOPPED_MOVING_LATE = N_(
        "Stopped after {done} of {all} motions, the last one {milliseconds:.0f} ms after the stop. The "
        "pointer did not move any more."
    )
    TEST_STOP_TOO_LATE = N_("Everything was sent before the stop.")
    TEST_STOP_LEAKED = N_("Something arrived after the stop: {done} characters at the stop, {later} later.")
    TEST_STOP_MOVED = N_("The pointer moved after the stop.")
    TEST_STOP_HELD = N_("Keys that are still held there: {count}.")
    TEST_STOPPED_BY_PERSON = N_("The Test was stopped, or ended, before it came to this.")
    TEST_DO_NOT_USE = N_("Start no session on this target, and run operator-console doctor.")
    TEST_THEN_RESET = N_("The Test ends with a stop, as every stop does: Reset makes sessions possible again.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One sentence or phrase.

    Attributes:
        code: which; a text of a newer version that this one does not know stays a plain string.
        values: what differs from one use to the next, by name: text by others (titles, addresses, names), numbers, or
            phrases of ours as further notices.
    """

    code: NoticeCode | str
    values: Mapping[str, NoticeValue] = field(default_factory=dict)


NoticeValue: TypeAlias = str | int | float | tuple[Notice, ...]
