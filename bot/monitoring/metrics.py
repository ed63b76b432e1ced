"""Metrics of a running bot in the format of Prometheus; needs the package prometheus-client."""

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

from bot.execution.executor import CommandExecutor
from bot.monitoring.command_log import Counts
from bot.monitoring.health import HealthReport
from bot.storage.store import Store

SECONDS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75),
    *(1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 5.0, 10.0),
)
"""Steps of the histograms. Three seconds is the time that a platform waits for a receipt."""
COUNTED = {
    "command": ("grognard_commands", "Commands answered", "platform", "system", "kind", "outcome"),
    "unwritten": ("grognard_receipts_failed", "Receipts not written in time", "platform"),
    "retry": ("grognard_retries", "Answers that could not be posted at once"),
    "untold": ("grognard_untold", "Answers past their 15 minutes, kept for the next command"),
    "given-up": ("grognard_worker_given_up", "Odds calculations that took too long"),
    "reconnect": (
        "grognard_reconnects",
        "Reconnections to a platform",
        "platform",
    ),
    "limited": (
        "grognard_rate_limited",
        "Calls that a platform rate-limited (429)",
        "platform",
    ),
    "refused": (
        "grognard_platform_errors",
        "Calls that failed with a platform error (5xx)",
        "platform",
    ),
}
TIMED = {
    "answer": ("grognard_answer_seconds", "Time from a command to its stored answer", "platform"),
    "receipt": ("grognard_receipt_seconds", "Time until a receipt was written", "platform"),
    "commit": ("grognard_commit_seconds", "Commits", "outcome"),
    "lag": ("grognard_loop_lag_seconds", "Event loop delay"),
}
"""Histograms by the name that `Counts` uses, like COUNTED: metric, help text, labels."""
OUTBOX = (
    ("grognard_outbox_waiting", "Answers waiting for delivery by any process"),
    ("grognard_outbox_late", "Answers that have waited for two minutes"),
    ("grognard_outbox_late_places", "Places with answers that have waited for two minutes"),
)


class Metrics(Counts):
    """Counters of what the watch reports. Everything else is read on request."""

    def __init__(self, version: str) -> None:
        self._registry = registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        self._counted = {
            key: Counter(name, about, labels, registry=registry)
            for key, (name, about, *labels) in COUNTED.items()
        }
        self._timed = {
            key: Histogram(name, about, labels, buckets=SECONDS, registry=registry)
            for key, (name, about, *labels) in TIMED.items()
        }
        self._handling: CommandExecutor | None = None
        self._given_up = 0
        self._gauge("grognard_build_info", "The running release", "version").labels(version).set(1)
        for outcome in ("done", "failed"):
            self._timed["commit"].labels(outcome)
        self._healthy = self._gauge("grognard_healthy", "1 while nothing is wrong")
        self._outbox = [self._gauge(name, about, "platform") for name, about in OUTBOX]
        self._disk = self._gauge("grognard_disk_free_bytes", "Free disk space for the database")
        self._copied = self._gauge(
            "grognard_last_backup_timestamp_seconds", "Time of the last backup; 0: never"
        )
        self._connected = self._gauge(
            "grognard_connected", "1 while a platform is connected", "platform"
        )

    def count(self, name: str, *labels: str) -> None:
        """Add one to the counter of this name in COUNTED.

        `labels` are the values of its labels, in their order. Raise KeyError for any other name.
        """
        counter = self._counted[name]
        if labels:
            counter = counter.labels(*labels)
        counter.inc()

    def record_duration(self, name: str, seconds: float, *labels: str) -> None:
        """Add a duration to the histogram of this name in TIMED.

        `labels` are the values of its labels, in their order. Raise KeyError for any other name.
        """
        histogram = self._timed[name]
        if labels:
            histogram = histogram.labels(*labels)
        histogram.observe(seconds)

    def follow(self, handling: CommandExecutor, store: Store) -> None:
        """Add gauges for the work of this executor and this store."""
        self._handling = handling
        for name, about, read_value in (
            ("grognard_at_work", "Commands in progress", lambda: handling.budgets.at_work),
            ("grognard_queues", "Games with queued commands", lambda: handling.waiting),
            (
                "grognard_worker_waiting",
                "Queued odds calculations",
                lambda: handling.worker.waiting,
            ),
            (
                "grognard_pool_in_use",
                "Database connections in use",
                lambda: store.in_use,
            ),
        ):
            self._gauge(name, about).set_function(read_value)

    def show_health(self, sight: HealthReport) -> None:
        """Set the gauges to a health report."""
        self._healthy.set(not sight.troubles)
        for platform, counts in sight.outbox.items():
            for gauge, count in zip(self._outbox, counts, strict=True):
                gauge.labels(platform).set(count)
        self._copied.set(sight.copied)
        if sight.free is not None:
            self._disk.set(sight.free)
        for platform, problem in sight.links.items():
            self._connected.labels(platform).set(not problem)
            for name in ("reconnect", "limited", "refused"):
                self._counted[name].labels(platform)  # there from the start

    def render(self) -> bytes:
        """Return all metrics in the format of Prometheus."""
        given_up = self._handling.worker.given_up if self._handling is not None else 0
        self._counted["given-up"].inc(given_up - self._given_up)
        self._given_up = given_up
        return generate_latest(self._registry)

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(name, about, labels, registry=self._registry)
