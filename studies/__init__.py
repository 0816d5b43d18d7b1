"""Do we get the paper's number? One module per table or figure.

List them with ``python -m studies``, run one with ``python -m studies figure_3_1``.
"""
