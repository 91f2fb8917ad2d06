"""``fedfact.plot``: a picture by the kind of result."""

import numpy as np
import pytest

from fedfact import Applicant, InputError, Population, Terms, others_like, plot, settle

TERMS = Terms(error_scale=1.0, unit=1e-6, rule="rebate")


def test_a_settlement_is_drawn_and_saved(tmp_path):
    agents = Population(["a", "b", "c"], np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    picture = plot(settle(agents, TERMS))
    assert picture._repr_svg_().lstrip().startswith("<?xml")
    picture.save(tmp_path / "settlement.svg")
    assert (tmp_path / "settlement.svg").read_bytes() == picture.svg
    assert repr(picture) == "Picture(title='What each agent pays and receives')"


def test_an_applicants_losses_are_drawn():
    others = others_like(4e-6, TERMS, agents=6, total=None)
    picture = plot(Applicant(4e-6, TERMS, others, knows_reports=False))
    assert b"<svg" in picture.svg


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="there is no picture of a list"):
        plot([1, 2])
