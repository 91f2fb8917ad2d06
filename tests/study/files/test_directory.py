"""The result of a study, as it is read from its directory."""

import json

import numpy as np

from fedfact import read_result


def test_a_result_is_a_table_of_its_arms(tiny):
    found = read_result(tiny)
    lines = repr(found).splitlines()
    assert lines[0] == "Result of study tiny: Digits, 7 agents, seeds 2"
    assert lines[1].split()[:3] == ["arm", "local_accuracy", "federated_accuracy"]
    assert [line.split()[0] for line in lines[2:]] == ["iid", "dirichlet:0.3"]
    assert "<td>dirichlet:0.3</td>" in found._repr_html_()
    summary = json.loads((tiny / "summary.json").read_text())
    frame = found.to_frame()
    assert frame["fact_rebate"].tolist() == [
        arm["loss"]["fact_rebate"]["mean"] for arm in summary["arms"]
    ]
    assert np.isfinite(frame.drop(columns="arm").to_numpy()).all()
