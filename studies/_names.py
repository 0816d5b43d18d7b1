"""How tables and figures name the corpora and methods of the study of few labels."""

CORPORA = {
    "20news": "20 Newsgroups",
    "movie_reviews": "movie reviews",
    "webkb4": "WebKB (HTML)",
    "webkb4_stemmed": "WebKB (stemmed)",
    "reuters_r10": "Reuters-21578",
    "sector12": "Industry Sector",
    "sraa16k": "SRAA",
    "docstrings": "SciPy docstrings",
}
METHODS = {
    "nb": "MultinomialNB, counts",
    "svm": "LinearSVC, tf-idf",
    "logreg": "logistic regression, tf-idf",
    "self_training": "SelfTrainingClassifier",
    "label_spreading": "LabelSpreading",
    "leaven nb": "leaven nb",
    "em_raw": "leaven em, uncalibrated",
    "em": "leaven em",
    "two_view": "leaven two-view",
    "auto": "leaven auto",
}
