"""Names of browsers that tests can use, and how long a page may take."""

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
SOON = 20_000  # milliseconds that a busy machine may need
