"""What requests ask for, without HTTP: a body goes in, a reply comes out."""

from dataclasses import dataclass

from pydantic_core import to_json

from leaven.serving._answers import Wanted
from leaven.serving._batches import Batcher
from leaven.serving._metrics import Metrics
from leaven.serving._models import ModelShelf, ServedModel
from leaven.serving._requests import ExplainRequest, PredictRequest, parsed
from leaven.serving._work import Explain, Explaining, Predicting
from leaven.web._asgi import Refused

__all__ = ["Limits", "Service"]


@dataclass(frozen=True)
class Limits:
    """How much is accepted and how long it may take."""

    max_batch: int = 64  # texts of several requests that are computed together
    max_waiting: int = 1024  # texts
    max_body: int = 1 << 20  # bytes of a request
    max_texts: int = 1000  # of a request
    timeout: float = 30.0  # seconds until a request must have arrived, and may wait
    shutdown_timeout: float = 30.0  # seconds for requests under way when the server ends
    keep_alive: float = 65.0  # seconds until an idle connection is closed

    @property
    def max_held(self) -> int:
        """Bytes of the requests that are held at once."""
        return max(64 << 20, 4 * self.max_body)


@dataclass(frozen=True, eq=False)
class _AtWork:
    """A model, and what computes with it."""

    model: ServedModel
    predicting: Predicting
    explaining: Explaining


class Service:
    """Answers requests for predictions and explanations.

    Parameters
    ----------
    shelf : ModelShelf
        The models.
    explanation_json : callable
        The reply of an explanation.
    limits : Limits
        How much is accepted.
    """

    def __init__(self, shelf: ModelShelf, explanation_json: Explain, limits: Limits) -> None:
        self.shelf, self.limits = shelf, limits
        self.metrics = Metrics()
        self.batcher = Batcher(
            limits.max_batch, limits.max_waiting, limits.timeout, self.metrics.batches.add
        )
        self._explanation_json = explanation_json
        self._at_work: dict[str, _AtWork] = {}

    def model(self, name: str | None) -> ServedModel:
        """The model of this name; without a name the only one."""
        models = self.shelf.models
        if name is None:
            name = self.shelf.only
            if name is None:
                raise Refused(
                    422,
                    "no_model",
                    f"model must be one of {', '.join(models)}, got none; name one",
                )
        if name not in models:
            raise Refused(
                404,
                "unknown_model",
                f"there is no model {name[:60]!r}; choose one of {', '.join(models)}",
            )
        return models[name]

    def _work(self, model: ServedModel) -> "_AtWork":
        """What computes with this model; that of an older model of its name is forgotten."""
        found = self._at_work.get(model.name)
        if found is None or found.model is not model:
            explaining = Explaining(model, self._explanation_json)
            found = self._at_work[model.name] = _AtWork(model, Predicting(model), explaining)
        return found

    async def predict(self, body: bytes, name: str | None = None) -> bytes:
        """The reply to a body that asks for predictions; ``name`` is that of the address."""
        asked = parsed(PredictRequest, body)
        model = self.model(_one_name(name, asked.model))
        if (asked.text is None) == (asked.texts is None):
            which = "none" if asked.text is None else "both"
            raise Refused(422, "bad_request", f"give either text or texts, got {which}")
        texts = [asked.text] if asked.text is not None else asked.texts or []
        if len(texts) > self.limits.max_texts:
            raise Refused(
                413,
                "too_many_texts",
                f"a request may have at most {self.limits.max_texts:,} texts, got "
                f"{len(texts):,}; send several requests",
            )
        top = asked.top or 0
        if top > model.n_classes:
            raise Refused(
                422,
                "bad_request",
                f"top must be at most {model.n_classes}, the number of the model's classes, got "
                f"{top}",
            )
        wanted = Wanted(top, asked.min_probability)
        found = (
            await self.batcher.submit(self._work(model).predicting, texts, wanted) if texts else []
        )
        self.metrics.texts[model.name] += len(texts)
        if asked.texts is None:
            return to_json({"model": model.name, **found[0]})
        return to_json({"model": model.name, "predictions": found})

    async def explain(self, body: bytes, name: str | None = None) -> bytes:
        """The reply to a body that asks for an explanation."""
        asked = parsed(ExplainRequest, body)
        model = self.model(_one_name(name, asked.model))
        wanted = (asked.words, asked.neighbors)
        explaining = self._work(model).explaining
        (found,) = await self.batcher.submit(explaining, [asked.text], wanted)
        if isinstance(found, ValueError):
            raise Refused(422, "not_explainable", str(found))
        return to_json({"model": model.name, **found})

    def add_refusal(self, refused: Refused) -> None:
        """Count a request that was refused for lack of room or time."""
        if refused.status == 503:
            self.metrics.rejected[refused.code] += 1

    def add_reloads(self, replaced: dict[str, bool]) -> None:
        """Count models that were loaded again, or could not be."""
        for name, is_replaced in replaced.items():
            self.metrics.reloads[name, "ok" if is_replaced else "failed"] += 1


def _one_name(of_path: str | None, of_body: str | None) -> str | None:
    if of_path is not None and of_body is not None and of_path != of_body:
        raise Refused(
            422, "bad_request", "the model of the body must be that of the address; leave it out"
        )
    return of_body if of_path is None else of_path
