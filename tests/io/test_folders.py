"""Directories of results that somebody else may have made."""

import pytest

from fedfact.errors import InputError
from fedfact.io.folders import check_folder


@pytest.mark.parametrize("name", ["out.json", "figures", "figures/one.png"])
def test_a_directory_with_links_that_lead_out_of_it_is_refused(tmp_path, name):
    own, output = tmp_path / "own", tmp_path / "results"
    own.mkdir()
    (output / name).parent.mkdir(parents=True)
    (output / name).symlink_to(own if name == "figures" else own / "not there yet")
    with pytest.raises(InputError, match=f"results/{name}: leads out of .*; remove the link"):
        check_folder(output, ("out.json",), ("figures",))
    assert list(own.iterdir()) == []


def test_links_within_it_are_taken(tmp_path):
    output, link = tmp_path / "results", tmp_path / "link"
    (output / "figures").mkdir(parents=True)
    (output / "figures" / "one.png").symlink_to("two.png")
    (output / "out.json").symlink_to("figures/three")
    link.symlink_to(output)
    check_folder(link, ("out.json",), ("figures",))
    check_folder(tmp_path / "new", ("out.json",), ("figures",))
