"""A member's own config, ``member.toml``: what it has, what it costs, what it will not go beyond.

It stays on the member's machine. Of all this the operator only learns the reported cost and, if
they are fewer than the report asks for, the number of samples.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...arrays import LARGEST, SMALLEST
from ...errors import InputError, check_keys
from ...io.files import read_toml
from ...mechanism import Curve, Terms
from ...mechanism.population import MOST_SIZE
from ..wire.document import Name

_Cost = Annotated[float, Field(ge=SMALLEST, le=LARGEST)]


class MemberConfig(BaseModel):
    """The keys of ``member.toml``.

    Attributes:
        name: what the operator and all others know it by; its request and its kit have the same.
        true_cost: what one sample costs this member, in the unit of the terms.
        data: where its samples are (see `fedfact.data.member_data`).
        reported_cost: what to report; the truth, unless somebody wants to try a lie.
        error_scale, exponent: the member's own estimates of A and b; the terms' where it has none.
        size: the size that it expects its contract to state; else it takes the operator's word.
        most_fee: the most that a contract may ask for in the worst case, its largest fee and its
            largest charge together, in minor units; it signs for no more.
        most_samples: the most samples it lends to this federation.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Name
    true_cost: _Cost
    data: str
    reported_cost: _Cost | None = None
    error_scale: _Cost | None = None
    exponent: Annotated[float, Field(ge=0.05, le=2)] | None = None
    size: Annotated[int, Field(ge=1, le=MOST_SIZE)] | None = None
    most_fee: Annotated[int, Field(ge=0)] | None = None
    most_samples: Annotated[int, Field(ge=1)] | None = None

    def own_curve(self, terms: Terms) -> Curve:
        """The learning curve as the member estimates it."""
        A = terms.required_error_scale if self.error_scale is None else self.error_scale
        return Curve(float(A), float(terms.exponent if self.exponent is None else self.exponent))

    @property
    def report(self) -> float:
        """The cost that the member reports."""
        return self.true_cost if self.reported_cost is None else self.reported_cost


def read_member_config(path: Path, within: Path | None = None) -> MemberConfig:
    """Read and check a config; an unknown key is refused with the nearest valid name.

    Not one that links lead to out of the directory ``within``.
    """
    table = read_toml(path, "a TOML file with name, true_cost and data", within)
    try:
        check_keys(table, MemberConfig.model_fields)
        return MemberConfig(**table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InputError(f"{path}: {first['loc'][0]}: {first['msg'].lower()}") from None
