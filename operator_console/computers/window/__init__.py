"""One window of this desktop, with its dialogs and menus, as a target."""
