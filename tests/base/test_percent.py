import pytest

from leaven._base.percent import percent


@pytest.mark.parametrize(
    ("share", "digits", "shown"),
    [(0.384, 0, "38 %"), (1.0, 0, "100 %"), (0.0, 0, "0 %"), (0.384, 1, "38.4 %")],
)
def test_one_form_of_per_cent(share, digits, shown):
    assert percent(share, digits) == shown
