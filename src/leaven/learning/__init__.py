"""How parameters are found: the EM loop, starts, annealing, correspondence, vectors."""

from leaven.learning._climbs import Climb, Fit, fit_mixture, supervised_start
from leaven.learning._em import EMResult, anneal, run_em

__all__ = ["Climb", "EMResult", "Fit", "anneal", "fit_mixture", "run_em", "supervised_start"]
