"""Bodies of requests: what is checked, and what is said about those that are refused."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from leaven._base.printing import printable
from leaven.web._asgi import Refused

__all__ = ["ExplainRequest", "PredictRequest", "parsed"]

MOST_SHOWN = 60  # characters of a value in a message
MOST_CLASSES = 2**31
# What is said about a name that should be there, or should not: its value does not matter.
UNKNOWN = {
    "extra_forbidden": "is not part of a request; correct its name or leave it out",
    "missing": "is missing; add it",
}
Name = Annotated[str, Field(max_length=1000)]
# To describe each wrong value of a long list would block the server for a second.
Texts = Annotated[list[str], Field(fail_fast=True)]


class Request(BaseModel):
    """What requests about texts have in common; values of other types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    model: Name | None = Field(
        None, description="Name of the model; may be left out if one is served."
    )


class PredictRequest(Request):
    """One text or several to classify."""

    text: str | None = Field(None, description="One text.")
    texts: Texts | None = Field(None, description="Several texts, instead of text.")
    top: int | None = Field(
        None, ge=1, le=MOST_CLASSES, description="Also the so many most probable classes."
    )
    min_probability: float = Field(
        0.0, ge=0.0, le=1.0, description="A prediction that is less probable is undecided."
    )


class ExplainRequest(Request):
    """A text whose prediction is to be explained."""

    text: str = Field(description="The text.")
    words: int = Field(10, ge=0, le=1000, description="So many words that contribute most.")
    neighbors: int | None = Field(
        None,
        ge=0,
        le=100,
        description="So many of the nearest training documents; by default 5 for models whose "
        "predictions come from them.",
    )


R = TypeVar("R", bound=Request)


def parsed(kind: type[R], body: bytes) -> R:
    """The request in a body, or a refusal of one sentence."""
    try:
        found: R = kind.__pydantic_validator__.validate_json(body)
        return found
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        reason = first["msg"].removeprefix("Invalid JSON: ")
        raise Refused(
            400, "not_json", f"the body must be JSON in UTF-8, and is not: {printable(reason)}"
        )
    place = ".".join(map(str, first["loc"])) or "the body"
    value = "" if first["type"] in UNKNOWN else f", got {_found(first['input'])}"
    message = f"{_shortened(place)}: {_rule(first)}{value}"
    raise Refused(422, "bad_request", printable(message))


def _rule(error: Any) -> str:
    """What must hold, in the words of this package."""
    if error["type"] in UNKNOWN:
        return UNKNOWN[error["type"]]
    sentence: str = error["msg"]
    return sentence.replace("Input should be", "must be").replace("List should", "must")


def _found(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return _shortened(repr(value) if isinstance(value, str) else str(value).lower())


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
