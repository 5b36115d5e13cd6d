"""The dialog of secrets: what it hands out, and that it shows no value."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from operator_console.domain.errors import OperatorError
from operator_console.domain.secrets_by_name import NamedSecret, parse_bindings
from operator_console.ui.dialogs.kept_secrets import SecretEntered, SecretsDialog

BANK = NamedSecret(name="bank", bound_to=parse_bindings(["site:bank.example", "app:Vault"]))


@pytest.fixture
def dialog(app: QApplication) -> Iterator[SecretsDialog]:
    made = SecretsDialog(None)
    made.open()
    yield made
    made.close()


def said(dialog: SecretsDialog) -> str:
    return "\n".join(part.text() for part in dialog.findChildren(QLabel) if not part.isHidden())


def test_a_secret_is_handed_out_and_its_value_never_shown(dialog: SecretsDialog) -> None:
    entered: list[SecretEntered] = []
    dialog.entered.connect(entered.append)
    assert not dialog.keep.isEnabled()
    dialog.name.setText("bank")
    dialog.places.setText("site:bank.example, app:Vault")
    dialog.value.setText("hunter2-hunter2")
    dialog.keep.click()
    assert (entered[0].secret, entered[0].value) == (BANK, "hunter2-hunter2")
    assert "hunter2" not in repr(entered[0])
    assert dialog.value.echoMode() is QLineEdit.EchoMode.Password
    dialog.show_secrets([BANK])
    assert dialog.value.text() == ""
    assert dialog.list.item(0).text() == "bank — site:https://bank.example, app:Vault"


def test_what_is_no_place_is_said(dialog: SecretsDialog) -> None:
    entered: list[object] = []
    dialog.entered.connect(entered.append)
    for part, text in ((dialog.name, "bank"), (dialog.places, "bank.example"), (dialog.value, "x")):
        part.setText(text)
    dialog.keep.click()
    assert entered == []
    assert "“bank.example”" in said(dialog)


def test_the_chosen_one_can_be_replaced_or_deleted(dialog: SecretsDialog) -> None:
    deleted: list[object] = []
    dialog.delete_pressed.connect(deleted.append)
    dialog.show_secrets([BANK])
    assert not dialog.delete.isEnabled()
    dialog.list.setCurrentRow(0)
    assert (dialog.name.text(), dialog.value.text()) == ("bank", "")
    dialog.delete.click()
    assert deleted == ["bank"]
    dialog.show_error(OperatorError("The keyring is gone.", remedy="Start it."))
    assert "The keyring is gone. Start it." in said(dialog)
