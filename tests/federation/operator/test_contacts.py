"""Contacts lie beside the ledger, for the operator alone, and can be erased."""

import pytest

from fedfact.errors import InputError
from fedfact.federation.operator.contacts import erase_contact, keep_contacts, read_contacts


def test_contacts_are_kept_changed_and_erased(tmp_path):
    assert read_contacts(tmp_path) == {}
    keep_contacts(tmp_path, {"oak": "Oak Clinic, it@oak.example", "elm": "Elm"})
    keep_contacts(tmp_path, {"elm": "Elm Hospital"})
    assert read_contacts(tmp_path) == {"oak": "Oak Clinic, it@oak.example", "elm": "Elm Hospital"}
    assert (tmp_path / "contacts.json").stat().st_mode & 0o777 == 0o600
    assert erase_contact(tmp_path, "oak") is True
    assert erase_contact(tmp_path, "oak") is False
    assert b"Oak" not in (tmp_path / "contacts.json").read_bytes()
    assert read_contacts(tmp_path) == {"elm": "Elm Hospital"}


@pytest.mark.parametrize("contacts", [{"../oak": "x"}, {"oak": "\x1b[31m"}, {"oak": "x" * 501}])
def test_what_is_no_contact_is_refused(tmp_path, contacts):
    with pytest.raises(InputError):
        keep_contacts(tmp_path, contacts)
    assert not (tmp_path / "contacts.json").exists()
