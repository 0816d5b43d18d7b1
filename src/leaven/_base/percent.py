"""Shares as people read them: "38 %", in one form everywhere."""

__all__ = ["percent"]


def percent(share: float, digits: int = 0) -> str:
    """A share from 0 to 1 in per cent."""
    return f"{100 * share:.{digits}f} %"
