"""Serving predictions over HTTP: models, batches of requests, routes, metrics."""
