"""Estimates from held-out labels: weights of experts, expected accuracy, whether EM helps."""

from leaven.held_out._combination import (
    Combination,
    calibrate,
    class_shares,
    sampled_documents,
    tempering,
)
from leaven.held_out._disputes import ODDS, Disputes, disputed_labels
from leaven.held_out._expectation import Expectation, expect_accuracy
from leaven.held_out._held_out import HeldOut
from leaven.held_out._set_combination import calibrate_sets, combine_sets
from leaven.held_out._shares import class_bias
from leaven.held_out._weights import fit_weights, temper

__all__ = [
    "ODDS",
    "Combination",
    "Disputes",
    "Expectation",
    "HeldOut",
    "calibrate",
    "calibrate_sets",
    "class_bias",
    "class_shares",
    "combine_sets",
    "disputed_labels",
    "expect_accuracy",
    "fit_weights",
    "sampled_documents",
    "temper",
    "tempering",
]
