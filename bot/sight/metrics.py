"""The figures of a running bot in the form that Prometheus reads; needs the package prometheus-client."""

from __future__ import annotations

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from bot.running.handling import Handling
from bot.sight.health import Sight

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0)
"""Steps of the histograms; three seconds is how long a platform waits for a receipt."""


class Metrics:
    """Counts what the watch sees, and reads the rest where it is when somebody asks."""

    def __init__(self, version: str) -> None:
        self._registry = registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        self._commands = Counter(
            "grognard_commands", "Commands answered", ("system", "kind", "outcome"), registry=registry
        )
        self._answers = Histogram(
            "grognard_answer_seconds", "From a command to its stored answer", buckets=SECONDS, registry=registry
        )
        self._receipts = Histogram(
            "grognard_receipt_seconds", "Until a receipt was written down", buckets=SECONDS, registry=registry
        )
        self._unwritten = Counter("grognard_receipts_failed", "Receipts not written down in time", registry=registry)
        self._commits = Histogram(
            "grognard_commit_seconds", "Commits", ("outcome",), buckets=SECONDS, registry=registry
        )
        self._retries = Counter("grognard_retries", "Answers that could not be posted at once", registry=registry)
        self._untold = Counter(
            "grognard_untold", "Answers past their 15 minutes, kept for the person's next command", registry=registry
        )
        Gauge("grognard_build", "Which release this is", ("version",), registry=registry).labels(version).set(1)
        for outcome in ("done", "failed"):
            self._commits.labels(outcome)

    def command(self, system: str, family: str, outcome: str, seconds: float) -> None:
        """See Counts."""
        self._commands.labels(system, family, outcome).inc()
        self._answers.observe(seconds)

    def receipt(self, outcome: str, seconds: float) -> None:
        """See Counts."""
        self._receipts.observe(seconds)
        if outcome != "done":
            self._unwritten.inc()

    def commit(self, outcome: str, seconds: float) -> None:
        """See Counts."""
        self._commits.labels(outcome).observe(seconds)

    def retry(self) -> None:
        """See Counts."""
        self._retries.inc()

    def untold(self) -> None:
        """See Counts."""
        self._untold.inc()

    def follow(self, handling: Handling) -> None:
        """Show what is at work there."""
        self._gauge("grognard_at_work", "Commands under way").set_function(lambda: handling.budgets.at_work)
        self._gauge("grognard_queues", "Games with commands in line").set_function(lambda: handling.waiting)
        self._gauge("grognard_worker_waiting", "Sums in line for the odds worker").set_function(
            lambda: handling.worker.waiting
        )
        self._gauge("grognard_worker_given_up", "Sums that took the odds worker too long").set_function(
            lambda: handling.worker.given_up
        )
        self._healthy = self._gauge("grognard_healthy", "1 while nothing is wrong")
        self._outbox = self._gauge("grognard_outbox_waiting", "Answers on their way")
        self._late = self._gauge("grognard_outbox_late", "Answers that have waited for more than two minutes")
        self._disk = self._gauge("grognard_disk_free_bytes", "Free room for the database")
        self._connected = Gauge(
            "grognard_connected", "1 while a platform is connected", ("platform",), registry=self._registry
        )

    def seen(self, sight: Sight) -> None:
        """Show what the health check saw."""
        self._healthy.set(not sight.troubles)
        self._outbox.set(sight.waiting)
        self._late.set(sight.late)
        if sight.free is not None:
            self._disk.set(sight.free)
        for platform, problem in sight.links.items():
            self._connected.labels(platform).set(not problem)

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)

    def _gauge(self, name: str, about: str) -> Gauge:
        return Gauge(name, about, registry=self._registry)
