"""Training in the background: one thread, and only the newest labels count."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from leaven.labeling._disputes import Dispute, find_disputes
from leaven.labeling._live_model import LiveModel, named_labels
from leaven.labeling._planner import Asked, Plan, Planner
from leaven.methods._repeated_fits import RepeatedFits

__all__ = ["Snapshot", "Trainer"]

IDLE = 2.0  # seconds without an answer after which slower work is done
FEWEST_FOR_FULL = 10  # labels


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The labels at one moment."""

    version: int
    labels: dict[int, tuple[int, ...]]  # classes of documents, in the order of the answers
    reasons: dict[int, str]  # why these documents were asked about
    skipped: frozenset[int]

    @property
    def answers(self) -> list[Asked]:
        """The answers as plans of questions depend on them."""
        return [Asked(each, label, self.reasons[each]) for each, label in self.labels.items()]

    @property
    def audits(self) -> list[int]:
        """Documents that were drawn at random."""
        return [document for document, why in self.reasons.items() if why == "audit"]

    @property
    def is_enough(self) -> bool:
        """Whether there is something to tell apart."""
        return len(set(self.labels.values())) > 1


class Trainer:
    """Trains whenever labels changed, and hands over models and plans of questions.

    After every change a quick fit follows; when nobody has answered for a while, one of the
    method that is saved, calibrated and with an estimate from audits, and a search for labels
    that are disputed. Slower work is given up as soon as there is a new answer.
    """

    def __init__(
        self,
        fits: RepeatedFits,
        planner: Planner,
        snapshot: Callable[[], Snapshot],
        publish: Callable[["LiveModel | None", Plan], None],
        publish_disputes: Callable[[list[Dispute]], None],
        tell: Callable[[], None],
        *,
        quick_method: str,
        full_method: str,
        first_number: int = 1,
    ) -> None:
        self.fits, self.planner = fits, planner
        self._snapshot, self._publish = snapshot, publish
        self._publish_disputes = publish_disputes
        self.quick_method, self.full_method = quick_method, full_method
        self._number = first_number
        self._tell = tell
        self._changed = threading.Condition()
        # Versions of the labels: the newest, and those that each step is done with.
        self._wanted, self._done, self._full, self._checked = 0, -1, -1, -1
        # Full fits that were asked for, and how many of these requests are done with.
        self._n_asked, self._n_answered = 0, 0
        self._is_stopped = False
        self.failure = ""  # what the last fit could not do, for people
        self._thread = threading.Thread(target=self._run, name="leaven-trainer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def labels_changed(self, version: int) -> None:
        """Train again, with these labels or newer ones."""
        with self._changed:
            self._wanted = max(self._wanted, version)
            self._changed.notify_all()

    def full_wanted(self, method: str | None = None) -> None:
        """Fit the method that is saved without waiting until nobody answers."""
        with self._changed:
            self.full_method = method or self.full_method
            self._n_asked += 1
            self._changed.notify_all()

    def stop(self) -> None:
        """End the thread after the step that it is in."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(timeout=30)

    @property
    def is_training(self) -> bool:
        """Whether a model of the newest labels is still to come."""
        return self._done < self._wanted or self._n_answered < self._n_asked

    def _run(self) -> None:
        while (step := self._next_step()) is not None:
            found, asked = self._snapshot(), self._n_asked
            try:
                step(found)
                self.failure = ""
            except Exception as error:  # labels that a method refuses must not end the thread
                self.failure = str(error)
                with self._changed:
                    for name in ("_done", "_full", "_checked"):
                        setattr(self, name, max(getattr(self, name), found.version))
                    if step == self._fit_fully:
                        self._n_answered = asked
            # After the step: until then, is_training says that a model is still to come.
            self._tell()

    def _next_step(self) -> Callable[[Snapshot], None] | None:
        with self._changed:
            while not self._is_stopped:
                version, asked = self._wanted, self._n_asked
                if self._done < version:
                    return self._quick
                if self._n_answered < asked:
                    return self._fit_fully
                if self._checked < version:
                    if self._is_left_alone(version, asked):
                        return self._fit_fully if self._full < version else self._look_for_disputes
                else:
                    self._changed.wait()
        return None

    def _is_left_alone(self, version: int, asked: int) -> bool:
        """Whether nothing new is wanted for a while."""
        return not self._changed.wait_for(
            lambda: self._is_stopped or (self._wanted, self._n_asked) != (version, asked),
            timeout=IDLE,
        )

    def _is_outdated(self, version: int) -> bool:
        return self._is_stopped or self._wanted > version

    def _quick(self, found: Snapshot) -> None:
        model = None
        if found.is_enough:
            model = self._fitted(found, self.quick_method, lambda: self._is_stopped)
        if not self._is_stopped:
            self._hand_over(model, found)
        with self._changed:
            self._done = max(self._done, found.version)
            if not found.is_enough:
                self._full = self._checked = found.version

    def _fit_fully(self, found: Snapshot) -> None:
        with self._changed:
            method, asked = self.full_method, self._n_asked
            is_asked = self._n_answered < asked

        def is_given_up() -> bool:
            if is_asked:  # new labels do not end it, but another method does
                return self._is_stopped or self._n_asked > asked
            return self._is_outdated(found.version) or self._n_asked > asked

        if found.is_enough and len(found.labels) >= FEWEST_FOR_FULL:
            model = self._fitted(found, method, is_given_up, is_full=True)
            if model is not None:
                self._hand_over(model, found)
        elif is_asked:
            raise ValueError(
                f"a model of method {method} needs {FEWEST_FOR_FULL} labels and two classes, got "
                f"{len(found.labels)} labels; label more documents"
            )
        with self._changed:
            self._n_answered = asked
            self._full = max(self._full, found.version)

    def _fitted(
        self,
        found: Snapshot,
        method: str,
        is_given_up: Callable[[], bool],
        *,
        is_full: bool = False,
    ) -> LiveModel | None:
        """A model; None if the fit was given up."""
        began = time.perf_counter()
        clf = self.fits.fit(
            method,
            named_labels(found.labels, self.fits.several_labels),
            audited=found.audits if is_full else (),
            on_progress=lambda *_: is_given_up(),
        )
        if is_given_up():
            return None
        probability, is_wordless = self.fits.classified(clf.fitted)
        number, self._number = self._number, self._number + 1
        return LiveModel(
            number,
            found.version,
            len(found.labels),
            method,
            time.perf_counter() - began,
            clf.fitted,
            self.fits.sample,
            probability,
            is_wordless,
            is_full,
            clf.report_.expected_accuracy if is_full else {},
            frozenset(found.labels),
        )

    def _hand_over(self, model: LiveModel | None, found: Snapshot) -> None:
        probability = None if model is None else model.probability
        plan = self.planner.plan(found.answers, found.skipped, probability)
        self._publish(model, plan)

    def _look_for_disputes(self, found: Snapshot) -> None:
        disputes = find_disputes(
            self.fits,
            self.quick_method,
            found.labels,
            lambda: self._is_outdated(found.version),
        )
        if disputes is not None:
            self._publish_disputes(disputes)
        with self._changed:
            self._checked = max(self._checked, found.version)
