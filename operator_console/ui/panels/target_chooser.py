"""The target part of the set-up: the list to choose from, the chosen target's picture, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import GRID, ElidedCombo, button, column, enable, label, show_text, wide

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from operator_console.domain.frames import Frame
    from operator_console.ui.backend import TargetChoice

THUMBNAIL_WIDTH, HEIGHT = 238, 96
LIST_ROWS = 12
"""Rows of the open list, headings included, before it scrolls."""


class Thumbnail(QFrame):
    """The target's picture, scaled to fit, on the preview's background colour."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "picture")
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._picture: QPixmap | None = None

    def show_image(self, image: QImage | None) -> None:
        """Show a picture; None shows the background alone."""
        self._picture = None
        if image is not None and not image.isNull():
            from PySide6.QtCore import Qt  # slow to import: see widgets/controls.py

            ratio = self.devicePixelRatioF()
            size = QSize(round(THUMBNAIL_WIDTH * ratio), round((HEIGHT - 2) * ratio))
            smooth = Qt.TransformationMode.SmoothTransformation
            self._picture = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, smooth))
            self._picture.setDevicePixelRatio(ratio)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background and the picture."""
        super().paintEvent(event)
        if self._picture is None:
            return
        painter = QPainter(self)
        size = self._picture.deviceIndependentSize()
        painter.drawPixmap(
            round((self.width() - size.width()) / 2), round((self.height() - size.height()) / 2), self._picture
        )
        painter.end()


class TargetCombo(ElidedCombo):
    """A combo box whose list is wider than itself.

    Signals:
        opened: carries whether the list is open now.
    """

    opened = Signal(object)
    _open = False

    def showPopup(self) -> None:
        """Open the list."""
        from operator_console.ui.panels.target_rows import LIST_WIDTH  # slow to import: with `QtCore.Qt`

        width = min(wide(LIST_WIDTH, 1.0), self.screen().availableSize().width())
        self.view().setMinimumWidth(max(width, self.width()))
        super().showPopup()
        self._show_whole_rows()
        self._tell(True)

    def _show_whole_rows(self) -> None:
        """Make the open list as high as its rows: Qt counts in margins that it takes from them again."""
        view, frame = self.view(), self.view().window()
        rows = sum(view.sizeHintForRow(row) for row in range(min(self.count(), self.maxVisibleItems())))
        missing = rows - view.viewport().height()
        area, place = self.screen().availableGeometry(), frame.geometry()
        if missing > 0 and place.height() + missing <= area.height():
            place.setHeight(place.height() + missing)
            place.moveBottom(min(place.bottom(), area.bottom()))
            frame.setGeometry(place)

    def hidePopup(self) -> None:
        """Close the list."""
        super().hidePopup()
        self._tell(False)

    def _tell(self, opened: bool) -> None:
        if opened is not self._open:  # Qt closes it more than once
            self._open = opened
            self.opened.emit(opened)


class TargetChooser(QWidget):
    """The list of targets, grouped, with the chosen one kept whatever the list becomes.

    Signals:
        chosen: another target is chosen, or it has closed or opened again; carries the TargetChoice or None.
        refresh_pressed, point_pressed, test_pressed: no payload.
        elements_toggled: carries whether the known elements are to be shown.
        list_opened: carries whether the list is open now.
    """

    chosen = Signal(object)
    refresh_pressed = Signal()
    point_pressed = Signal()
    test_pressed = Signal()
    elements_toggled = Signal(object)
    list_opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._choices: dict[str, TargetChoice] = {}
        self._wanted = self._last = ""
        self._told: tuple[str, bool] | None = None
        self._pictured = True
        rows = column(self, spacing=GRID)
        self.target = TargetCombo()
        head = QHBoxLayout()
        heading = label(_("Target"), "heading")
        heading.setBuddy(self.target)
        head.addWidget(heading)
        head.addStretch(1)
        self.test = button(
            _("Test…"),
            "link",
            name=_("Test the target"),
            tip=_("Try pointing, typing and the stop on the chosen target, and read back what arrived"),
        )
        head.addWidget(self.test)
        self.refresh = button(
            _("Refresh"), "link", name=_("Refresh targets"), tip=_("List the targets and their pictures anew")
        )
        head.addWidget(self.refresh)
        rows.addLayout(head)
        self._picture = Thumbnail()
        rows.addWidget(self._picture)
        rows.addWidget(self.target)
        self._risk = label(role="note", wrap=True)
        self._risk.hide()
        rows.addWidget(self._risk)
        foot = QHBoxLayout()
        foot.setContentsMargins(-6, 0, 0, 0)  # the link's padding: its text stands below the list
        tip = _("Outline on the preview the controls that the applications tell the console about")
        self.elements = button(_("Show elements"), "link", tip=tip)
        self.elements.setCheckable(True)
        self.point = button(
            _("Point at a window"),
            "link",
            tip=_("Choose a window by clicking it. The click is not passed on; Esc cancels."),
        )
        foot.addWidget(self.point)
        foot.addStretch(1)
        foot.addWidget(self.elements)
        rows.addLayout(foot)
        self._trouble = label(role="trouble", wrap=True)
        self._known = label(role="note", wrap=True)
        for later in (self._trouble, self._known):
            later.hide()
            rows.addWidget(later)
        self.elements.toggled.connect(self._elements_toggled)
        self.target.currentIndexChanged.connect(self._changed)
        self.target.opened.connect(self.list_opened)
        self.refresh.clicked.connect(self.refresh_pressed)
        self.point.clicked.connect(self.point_pressed)
        self.test.clicked.connect(self.test_pressed)

    # the list

    def show_targets(self, targets: Sequence[TargetChoice], chosen: str, last: str = "") -> None:
        """Show the available targets. The chosen one stays chosen; if it has closed, it is marked so and not replaced.

        Args:
            targets: all that are available.
            chosen: the spec to select if none is chosen yet; "": the first.
            last: the spec of the target that was used last, which stands first; "" for none.
        """
        self._last = last
        before = self.choice
        keep = before.spec if before is not None else self._wanted or chosen
        found = next((choice for choice in targets if choice.spec == keep), None)
        self._wanted = "" if not keep or found is not None or before is not None else keep
        gone: list[TargetChoice] = []
        if before is not None and (found is None or not _is_same(before, found)):
            keep = keep if found is None else f"{keep} (closed)"  # another window has its id now
            gone.append(_closed(before, keep))
        self._fill((*targets, *gone), keep)

    def show_last(self, spec: str) -> None:
        """Let this target, which is used now, stand first."""
        self._last = spec
        self._fill(tuple(self._choices.values()), str(self.target.currentData() or ""))

    def close_target(self, spec: str) -> None:
        """If the chosen target has closed, keep it selected and mark it closed."""
        chosen = self.choice
        if chosen is not None and chosen.spec == spec and not chosen.closed:
            self._fill(
                tuple(_closed(each, spec) if each.spec == spec else each for each in self._choices.values()), spec
            )

    def choose(self, spec: str) -> bool:
        """Choose a listed target; whether it is listed."""
        place = self._place(spec)
        if place >= 0:
            self.target.setCurrentIndex(place)
        return place >= 0

    @property
    def choice(self) -> TargetChoice | None:
        """The chosen target."""
        return self.listed(str(self.target.currentData() or ""))

    def listed(self, spec: str) -> TargetChoice | None:
        """The listed target with this specification."""
        return self._choices.get(spec)

    @property
    def empty(self) -> bool:
        """Whether no target is listed."""
        return not self._choices

    def visible_specs(self) -> list[str]:
        """The targets whose rows are in view in the open list."""
        view = self.target.view()
        area = view.viewport().rect()
        model, found = self.target.model(), []
        for row in range(self.target.count()):
            spec = str(self.target.itemData(row) or "")
            if spec and view.visualRect(model.index(row, 0)).intersects(area):
                found.append(spec)
        return found

    def put_picture(self, spec: str, image: QImage | None) -> None:
        """Show a picture in a target's row."""
        from operator_console.ui.panels.target_rows import PICTURE

        place = self._place(spec)
        if place >= 0:
            self.target.setItemData(place, image, PICTURE)

    def _place(self, spec: str) -> int:
        return next((row for row in range(self.target.count()) if self.target.itemData(row) == spec), -1)

    def _fill(self, choices: Sequence[TargetChoice], keep: str) -> None:
        """Make the rows these targets, without disturbing an open list: rows are added and taken away one by one."""
        from PySide6.QtGui import QStandardItemModel

        from operator_console.ui.panels.target_rows import SPEC, TargetRows

        if not isinstance(self.target.itemDelegate(), TargetRows):
            self.target.setItemDelegate(TargetRows(self.target))
            self.target.setMaxVisibleItems(LIST_ROWS)
        grouped = self._grouped(choices)
        self._choices = {choice.spec: choice for _, group in grouped for choice in group}
        wanted: list[tuple[str, TargetChoice | None]] = []
        for heading, group in grouped:
            wanted += [(heading, None), *((choice.title, choice) for choice in group)]
        self.target.blockSignals(True)
        keys = {(choice.spec if choice else "", "" if choice else title) for title, choice in wanted}
        for row in reversed(range(self.target.count())):
            spec = str(self.target.itemData(row, SPEC) or "")
            if (spec, "" if spec else self.target.itemText(row)) not in keys:
                self.target.removeItem(row)
        model = self.target.model()
        assert isinstance(model, QStandardItemModel)
        for row, (title, choice) in enumerate(wanted):
            spec = choice.spec if choice is not None else ""
            there = next((at for at in range(row, self.target.count()) if self._is_row(at, spec, title)), -1)
            if there < 0:
                self.target.insertItem(row, title, spec)
            elif there > row:
                model.insertRow(row, model.takeRow(there))  # with its picture
            self._dress(row, title, choice)
        self.target.setPlaceholderText(_("Choose a target"))
        first = next((row for row, (_, choice) in enumerate(wanted) if choice is not None), -1)
        self.target.setCurrentIndex(self._place(keep) if keep else first)
        self.target.blockSignals(False)
        self._changed(self.target.currentIndex())

    def _is_row(self, row: int, spec: str, title: str) -> bool:
        """Whether a row is that of a target, or with spec "" the heading with this title."""
        from operator_console.ui.panels.target_rows import SPEC

        return self.target.itemData(row, SPEC) == spec and (bool(spec) or self.target.itemText(row) == title)

    def _dress(self, row: int, title: str, choice: TargetChoice | None) -> None:
        from PySide6.QtCore import Qt
        from PySide6.QtGui import QStandardItemModel

        from operator_console.ui.panels.target_rows import KIND, NOTE

        if choice is None:
            model = self.target.model()
            assert isinstance(model, QStandardItemModel)
            model.item(row).setFlags(Qt.ItemFlag.NoItemFlags)
            last = self._choices.get(self._last)
            of_last = last.kind.value if last is not None and title == _("Last used") else ""
            kind = of_last or next(kind for kind in KINDS if heading(kind) == title)
            self.target.setItemData(row, risk(kind), NOTE)
            return
        note = " · ".join(part for part in (choice.app, choice.state) if part)
        told = ". ".join(part for part in (note, risk(choice.kind.value)) if part)
        said = {Qt.ItemDataRole.ToolTipRole: title, NOTE: note, KIND: choice.kind.value,
                Qt.ItemDataRole.AccessibleDescriptionRole: told}  # fmt: skip
        if self.target.itemText(row) != title:
            self.target.setItemText(row, title)
        for role, text in said.items():
            if self.target.itemData(row, role) != text:
                self.target.setItemData(row, text, role)

    def _grouped(self, choices: Sequence[TargetChoice]) -> list[tuple[str, list[TargetChoice]]]:
        """The one used last, then by kind, in the order of the headings.

        Rows keep their places while they exist; new ones come first.
        """
        places = {spec: place for place, spec in enumerate(self._choices)}
        last = [choice for choice in choices if choice.spec == self._last]
        found = [(_("Last used"), last)] if last else []
        for kind in KINDS:
            group = [choice for choice in choices if choice.kind.value == kind and choice not in last]
            if group:
                found.append((heading(kind), sorted(group, key=lambda one: places.get(one.spec, -1))))
        return found

    # display

    def show_busy(self, *, refreshing: bool) -> None:
        """Show whether the target list is being refreshed."""
        self.refresh.setText(_("Looking…") if refreshing else _("Refresh"))
        enable(
            self.refresh,
            _("Looking for targets…") if refreshing else "",
            tip=_("List the targets and their pictures anew"),
        )

    def show_known(self, words: str) -> None:
        """Show what is known about the elements of the target; "" hides it."""
        show_text(self._known, words)

    def set_pictured(self, pictured: bool) -> None:
        """Whether there is room for the chosen target's picture."""
        if pictured is not self._pictured:
            self._pictured = pictured
            self._show_or_hide_picture()

    def _show_or_hide_picture(self) -> None:
        choice = self.choice
        self._picture.setVisible(self._pictured and (choice is None or choice.closed or choice.live))

    def show_picture(self, frame: Frame | None) -> None:
        """Show the chosen target's newest picture; None for none."""
        from operator_console.ui.widgets.images import image_of

        self._picture.show_image(image_of(frame) if frame is not None else None)

    # event handlers

    def _elements_toggled(self, shown: bool) -> None:
        self.elements_toggled.emit(shown)

    def _changed(self, _place: int) -> None:
        choice = self.choice
        if choice is not None:
            self._wanted = ""
            trouble = choice.trouble
        else:
            trouble = (
                _("The target used last is not open. Choose another one.")
                if self._choices
                else _("No target available. Open a window or connect a monitor.")
            )
        show_text(self._trouble, trouble)
        self.target.setToolTip(choice.title if choice else "")
        said = risk(choice.kind.value) if choice is not None and not choice.closed else ""
        show_text(self._risk, said)
        self.target.setAccessibleDescription(said)
        # What is set up about a target that its session starts needs the room, and it has no picture before.
        self._show_or_hide_picture()
        now = (choice.spec, choice.closed) if choice is not None else None
        if now is None or now != self._told:
            self._told = now
            self.show_picture(choice.picture if choice is not None else None)
            self.chosen.emit(choice)


def _is_same(before: TargetChoice, now: TargetChoice) -> bool:
    """Whether two entries with the same specification are the same target."""
    if before.pid is not None and now.pid is not None:
        return before.pid == now.pid
    return not before.closed or before.title == _closed_title(now.title, now.kind.value)


def _closed(choice: TargetChoice, spec: str) -> TargetChoice:
    from dataclasses import replace

    kind = choice.kind.value
    title = choice.title if choice.closed else _closed_title(choice.title, kind)
    trouble = _what_about_a_closed(kind)
    return replace(choice, spec=spec, title=title, picture=None, state="", trouble=trouble, closed=True)


KINDS = ("virtual", "browser", "vm", "vnc", "window", "monitor")
"""The values of `TargetKind`, from the most isolated on."""


def heading(kind: str) -> str:
    """Of the targets of a kind in the list; `kind`: the value of its `TargetKind`."""
    match kind:
        case "virtual":
            return _("Isolated desktop")
        case "browser":
            return _("Browser")
        case "vm":
            return _("Virtual machines")
        case "vnc":
            return _("Remote")
        case "window":
            return _("Windows")
        case _:
            return _("Monitors")


def risk(kind: str) -> str:
    """What could go wrong there, in a sentence; `kind`: the value of its `TargetKind`."""
    match kind:
        case "virtual":
            return _("Mistakes stay there and in its folder Shared, but what it sends over the network is sent.")
        case "browser":
            return _("What it sends, orders or deletes on a site is done there, and cannot be undone here.")
        case "vm":
            return _(
                "Mistakes stay in the machine, with what it shares with this computer. A snapshot takes them back."
            )
        case "vnc":
            return _("What is done there is real and stays. VNC without TLS can be read and changed on the way.")
        case "window":
            return _("It works in your own program on your real files, and can open others from there.")
        case _:
            return _("It sees all that this monitor shows, and can open, change and delete whatever you can.")


def _closed_title(title: str, kind: str) -> str:
    """The title of a target that is no longer there."""
    match kind:
        case "monitor":
            return _("{title} (off)").format(title=title)
        case "virtual":
            return _("{title} (ended)").format(title=title)
        case _:
            return _("{title} (closed)").format(title=title)


def _what_about_a_closed(kind: str) -> str:
    match kind:
        case "monitor":
            return _("This monitor is switched off or unplugged. Choose another target, or switch it on again.")
        case "virtual":
            return _("This desktop has ended. Choose another target.")
        case _:
            return _("This target is closed. Choose another one, or open it again.")
