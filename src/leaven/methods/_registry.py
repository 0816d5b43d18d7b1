"""The methods behind ``TextClassifier(method=…)``: one entry each, the only place that names it.

This module imports nothing that takes time, so that a command line can list methods at once.
"""

from leaven.methods._method import (
    METHODS,
    PLACES,
    SUBWORDS,
    Method,
    find_method,
    methods_where,
    register,
)

__all__ = ["METHODS", "PLACES", "Method", "find_method", "methods_where", "register"]

# Chosen on the unlabeled documents of seven corpora (docs/methods/naive-bayes-em.md).
_WEIGHTED = {"log_tf": True, "idf": True, "length": 150.0}
# Two-view EM tolerates rare words, and short texts need them.
_SOFT = {"log_tf": True, "idf": True, "length": 10.0}
# Fewest documents a word must occur in, by the number of documents, with these methods.
_SOFT_RARE = {200: 2, 0: 1}
_SHORT = 30.0  # different words per document, up to which auto counts subwords too
# Learners that weigh words and scale documents themselves.
_UNWEIGHTED = {"log_tf": True, "numbers": "one"}
# Linear models of documents with several labels use words of single documents too.
_ALL_WORDS = {50_000: 2, 0: 1}
_SUPERVISED = "nb"
_NAIVE_BAYES = "leaven.learners:NaiveBayesLearner"
_TWO_VIEWS = {"alpha": 0.05, "max_iter": 10}  # of two-view EM, also in auto and fisher
_NEIGHBORS = "leaven.learners:NeighborsLearner"
_NEAREST = "knn"
_MAXENT = "maxent"
_CLIMB = {"max_iter": 200, "tol": 1e-5}  # of L-BFGS in maxent, mcl and pcp
# Chosen on training documents of five corpora (docs/methods/hybrids.md).
_UNSCALED = {"log_tf": True, "idf": True}
_LABEL_SETS = "leaven.learners:LabelSetLearner"
# Chosen on training documents of five corpora (docs/methods/multilabel.md).
_ONE_PASS = {"max_iter": 1, "unlabeled_weight": 0.1, "leave_one_out": False}

for _method in (
    Method(
        "auto",
        "linear models and two kinds of EM, weighted by accuracy on held-out labels",
        "as a first choice, on any data",
        "leaven.learners:TwoViewLearner",
        _TWO_VIEWS,
        _SOFT,
        _SOFT_RARE,
        supervised=_SUPERVISED,
        blend="leaven.methods._auto:blend",
        n_more_tables=3,  # two linear models, and naive Bayes
        beside={**SUBWORDS, **_SOFT},
        most_words=_SHORT,
        sets={
            "learner": "leaven.learners:VectorsBesideLearner",
            "settings": _ONE_PASS,
            "text": _UNWEIGHTED,
            "min_df": _ALL_WORDS,
            "blend": "leaven.methods._auto_sets:blend",
            "beside": None,
        },
    ),
    Method(
        _SUPERVISED,
        "supervised naive Bayes on the labeled documents alone",
        "there are many labels, or the classes are not topics (spam, sentiment)",
        _NAIVE_BAYES,
        {"unlabeled_weight": 0.0},
        _WEIGHTED,
    ),
    Method(
        "em",
        "naive Bayes with EM over labeled and unlabeled documents",
        "the classes are topics, and labels are few (1 to 50 per class)",
        _NAIVE_BAYES,
        {},
        _WEIGHTED,
        supervised=_SUPERVISED,
        is_diagnosed=True,
        estimator="NaiveBayesEM",
    ),
    Method(
        "mixture",
        "EM with several components per class, for classes that cover several topics",
        'a class covers several topics, such as "everything else"',
        _NAIVE_BAYES,
        {"n_components": "auto"},
        _WEIGHTED,
        supervised=_SUPERVISED,
        is_slow=True,  # it chooses by cross-validation, six models in each fold
        is_diagnosed=True,
    ),
    Method(
        "annealed",
        "EM with deterministic annealing, which finds better solutions from few labels",
        "the classes are topics with one or two labels each, and 400 iterations are affordable",
        _NAIVE_BAYES,
        {"beta_start": 0.02, "correspondence": "labels"},
        _WEIGHTED,
        supervised=_SUPERVISED,
        is_slow=True,  # hundreds of iterations: half of the time of a comparison
        is_diagnosed=True,
    ),
    Method(
        "sfe",
        "naive Bayes with word frequencies estimated from all documents, in one pass",
        "there are too many documents for the passes of EM, or EM collapses",
        "leaven.learners:FrequencyEstimateLearner",
        # Chosen on the unlabeled documents of six corpora (docs/methods/frequency-estimate.md).
        {"unlabeled_weight": 0.1},
        _SOFT,
        _SOFT_RARE,
        supervised=_SUPERVISED,
        estimator="FrequencyEstimateNB",
    ),
    Method(
        "two-view",
        "EM over words and over vectors learned from all documents, for very few labels",
        "labels are very few (1 to 5 per class), or you have sentence vectors",
        "leaven.learners:TwoViewLearner",
        _TWO_VIEWS,
        _SOFT,
        _SOFT_RARE,
        supervised=_SUPERVISED,
        is_diagnosed=True,
        estimator="TwoViewEM",
    ),
    Method(
        "svm",
        "one linear support vector machine for each class, on the labeled documents alone",
        "labels are many (50 per class or more), or documents have several labels",
        "leaven.learners:SVMLearner",
        {},
        _UNWEIGHTED,
        _ALL_WORDS,
        takes_negative=True,
        sets={},
    ),
    Method(
        "tsvm",
        "linear support vector machines that keep unlabeled documents out of the margin",
        "as svm, and labels are few",
        "leaven.learners:TransductiveSVMLearner",
        {"max_iter": 30, "tol": 1e-4},
        _UNSCALED,  # the learner scales documents to unit length
        _SOFT_RARE,
        supervised="svm",
        takes_negative=True,
        is_slow=True,
        estimator="TransductiveSVM",
    ),
    Method(
        _MAXENT,
        "maximum entropy: logistic regression on the counts of the labeled documents alone",
        "the weights of words should add up to the log odds of classes",
        "leaven.learners:MaxEntLearner",
        _CLIMB,
        _UNSCALED,
        _SOFT_RARE,
        estimator="MaxEntClassifier",
    ),
    Method(
        "mcl",
        "maximum entropy and the likelihood of all documents, with the same parameters",
        "classes overlap, so that EM finds other groups of documents",
        "leaven.learners:MultiConditionalLearner",
        {"alpha": "auto", **_CLIMB},
        _UNSCALED,
        _SOFT_RARE,
        supervised=_MAXENT,
        is_slow=True,
        estimator="MultiConditionalClassifier",
    ),
    Method(
        "pcp",
        "maximum entropy and the likelihood of all documents, with parameters coupled by a prior",
        "as mcl; it takes about twice as long",
        "leaven.learners:ParameterCouplingLearner",
        {"alpha": "auto", **_CLIMB},
        _UNSCALED,
        _SOFT_RARE,
        supervised=_MAXENT,
        is_slow=True,
        estimator="ParameterCouplingClassifier",
    ),
    Method(
        "fisher",
        "linear support vector machines on Fisher scores of two-view EM",
        "as two-view, with 10 to 50 labels per class",
        "leaven.learners:FisherLearner",
        _TWO_VIEWS,
        _SOFT,
        _SOFT_RARE,
        supervised="svm",
        is_slow=True,  # memory and time of its weights are words × components × classes
    ),
    Method(
        _NEAREST,
        "votes of the nearest labeled documents",
        "predictions must be justified by documents, or classes have many different topics",
        _NEIGHBORS,
        {"unlabeled_weight": 0.0, "n_neighbors": 5, "votes": "plain"},
        _SOFT,  # at any length: documents are compared at unit length
        _SOFT_RARE,
        takes_negative=True,
    ),
    Method(
        "ss-cknn",
        "votes of the nearest labeled documents, and of unlabeled ones that these classified",
        "as knn, and labels are few",
        _NEIGHBORS,
        # Chosen on training documents of eight corpora (docs/methods/neighbors.md).
        {"unlabeled_weight": 0.2},
        _SOFT,  # at any length: documents are compared at unit length
        _SOFT_RARE,
        supervised=_NEAREST,
        takes_negative=True,
        estimator="CondensedNeighbors",
    ),
    Method(
        "multilabel",
        "mixture of the word distributions of a document's labels, by EM",
        "documents have several labels, and you want to see which words come from which",
        _LABEL_SETS,
        _ONE_PASS,
        _UNWEIGHTED,
        _ALL_WORDS,
        sets={},
        estimator="MultiLabelMixture",
    ),
):
    register(_method)
