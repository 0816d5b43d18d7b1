"""Replies as the API's description shows them."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "ErrorReply",
    "ExplanationReply",
    "Health",
    "ModelInfo",
    "ModelInfos",
    "PredictionOfText",
    "Predictions",
]

Label = str | int | bool


class RankedClass(BaseModel):
    """One of the most probable classes."""

    name: Label = Field(alias="class")
    probability: float


class Prediction(BaseModel):
    """A prediction, with the same meaning as the columns that leaven predict adds."""

    predicted: Label | list[Label] | None = Field(
        description="The class; a list where texts can have several; null where undecided."
    )
    probability: float = Field(description="Probability that this is correct, six decimals.")
    note: str | None = Field(description='Null, "no known word", "undecided", or both.')
    top: list[RankedClass] | None = Field(
        None, description="The most probable classes; absent unless asked for."
    )


class PredictionOfText(Prediction):
    """The reply for one text."""

    model: str


class Predictions(BaseModel):
    """The reply for several texts, in their order."""

    model: str
    predictions: list[Prediction]


class Health(BaseModel):
    """That requests are answered, and by which models."""

    status: str
    models: list[str]


class ErrorDetails(BaseModel):
    """What went wrong: a code for programs, and a sentence for people."""

    code: str
    message: str


class ErrorReply(BaseModel):
    """The one form of all errors."""

    error: ErrorDetails


class WordPull(BaseModel):
    """A word, and what it contributes to the log odds of each class."""

    word: str
    weight: float
    pull: dict[str, float]


class NeighborReply(BaseModel):
    """A training document that is similar to the text, or that voted."""

    document: int
    name: str | list[str] = Field(alias="class")
    similarity: float
    share: float | None
    is_labeled: bool
    text: str | None


class ExplanationReply(BaseModel):
    """What leaven explain prints as JSON for a text, and the model."""

    model: str
    predicted: str | list[str]
    confidence: float
    note: str | None
    probability: dict[str, float]
    words: list[WordPull]
    unknown_words: int
    neighbors: list[NeighborReply]
    generated: dict[str, Any] | None = Field(
        None, description="Which label each word comes from; for models that tell."
    )


class ModelInfo(BaseModel):
    """What leaven info prints as JSON; more than these values."""

    model_config = ConfigDict(extra="allow")

    file: str
    bytes: int
    format: int
    leaven: str
    method: str
    classes: list[str]
    n_words: int
    options: dict[str, Any]
    report: dict[str, Any]
    warnings: list[str]


class ModelInfos(BaseModel):
    """All models by name."""

    models: dict[str, ModelInfo]
