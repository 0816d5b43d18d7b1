"""Do we get the paper's number? One module per table or figure.

Run one with ``python -m studies.figure_3_1``.
"""
