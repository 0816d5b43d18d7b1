"""Text classifiers from a handful of labels and all the unlabeled text you have."""

from typing import TYPE_CHECKING, Any

from leaven._version import __version__

if TYPE_CHECKING:
    from leaven.documents._labels import UNLABELED
    from leaven.estimators import (
        CondensedNeighbors,
        FisherKernel,
        FrequencyEstimateNB,
        LabeledFold,
        MaxEntClassifier,
        MultiConditionalClassifier,
        MultiLabelMixture,
        NaiveBayesEM,
        ParameterCouplingClassifier,
        TransductiveSVM,
        TwoViewEM,
    )
    from leaven.methods import TextClassifier, compare, diagnose, load, suggest
    from leaven.text import TextVectorizer

__all__ = [
    "TextClassifier",
    "load",
    "diagnose",
    "compare",
    "suggest",
    "UNLABELED",
    "CondensedNeighbors",
    "FisherKernel",
    "FrequencyEstimateNB",
    "LabeledFold",
    "MaxEntClassifier",
    "MultiConditionalClassifier",
    "MultiLabelMixture",
    "NaiveBayesEM",
    "ParameterCouplingClassifier",
    "TextVectorizer",
    "TransductiveSVM",
    "TwoViewEM",
    "__version__",
]

_HOME = {
    "TextClassifier": "leaven.methods",
    "load": "leaven.methods",
    "diagnose": "leaven.methods",
    "compare": "leaven.methods",
    "suggest": "leaven.methods",
    "CondensedNeighbors": "leaven.estimators",
    "FisherKernel": "leaven.estimators",
    "FrequencyEstimateNB": "leaven.estimators",
    "LabeledFold": "leaven.estimators",
    "MaxEntClassifier": "leaven.estimators",
    "MultiConditionalClassifier": "leaven.estimators",
    "MultiLabelMixture": "leaven.estimators",
    "NaiveBayesEM": "leaven.estimators",
    "ParameterCouplingClassifier": "leaven.estimators",
    "TextVectorizer": "leaven.text",
    "TransductiveSVM": "leaven.estimators",
    "TwoViewEM": "leaven.estimators",
    "UNLABELED": "leaven.documents._labels",
}


def __getattr__(name: str) -> Any:
    # Importing on first use keeps `import leaven` and `leaven --help` quick.
    if name not in _HOME:
        raise AttributeError(f"module 'leaven' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
