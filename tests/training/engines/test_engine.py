"""Machines: what is taken when nothing is said, and what is refused with its remedy."""

import pytest
import torch

from fedfact import InputError
from fedfact.training import Machine


@pytest.fixture(params=[False, True], ids=["no cuda", "cuda"])
def cuda(request, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: request.param)
    return request.param


def test_auto_takes_cuda_where_it_is(cuda):
    assert Machine().arithmetic == ("cuda bf16" if cuda else "cpu fp32")
    assert Machine(precision="fp32").arithmetic == ("cuda fp32" if cuda else "cpu fp32")
    assert Machine(plain=True).arithmetic == "cpu fp32"
    assert Machine("cpu").arithmetic == "cpu fp32"
    assert Machine("cpu", precision="bf16", workers=3).arithmetic == "cpu bf16"


@pytest.mark.parametrize(
    ("there", "options", "message"),
    [
        (False, {"device": "cuda"}, "there is no CUDA device here; take device cpu or auto"),
        (
            True,
            {"device": "cuda", "plain": True},
            "the plain engine runs on the CPU; take device cpu or the fast engine",
        ),
        (False, {"device": "tpu"}, "device 'tpu' is not known; take auto, cpu or cuda"),
        (False, {"precision": "fp8"}, "precision 'fp8' is not known; take fp32 or bf16"),
        (False, {"workers": 0}, "workers are 0; take 1 or more"),
        (False, {"workers": -2}, "workers are -2; take 1 or more"),
        (
            False,
            {"plain": True, "workers": 2},
            "the plain engine has no workers; leave them out, or take the fast one",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_remedy(monkeypatch, there, options, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    with pytest.raises(InputError) as refusal:
        Machine(**options)
    assert str(refusal.value) == message
