"""Documents of the protocol: what their fields may hold, and how they are read and written.

A document is read from canonical bytes only; an unknown field, a missing one or one of another
type is refused.
"""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ...arrays import IN_RANGE, LARGEST, MOST_SAMPLES, SMALLEST
from ...errors import InputError
from ...mechanism.exact import MOST_MONEY
from .canonical import MOST, canonical, digest, number_of, read_canonical


def _decimal(text: str) -> str:
    number_of(text)
    return text


def _cost(text: str) -> str:
    if not SMALLEST <= number_of(text) <= LARGEST:
        raise InputError(f"{text} is out of range; it must be {IN_RANGE}")
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise InputError("control characters have no place in words that people will read")
    return text


MOST_WORDS = 500
"""The most characters of what people say."""

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Signature = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$")]
Words = Annotated[str, Field(max_length=MOST_WORDS), AfterValidator(_printable)]
Decimal = Annotated[str, Field(max_length=32), AfterValidator(_decimal)]
Cost = Annotated[str, Field(max_length=32), AfterValidator(_cost)]
SampleCount = Annotated[int, Field(ge=1, le=MOST_SAMPLES)]
Count = Annotated[int, Field(ge=0, le=MOST_SAMPLES)]
Money = Annotated[int, Field(ge=-MOST_MONEY, le=MOST_MONEY)]


def checked_words(text: str, what: str) -> str:
    """What a person says for the ledger, refused where it says nothing or cannot be read."""
    if not text.strip() or not text.isprintable() or len(text) > MOST_WORDS:
        raise InputError(
            f"give {what} in words, for the ledger: one line of {MOST_WORDS} characters at most"
        )
    return text


class Document(BaseModel):
    """A frozen document."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def dump(self) -> dict[str, Any]:
        """The document as JSON values."""
        return self.model_dump(mode="json", by_alias=True)

    def encoded(self) -> bytes:
        """Its canonical bytes."""
        return canonical(self.dump())

    def hash(self) -> str:
        """SHA-256 of its canonical bytes."""
        return digest(self.encoded())

    @classmethod
    def take(cls, values: Any) -> Self:
        """The document with these JSON values, or a refusal that names the first wrong field."""
        return cls.read(canonical(values))

    @classmethod
    def read(cls, data: bytes, most: int = MOST) -> Self:
        """The document with these canonical bytes."""
        values = read_canonical(data, most)
        what = re.sub("(?<=.)(?=[A-Z])", " ", cls.__name__).lower()
        cls._refuse(values, what)
        try:
            document = cls.model_validate_json(data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            field = ".".join(map(str, first["loc"])) or "it"
            raise InputError(f"not a valid {what}: {field}: {first['msg'].lower()}") from None
        if document.dump() != values:  # defaults are for writing a document, not for reading one
            raise InputError(f"not a valid {what}: a field is missing")
        return document

    @classmethod
    def _refuse(cls, values: Any, what: str) -> None:
        """What is not even tried."""


FORMAT = 1
"""The format of all that this version of fedfact stores (docs/ledger-format.md)."""


class Stored(Document):
    """A document that lies in a file, or begins a ledger: it names the version of its format."""

    format: Annotated[int, Field(ge=FORMAT, le=FORMAT)]

    @classmethod
    def _refuse(cls, values: Any, what: str) -> None:
        said = values.get("format") if isinstance(values, dict) else None
        if isinstance(said, int) and said != FORMAT:
            raise InputError(
                f"a {what} of format {said}, and this fedfact reads format {FORMAT}; use the "
                "fedfact that wrote it, or a newer one"
            )
