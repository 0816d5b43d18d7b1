"""Parameter estimation: the EM loop, annealing, gradient climbs, CCCP, document vectors."""

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
from leaven.learning._gradient import GradientResult, Height, climb_gradient
from leaven.learning._hybrids import (
    Conditional,
    Coupled,
    Hybrid,
    Likelihoods,
    MultiConditional,
)
from leaven.learning._latent import fit_latent, learn_view
from leaven.learning._transductive import CCCPResult, Margin, run_cccp
from leaven.learning._views import GivenVectors, LatentSpace, View, check_given

__all__ = [
    "Ascent",
    "CCCPResult",
    "CORRESPONDENCES",
    "Climb",
    "Conditional",
    "Coupled",
    "EMResult",
    "Fit",
    "GivenVectors",
    "GradientResult",
    "Height",
    "Hybrid",
    "LatentSpace",
    "Likelihoods",
    "Margin",
    "MultiConditional",
    "View",
    "anneal",
    "check_given",
    "climb_gradient",
    "components_of",
    "fit_latent",
    "fit_mixture",
    "learn_view",
    "run_cccp",
    "run_em",
    "scaled_prior",
    "supervised_start",
]
