"""Schemas of requests and responses for OpenAPI; those of requests also validate them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, create_model

Label = str | bool | int | float
Number = float
EXAMPLE_TEXTS = ["The striker scored twice.", "Rates fell."]


class RequestBody(BaseModel):
    """The JSON of a request: types are not converted, and unknown fields are an error.

    pydantic accepts unknown fields here, and the route rejects them by naming the first one. If pydantic rejected them,
    it would create an error for each, and a body full of them would block the service for seconds. Lists fail fast for
    the same reason.
    """

    model_config = ConfigDict(strict=True, extra="allow", json_schema_extra={"additionalProperties": False})

    @property
    def n_documents(self) -> int:
        """Return the number of documents in the request."""
        return 1


class PredictRequest(RequestBody):
    """Documents to classify."""

    texts: Annotated[list[str], FailFast()] = Field(description="The documents.", examples=[EXAMPLE_TEXTS])
    top: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Return the scores (and probabilities) of this many best classes."
    )

    min_probability: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None,
        description="Give no label to a document whose best class is less probable, or that has no known term. The "
        "default is that of the service.",
    )

    @property
    def n_documents(self) -> int:
        """Return the number of documents in the request."""
        return len(self.texts)


def limited_predict_request(max_documents: int) -> type[PredictRequest]:
    """Return a `PredictRequest` class with a limit of documents, so that pydantic never builds a longer list."""
    field = Field(description="The documents.", examples=[EXAMPLE_TEXTS], max_length=max_documents)
    texts: Any = (Annotated[list[str], FailFast()], field)
    return create_model("PredictRequest", __base__=PredictRequest, __doc__=PredictRequest.__doc__, texts=texts)


class Prediction(BaseModel):
    """The prediction for a document: `label` and `score`, or `labels` and `scores` for a multilabel model."""

    label: Label | None = Field(None, description="Null if the model is not sure, and `min_probability` is given.")
    best_guess: Label | None = Field(None, description="The best class, only if the model is not sure.")
    score: Number | None = None
    probability: Number | None = Field(None, description="Only if the model was trained with probabilities.")
    labels: list[Label] | None = None
    scores: dict[str, Number] | None = None
    probabilities: dict[str, Number] | None = None
    unknown: bool = Field(False, description="True if the document has no term that the model knows.")


class PredictResponse(BaseModel):
    """One prediction for each document, in the order of the request. Fields that don't apply are left out."""

    predictions: list[Prediction]


class ExplainRequest(RequestBody):
    """A document, and the class to explain; by default the predicted class, or the best one if none is predicted."""

    text: str = Field(examples=["The striker scored twice."])
    label: Label | None = None


class KnownWords(BaseModel):
    """How many words of a text the model knows."""

    known: int = Field(description="Words that overlap with a term of the model.")
    total: int


class ScoredClass(BaseModel):
    """A class and its score."""

    label: Label
    score: Number
    threshold: Number | None = Field(description="The least score that assigns the class, in a multilabel model.")
    probability: Number | None
    predicted: bool


class TermContribution(BaseModel):
    """What one term adds to the score of the class."""

    term: str
    count: int
    weight: Number
    contribution: Number
    compared: Number | None = Field(
        description="How much more the term adds to this class than to all classes on average; "
        "null unless `compared` is true for the whole explanation."
    )


class ExplainResponse(BaseModel):
    """The score of a class is the sum of all contributions and the intercept."""

    model: str = Field(description="The id of the model.")
    predicted: list[Label]
    unknown: str | None
    abstains: bool = Field(description="True if the model is not sure, by the minimum probability of the service.")
    words: KnownWords
    classes: list[ScoredClass] = Field(description="All classes, the best first.")
    label: Label = Field(description="The explained class.")
    score: Number
    intercept: Number
    compared: bool = Field(
        description="True if all contributions have the same sign (logarithms of probabilities, votes). Then only a "
        "comparison of classes shows which terms speak for a class."
    )
    contributions: list[TermContribution] = Field(description="By absolute value, the largest first.")
    spans: list[tuple[int, int, int]] = Field(
        description="Positions of the terms in the text: start, end (in Unicode code points), and the index of the "
        "term in `contributions`. At most 500,000 are returned, those that start first."
    )


class ModelClass(BaseModel):
    """A class and its number of training documents."""

    label: Label
    documents: int


class UpdateMethod(BaseModel):
    """What `textsieve update` does with the model and corrections."""

    method: Literal["add", "retrain"] | None = Field(
        description="`add` corrections to the model, `retrain` it from its sources and corrections, or null if "
        "neither is possible."
    )
    description: str = Field(description="The same as a sentence, with the reason if neither is possible.")


class RequestLimits(BaseModel):
    """The limits of a request."""

    body: int = Field(description="In bytes.")
    documents: int
    length: int = Field(description="Characters in a document.")
    seconds: Number


class ModelResponse(BaseModel):
    """The model in use, and the limits of requests."""

    name: str = Field(description="The name of the model file.")
    title: str | None = Field(description="The title, the description and the examples are those that its owner gave.")
    description: str | None
    examples: list[str]
    id: str = Field(description="Changes when another model is loaded.")
    bytes: int
    loaded: str
    multilabel: bool
    classes: list[ModelClass]
    terms: int
    terms_seen: int | None
    classifier: Any
    selector: Any
    analysis: dict[str, Any] = Field(description="What terms are: the analyzer, and lengths of n-grams of characters.")
    trained: str | None
    updated: dict[str, Any] | None
    update: UpdateMethod
    documents: int | None
    held_out: dict[str, Any] | None = Field(description="Quality on documents that were held out from training.")
    probabilities: bool
    confidence: dict[str, Any] | None = Field(
        description="How many held-out documents had a label of at least some probability, and how many were right."
    )
    min_probability: Number | None = Field(description="The least probability of a label, if the service has one.")
    settings: dict[str, Any]
    text_columns: list[str] = Field(description="The columns of the text in training, if they were named.")
    feedback: bool = Field(description="True if the service accepts corrections.")
    limits: RequestLimits


class TermEntry(BaseModel):
    """A term, a class, and how strongly the term speaks for it."""

    term: str
    label: Label
    strength: Number


class TermsResponse(BaseModel):
    """A page of the terms, and the total number of matching terms."""

    total: int
    terms: list[TermEntry]


class FeedbackRequest(RequestBody):
    """A document and its right label, or its right labels for a multilabel model; or a withdrawal of these."""

    text: str = Field(examples=["The striker scored twice."])
    label: Label | None = Field(None, description="Null if none of the classes is right.")
    labels: list[Label] | None = Field(None, fail_fast=True, description="Empty if none of the classes is right.")
    withdraw: bool = Field(
        False,
        description="True to withdraw all corrections of the document so far, as if they had never been sent; then "
        "leave out the label.",
    )


class FeedbackResponse(BaseModel):
    """The correction or withdrawal is on the disk."""

    written: bool


class HealthResponse(BaseModel):
    """The service is running."""

    status: str


class ErrorDetails(BaseModel):
    """An error code and fields for programs, and a message for people. Fields that don't apply are left out."""

    code: str
    message: str = Field(description="The whole message, including the hint.")
    setting: str | None = Field(
        None, description="The field, query parameter or header of the request that has the problem."
    )
    value: Any = Field(None, description="Its value; a long value is shortened.")
    allowed: list[Any] | None = Field(None, description="The allowed values, unless they are more than 100.")
    hint: str | None = Field(None, description="What to do.")
    place: str | None = Field(None, description="Where in the request the problem is, such as `texts.3`.")


class ErrorResponse(BaseModel):
    """An error."""

    error: ErrorDetails
