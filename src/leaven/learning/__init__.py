"""Parameter estimation: the EM loop, starts, annealing, correspondence, document vectors."""

from leaven.learning._climbs import (
    CORRESPONDENCES,
    Ascent,
    Climb,
    Fit,
    components_of,
    fit_mixture,
    scaled_prior,
    supervised_start,
)
from leaven.learning._em import EMResult, anneal, run_em
from leaven.learning._latent import fit_latent, learn_view
from leaven.learning._views import GivenVectors, LatentSpace, View, check_given

__all__ = [
    "CORRESPONDENCES",
    "Ascent",
    "Climb",
    "EMResult",
    "Fit",
    "GivenVectors",
    "LatentSpace",
    "View",
    "anneal",
    "check_given",
    "components_of",
    "fit_latent",
    "fit_mixture",
    "learn_view",
    "run_em",
    "scaled_prior",
    "supervised_start",
]
