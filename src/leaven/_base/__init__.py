"""What everything stands on: array types, checks, threads, compiling, whole files, folds."""
