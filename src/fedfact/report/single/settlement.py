"""Who pays and who receives in one settlement."""

from matplotlib.figure import Figure

from ...mechanism import Settlement
from ..base.flow import draw_flow, flow_height
from ..base.style import picture


def picture_of_settlement(settlement: Settlement, ending: str) -> bytes:
    """What each agent pays (left), receives (right) and is left with (dot), best off first."""
    height = max(2.6, 1.3 + flow_height(len(settlement.population), 0.32))
    return picture(lambda figure: _draw(figure, settlement), (8, height), ending)


def _draw(figure: Figure, settlement: Settlement) -> None:
    value, axes = float(settlement.terms.unit), figure.subplots()
    columns = settlement.rule.columns(settlement.input == "measured")
    amounts = {name: getattr(settlement, name) * value for name in columns}
    draw_flow(axes, settlement.population.agents, amounts)
    axes.set_xlabel(f"paid  ◂   in {settlement.terms.money_unit.name}   ▸  received")
    axes.set_title(f"Settlement by {settlement.terms.rule}")
    figure.legend(loc="outside lower center", ncols=6)
