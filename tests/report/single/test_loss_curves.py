"""The picture of an applicant's losses: under every rule, among few others and many."""

import io

import numpy as np
import pytest
from PIL import Image

from fedfact import Terms
from fedfact.advice.advise import advise
from fedfact.advice.applicant import Applicant
from fedfact.mechanism import RULES, Others
from fedfact.report.single.loss_curves import picture_of_losses


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("others", "capacity"), [(2, None), (50, None), (50, 400)])
def test_losses_can_be_drawn(rule, others, capacity):
    member = Applicant(
        true_cost=1e-6,
        terms=Terms(error_scale=1.0, rule=rule),
        others=Others(np.full(others, 300.0), np.linspace(0.5e-6, 1.5e-6, others)),
        knows_reports=True,
        capacity=capacity,
    )
    picture = picture_of_losses(advise(member), member, ".png")
    with Image.open(io.BytesIO(picture)) as image:
        assert image.size == (1125, 720)
