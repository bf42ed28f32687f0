"""Schemas of requests and responses for OpenAPI; those of requests also validate them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, FailFast, Field, create_model

Label = str | bool | int | float
Number = float
TEXTS = ["The striker scored twice.", "Rates fell."]


class Asked(BaseModel):
    """A request: nothing is taken for something else, and nothing is passed over.

    What has no name here is taken and then refused, by the first such name: pydantic would make an error of each, and
    with a body full of them that takes seconds in which nobody else is answered. So lists fail fast, too.
    """

    model_config = ConfigDict(strict=True, extra="allow", json_schema_extra={"additionalProperties": False})

    @property
    def n_documents(self) -> int:
        """Return the number of documents in the request."""
        return 1


class Predict(Asked):
    """Documents to predict the labels of."""

    texts: Annotated[list[str], FailFast()] = Field(description="The documents.", examples=[TEXTS])
    top: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Add the scores (and probabilities) of so many of the best classes."
    )

    @property
    def n_documents(self) -> int:
        """Return the number of documents in the request."""
        return len(self.texts)


def predict_at_most(n_documents: int) -> type[Predict]:
    """Return a `Predict` class with a limit of documents, so that pydantic never builds a longer list."""
    about = Field(description="The documents.", examples=[TEXTS], max_length=n_documents)
    texts: Any = (Annotated[list[str], FailFast()], about)
    return create_model("Predict", __base__=Predict, __doc__=Predict.__doc__, texts=texts)


class Prediction(BaseModel):
    """What is predicted for a document: `label` and `score`, or `labels` and `scores` if it may have several."""

    label: Label | None = None
    score: Number | None = None
    probability: Number | None = Field(None, description="If the model was trained with probabilities.")
    labels: list[Label] | None = None
    scores: dict[str, Number] | None = None
    probabilities: dict[str, Number] | None = None
    unknown: bool = Field(False, description="True if no term of the document is known to the model.")


class Predictions(BaseModel):
    """One for each document, in their order; what does not apply is left out."""

    predictions: list[Prediction]


class Explain(Asked):
    """A document, and the class that is asked about: by default the predicted one, or else the best."""

    text: str = Field(examples=["The striker scored twice."])
    label: Label | None = None


class ScoredClass(BaseModel):
    """A class and its score."""

    label: Label
    score: Number
    threshold: Number | None = Field(description="From which on the class is predicted, if there may be several.")
    probability: Number | None
    predicted: bool


class Contribution(BaseModel):
    """What one term adds to the score of the class."""

    term: str
    count: int
    weight: Number
    contribution: Number
    compared: Number | None = Field(
        description="How much more it adds to this class than to all on average, if needed."
    )


class Explanation(BaseModel):
    """Contributions and intercept sum up to the score."""

    model: str = Field(description="The id of the model that answered.")
    predicted: list[Label]
    unknown: str | None
    classes: list[ScoredClass] = Field(description="All classes, the best first.")
    label: Label = Field(description="The class that is explained.")
    score: Number
    intercept: Number
    compared: bool = Field(
        description="Whether all contributions have one sign (logarithms of probabilities, votes), so that only "
        "comparing classes says what speaks for one."
    )
    contributions: list[Contribution] = Field(description="The largest first, for or against.")
    spans: list[tuple[int, int, int]] = Field(
        description="Where terms stand in the text: start, end (in Unicode code points), place in contributions."
    )


class LabelledClass(BaseModel):
    """A class and how many documents of it were trained on."""

    label: Label
    documents: int


class GivenLimits(BaseModel):
    """How much a request may ask for."""

    body: int = Field(description="Bytes.")
    documents: int
    length: int = Field(description="Characters of a document.")
    seconds: Number


class Card(BaseModel):
    """The model."""

    name: str
    id: str = Field(description="Of this very model: it changes when another is loaded.")
    bytes: int
    loaded: str
    labels: str
    classes: list[LabelledClass]
    terms: int
    terms_seen: int | None
    classifier: Any
    selector: Any
    trained: str | None
    updated: dict[str, Any] | None
    documents: int | None
    held_out: dict[str, Any] | None = Field(description="How good it was on documents that it was not trained on.")
    probabilities: bool
    settings: dict[str, Any]
    feedback: bool = Field(description="Whether corrections are taken.")
    limits: GivenLimits


class Term(BaseModel):
    """A term, a class, and how much it speaks for it."""

    term: str
    label: Label
    strength: Number


class Terms(BaseModel):
    """Some of the terms."""

    total: int
    terms: list[Term]


class Correct(Asked):
    """The right label of a document, or its right labels if a document may have several."""

    text: str = Field(examples=["The striker scored twice."])
    label: Label | None = None
    labels: list[Label] | None = Field(None, fail_fast=True)


class Written(BaseModel):
    """The correction is on the disk."""

    written: bool


class Health(BaseModel):
    """The service answers."""

    status: str


class Problem(BaseModel):
    """What is wrong."""

    code: str
    message: str


class Failure(BaseModel):
    """A request that is not answered as asked."""

    error: Problem
