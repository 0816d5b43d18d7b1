"""How each family of methods learns: a learner gives an expert."""
