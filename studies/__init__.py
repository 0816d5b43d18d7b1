"""Do we get the paper's number? One module per table or figure: ``python -m studies.figure_3_1``."""
