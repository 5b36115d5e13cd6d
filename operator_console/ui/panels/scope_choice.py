"""What is in scope of the next session: applications, sites and kinds of effect, as the operator writes them or the
model suggests them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from operator_console.domain.risk import Category
from operator_console.domain.translations import _
from operator_console.ui.widgets.controls import (
    GRID,
    breakable,
    button,
    column,
    enable,
    label,
    plain,
    row_layout,
    set_role,
    show_text,
)

if TYPE_CHECKING:
    from operator_console.domain.scope import Scope, ScopeSource


class ScopeChoice(QWidget):
    """Two fields, and a box to tick for each kind of effect, folded until it is wanted.

    Signals:
        suggest_pressed: the model should be asked, or no longer (no payload).
        grown: more is shown, which should be seen (no payload).
    """

    suggest_pressed = Signal()
    grown = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Scope, ScopeSource] | None = None
        self._boxes: dict[Category, QCheckBox] = {}
        self._asking = False
        rows = column(self, spacing=GRID)
        head = QHBoxLayout()
        head.addWidget(label(_("Scope"), "heading"))
        head.addStretch(1)
        self.suggest = button(_("Suggest"), "link", name=_("Suggest the scope"))
        head.addWidget(self.suggest)
        rows.addLayout(head)
        self.apps, self.sites = QLineEdit(), QLineEdit()
        for field, name, shown in (
            (self.apps, _("Only these applications"), _("All applications")),
            (self.sites, _("Only these sites"), _("All sites")),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(shown)
            rows.addWidget(field)
        asked = _("Acting anywhere else is asked about, once for each.")
        self.apps.setToolTip(f"{_('Words of their names, separated by commas.')} {asked}")
        self.sites.setToolTip(f"{_('Hosts, or *.host for those below one, separated by commas.')} {asked}")
        line = row_layout()
        self._effects_said = label(_("All kinds of effect"), role="note", wrap=True)
        line.addWidget(self._effects_said, 1)
        self.unfold = button(_("Choose"), "link", name=_("Choose kinds of effect"))
        line.addWidget(self.unfold)
        rows.addLayout(line)
        self._inner = plain()
        self._rows = column(self._inner, spacing=2)
        self.only = self._box(_("Only these kinds of effect"))
        self.only.setToolTip(_("Another one is asked about at first, whatever Auto may do. Those of C4 always are."))
        rows.addWidget(self._inner)
        self._note = label(role="note", wrap=True)
        rows.addWidget(self._note)
        for later in (self._inner, self._note):
            later.hide()
        self.suggest.clicked.connect(self.suggest_pressed)
        self.unfold.clicked.connect(self._unfold_clicked)
        self.only.toggled.connect(self._effects_changed)

    # display

    def show_scope(self, scope: Scope, source: ScopeSource) -> None:
        """Show what is in scope, and remember who named it; undo brings back what a field had."""
        for field, named in ((self.apps, scope.apps), (self.sites, scope.sites)):
            field.selectAll()
            field.insert(", ".join(named))
            field.setCursorPosition(0)
        if scope.effects is not None:
            self._make_boxes()
        for category, box in self._boxes.items():
            box.setChecked(category in (scope.effects or ()))
        self.only.setChecked(scope.effects is not None)
        self._effects_changed()
        self._shown = scope, source

    def show_asking(self, asking: bool) -> None:
        """Show that the model is being asked, and that this can be cancelled."""
        self._asking = asking
        self.suggest.setText(_("Cancel") if asking else _("Suggest"))
        self.suggest.setAccessibleName(_("Cancel the suggestion") if asking else _("Suggest the scope"))
        if asking:
            self.show_note(_("The model is asked what the task needs…"))

    def show_note(self, text: str, *, trouble: bool = False) -> None:
        """Show a sentence below the fields; "" for none."""
        set_role(self._note, role="trouble" if trouble else "note")
        show_text(self._note, breakable(text))
        if text:
            self.grown.emit()

    def show_blocked(self, why: str) -> None:
        """Disable Suggest for a reason, which it then says; "" enables it."""
        told = _("Ask the model which applications, sites and kinds of effect the task needs. It gets the task alone.")
        enable(self.suggest, "" if self._asking else why, tip=told)

    def show_sites(self, shown: bool) -> None:
        """Whether the field of sites is shown."""
        self.sites.setVisible(shown)

    # state queries

    @property
    def note(self) -> str:
        """The sentence below the fields."""
        return "" if self._note.isHidden() else self._note.text().replace("\u200b", "")

    @property
    def boxes(self) -> dict[Category, QCheckBox]:
        """The boxes of the kinds of effect, once they were needed."""
        return self._boxes

    @property
    def effects(self) -> tuple[Category, ...] | None:
        """The kinds of effect in scope; None: all."""
        if not self.only.isChecked():
            return None
        return tuple(category for category, box in self._boxes.items() if box.isChecked())

    @property
    def chosen(self) -> Scope:
        """What is in scope."""
        from operator_console.domain.scope import Scope

        return Scope(apps=_listed(self.apps), sites=_listed(self.sites), effects=self.effects)

    def source_of(self, scope: Scope) -> ScopeSource:
        """Who named this scope: whoever named what was shown last, unless it was edited since."""
        from operator_console.domain.scope import ScopeSource

        shown, source = self._shown or (scope, ScopeSource.OPERATOR)
        return source if source is ScopeSource.OPERATOR or scope == shown else ScopeSource.EDITED

    # event handlers

    def _unfold_clicked(self) -> None:
        self._make_boxes()
        shown = self._inner.isHidden()
        self._inner.setVisible(shown)
        self.unfold.setText(_("Hide") if shown else _("Choose"))
        self.unfold.setAccessibleName(_("Hide kinds of effect") if shown else _("Choose kinds of effect"))
        if shown:
            self.grown.emit()

    def _effects_changed(self) -> None:
        from operator_console.ui.view.words import names_of  # imported here: it would delay the first paint

        effects = self.effects
        for box in self._boxes.values():
            box.setEnabled(effects is not None)
        if effects is None:
            said = _("All kinds of effect")
        elif not effects:
            said = _("No kind of effect")
        else:
            said = _("Only: {effects}").format(effects=names_of(effects))
        self._effects_said.setText(said)

    def _make_boxes(self) -> None:
        if self._boxes:
            return
        from operator_console.ui.view.words import permission_name

        for category in Category:
            if category is not Category.UNKNOWN:
                box = self._boxes[category] = self._box(permission_name(category))
                box.setEnabled(self.only.isChecked())
                box.toggled.connect(self._effects_changed)

    def _box(self, text: str) -> QCheckBox:
        box = QCheckBox(text)
        box.setAccessibleName(text)
        self._rows.addWidget(box)
        return box


def _listed(field: QLineEdit) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, field.text().split(",")))))
