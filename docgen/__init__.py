"""Generators of the documentation: tables, references and pages from the program and results."""
