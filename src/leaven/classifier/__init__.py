"""A trained classifier as data: predictions, evaluation, model files, reports; no scikit-learn."""
