"""How fast: ratios against a peer, measured in one run. ``make bench`` runs them all."""
