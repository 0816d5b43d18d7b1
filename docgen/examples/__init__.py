"""Examples of the documentation: run, compared with what pages show, and brought up to date."""
