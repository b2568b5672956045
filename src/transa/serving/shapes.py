"""What requests look like. FastAPI makes the refusals and the OpenAPI document from these."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Label = Annotated[str, Field(min_length=1, max_length=10_000, description="A label or a name.")]
K = Annotated[int, Field(ge=1, description="How many answers.")]
Known = Annotated[bool, Field(description="Whether answers that the graph has are among them.")]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Tail(_Request):
    """(head, relation, ?)."""

    head: Label
    relation: Label


class Head(_Request):
    """(?, relation, tail)."""

    relation: Label
    tail: Label


class Relation(_Request):
    """(head, ?, tail)."""

    head: Label
    tail: Label


class Tails(_Request):
    """Many questions for tails."""

    questions: list[Tail]
    k: K = 10
    known: Known = False


class Heads(_Request):
    """Many questions for heads."""

    questions: list[Head]
    k: K = 10
    known: Known = False


class Relations(_Request):
    """Many questions for relations."""

    questions: list[Relation]
    k: K = 10
    known: Known = False


class Triples(_Request):
    """Triples of labels."""

    triples: list[tuple[Label, Label, Label]]


class Discover(_Request):
    """Facts to be found by these relations."""

    relations: list[Label]
    top: Annotated[int, Field(ge=1, description="How many facts.")] = 100
    min_probability: Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False)] = None


class Entities(_Request):
    """Entities by label."""

    entities: list[Label]
    k: K = 10
