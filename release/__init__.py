"""``python -m release``: build, install and test what would be published."""
