"""Has the model name what the task needs, when the operator asks for it, and shows that in the set-up."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError
from operator_console.domain.scope import Scope, ScopeSource, SuggestedScope
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, ModelChoice, TargetChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.dialogs.privacy import PrivacyController
from operator_console.ui.panels.setup_column import SetupColumn

_TASK = "suggest_scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a suggestion is about."""

    task: str
    target: TargetChoice
    provider: str
    model: str
    profile: str


class ScopeSuggestionController(QObject):
    """Asks, and stops asking once what was asked about is no longer so: the task, the model or the target.

    Signals:
        told: the operator was told what leaves the machine, and something has (no payload).
    """

    told = Signal()

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, setup: SetupColumn, privacy: PrivacyController) -> None:
        super().__init__()
        self._backend, self._bridge, self._setup, self._privacy = backend, bridge, setup, privacy
        self._asked: _Asked | None = None
        setup.scope.suggest_pressed.connect(self._pressed)
        for changed in (setup.task.textChanged, setup.model_chosen, setup.chooser.chosen):
            changed.connect(self._changed)
        for beside in (setup.browser, setup.machine):
            beside.changed.connect(self._changed)
        bridge.ended.connect(self._ended)
        self._changed()

    def failed(self, name: str, error: ConsoleError) -> bool:
        """Show the error of a task in the set-up; returns False if it is of another."""
        if name != _TASK:
            return False
        self._setup.scope.show_note(" ".join(filter(None, error.worded)), trouble=True)
        return True

    def cancel(self) -> None:
        """Ask no longer."""
        if self._asked is not None:
            self._asked = None
            self._bridge.cancel(_TASK)
            self._setup.scope.show_note("")
            self._show_idle()

    def _pressed(self) -> None:
        if self._asked is not None:
            self.cancel()
        elif self._wanted() is not None:
            self._privacy.before(self._setup.chosen_model, self._ask, act=_("Ask the model"))

    def _ask(self) -> None:
        asked = self._asked = self._wanted()
        model = self._setup.chosen_model
        if asked is not None and model is not None:
            self._setup.scope.show_asking(True)
            self._bridge.run(_TASK, self._suggest(model, asked))

    async def _suggest(self, model: ModelChoice, asked: _Asked) -> None:
        found = await self._backend.suggest_scope(model, asked.target.kind, asked.task)
        self._setup.show_scope(Scope(apps=found.apps, sites=found.sites, effects=found.effects), ScopeSource.MODEL)
        self._setup.scope.show_note(_words(found))
        self._asked = None
        if not model.told:
            await self._backend.mark_told(SessionRequest(task="", provider=model.provider, profile=model.profile))
            self.told.emit()

    def _wanted(self) -> _Asked | None:
        """What Suggest would ask about now."""
        target, model = self._setup.chosen_target, self._setup.chosen_model
        if target is None or model is None or self._setup.suggestion_lacking:
            return None
        return _Asked(
            task=self._setup.task.toPlainText().strip(), target=target, provider=model.provider, model=model.model,
            profile=model.profile,
        )  # fmt: skip

    def _changed(self, _choice: object = None) -> None:
        if self._asked is not None and self._asked != self._wanted():
            self.cancel()
        self._setup.scope.show_blocked(self._setup.suggestion_lacking)

    def _ended(self, name: object) -> None:
        if name == _TASK:
            self._asked = None
            self._show_idle()

    def _show_idle(self) -> None:
        self._setup.scope.show_asking(False)
        self._setup.scope.show_blocked(self._setup.suggestion_lacking)


def _words(found: SuggestedScope) -> str:
    suggested = _("Suggested by the model. Check it before you start.")
    if not found.dropped:
        return suggested
    names = ", ".join(f"“{each}”" for each in found.dropped)
    return f"{suggested} {_('Left out, because it is not known here: {names}').format(names=names)}"
