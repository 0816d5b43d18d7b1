"""Markdown about serving, from the results of its benchmark."""

import json
import sys
from typing import Any

from studies._provenance import described, staleness

from docgen.benchmarks import RESULTS, read_suite, suite_command
from docgen.sections import Section
from docgen.tables import markdown_table

SUITE = "serving"  # of benchmarks
PAGE = "docs/how-to/serve.md"
SOAK = RESULTS.with_name("serving_soak.json")
SOAK_COMMAND = "python -m benchmarks.serving --minutes 10"
SHOWN = ("auto, batching off", "auto, batching on", "em, batching off", "nb, batching off")
SETTLED = 1.0  # minutes after which memory is compared


def stale_results() -> list[str]:
    """A sentence for each file of results whose code has changed since."""
    notes = {
        f"benchmarks/{SUITE}.json": read_suite(SUITE).get("made_with"),
        f"benchmarks/{SOAK.name}": _soak().get("made_with"),
    }
    stale = {name: staleness(made_with) for name, made_with in notes.items()}
    return [f"{name} was {told}" for name, told in stale.items() if told]


def serving_table() -> str:
    """Requests per second and latencies, beside scikit-learn's service."""
    found = read_suite(SUITE)
    rows = [row for row in found["rows"] if row.get("service") in SHOWN]
    kinds = dict.fromkeys(row["texts"] for row in rows)
    tables = [f"{kind}:\n\n{_compared(rows, kind)}" for kind in kinds]
    made = f"(`{suite_command(SUITE)}`; {described(found['made_with'])}.)"
    return "\n\n".join([*tables, made])


def _compared(rows: list[dict[str, Any]], kind: str) -> str:
    head = ["clients", "service", "requests/s", "p50", "p99", "ratio of requests/s"]
    cells = []
    for n_clients in dict.fromkeys(row["clients"] for row in rows):
        own = [row for row in rows if (row["texts"], row["clients"]) == (kind, n_clients)]
        peer = own[0]
        cells.append(
            [
                str(n_clients),
                peer["peer"],
                f"{peer['peer_requests_per_second']:,.0f}",
                _milliseconds(peer["peer_p50_ms"]),
                _milliseconds(peer["peer_p99_ms"]),
                "1",
            ]
        )
        for row in sorted(own, key=lambda each: SHOWN.index(each["service"])):
            cells.append(
                [
                    str(n_clients),
                    f"leaven, {row['service']}",
                    f"{row['requests_per_second']:,.0f}",
                    _milliseconds(row["p50_ms"]),
                    _milliseconds(row["p99_ms"]),
                    f"{row['ratio']:.1f}",
                ]
            )
    return markdown_table(head, cells)


def overload_sentence() -> str:
    """What happened with far more clients than may wait."""
    (row,) = [row for row in read_suite(SUITE)["rows"] if "max_waiting" in row]
    n_answered, n_refused = (row["statuses"].get(status, 0) for status in ("200", "503"))
    return (
        f"With {row['clients']} clients at once and `--max-waiting {row['max_waiting']}`, "
        f"{n_answered / row['seconds']:,.0f} requests per second were answered, 99 % of them "
        f"within {_milliseconds(row['p99_ms'])}, and {n_refused / row['seconds']:,.0f} refused; "
        f"resident memory rose from {row['mebibytes_before']:,.0f} to {row['mebibytes']:,.0f} MiB."
    )


def soak_sentence() -> str:
    """Memory over minutes of load."""
    found = _soak()
    parts = found["parts"]
    settled = next((each for each in parts if each["minutes"] >= SETTLED), parts[0])
    n_requests = sum(sum(each["statuses"].values()) for each in parts)
    n_good = sum(each["statuses"].get("200", 0) for each in parts)
    return (
        f"In {found['minutes']:g} minutes of load, {n_requests:,} requests, of which {n_good:,} "
        f"got status 200, resident memory was {settled['mebibytes']:,.1f} MiB after "
        f"{settled['minutes']:.1f} minutes and {parts[-1]['mebibytes']:,.1f} MiB at the end "
        f"(`{SOAK_COMMAND}`; {described(found['made_with'])})."
    )


def _soak() -> dict[str, Any]:
    if not SOAK.exists():
        sys.exit(f"benchmarks/{SOAK.name} is missing; run: {SOAK_COMMAND}")
    found: dict[str, Any] = json.loads(SOAK.read_text(encoding="utf-8"))
    return found


def _milliseconds(value: float) -> str:
    return f"{value:.2f} ms" if value < 10 else f"{value:,.0f} ms"


SECTIONS = [
    Section(PAGE, "benchmarks: serving", serving_table),
    Section(PAGE, "benchmarks: overload", overload_sentence),
    Section(PAGE, "benchmarks: soak", soak_sentence),
]
