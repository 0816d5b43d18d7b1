"""Entry point of the command line, also as ``python -m leaven``."""

from leaven._base.interrupts import interruptible

__all__ = ["main"]


def main() -> None:
    """Run the command line; from here on, signals end it in an orderly way."""
    with interruptible():
        from leaven.cli import main as run  # takes a while to import

        run()


if __name__ == "__main__":
    main()
