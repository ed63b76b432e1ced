"""The figures of a running bot in the form that Prometheus reads; needs the package prometheus-client."""

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
from bot.sight.watching import Counts
from bot.stores.store import Store

SECONDS = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75),
    *(1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0, 5.0, 10.0),
)
"""Steps of the histograms; three seconds is how long a platform waits for a receipt."""
COUNTED = {
    "reconnect": ("grognard_reconnects", "Connections to a platform that were made anew"),
    "limited": ("grognard_rate_limited", "Calls that a platform asked to wait with (429)"),
    "refused": ("grognard_platform_errors", "Calls that met an error of the platform's own (5xx)"),
}
"""What a platform does to the bot, as bot.sight.watching has it."""


def _none() -> int:
    return 0


class Metrics(Counts):
    """Counts what the watch sees, and reads the rest where it is when somebody asks."""

    def __init__(self, version: str) -> None:
        self._registry = registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        self._commands = self._counter(
            "grognard_commands", "Commands answered", "platform", "system", "kind", "outcome"
        )
        self._answers = self._seconds("grognard_answer_seconds", "From a command to its stored answer", "platform")
        self._receipts = self._seconds("grognard_receipt_seconds", "Until a receipt was written down", "platform")
        self._unwritten = self._counter("grognard_receipts_failed", "Receipts not written down in time", "platform")
        self._commits = self._seconds("grognard_commit_seconds", "Commits", "outcome")
        self._lag = self._seconds("grognard_loop_lag_seconds", "By how much the event loop came late to its turn")
        self._retries = self._counter("grognard_retries", "Answers that could not be posted at once")
        self._untold = self._counter("grognard_untold", "Answers past their 15 minutes, kept for the next command")
        self._met = {what: self._counter(name, about, "platform") for what, (name, about) in COUNTED.items()}
        self._given_up = self._counter("grognard_worker_given_up", "Sums that took the odds worker too long")
        self._given_up_now, self._given_up_told = _none, 0
        self._gauge("grognard_build_info", "Which release this is", "version").labels(version).set(1)
        for outcome in ("done", "failed"):
            self._commits.labels(outcome)
        self._healthy = self._gauge("grognard_healthy", "1 while nothing is wrong")
        self._outbox = (
            self._gauge("grognard_outbox_waiting", "Answers on their way, whichever process brings them", "platform"),
            self._gauge("grognard_outbox_late", "Those of them that have waited for two minutes", "platform"),
            self._gauge("grognard_outbox_late_places", "Places that these are for", "platform"),
        )
        self._disk = self._gauge("grognard_disk_free_bytes", "Free room for the database")
        self._copied = self._gauge("grognard_last_backup_timestamp_seconds", "When the games were copied; 0: never")
        self._connected = self._gauge("grognard_connected", "1 while a platform is connected", "platform")

    def command(self, platform: str, system: str, family: str, outcome: str, seconds: float) -> None:
        """See Counts."""
        self._commands.labels(platform, system, family, outcome).inc()
        self._answers.labels(platform).observe(seconds)

    def receipt(self, platform: str, outcome: str, seconds: float) -> None:
        """See Counts."""
        self._receipts.labels(platform).observe(seconds)
        if outcome != "done":
            self._unwritten.labels(platform).inc()

    def commit(self, outcome: str, seconds: float) -> None:
        """See Counts."""
        self._commits.labels(outcome).observe(seconds)

    def retry(self) -> None:
        """See Counts."""
        self._retries.inc()

    def untold(self) -> None:
        """See Counts."""
        self._untold.inc()

    def met(self, what: str, platform: str) -> None:
        """See Counts."""
        self._met[what].labels(platform).inc()

    def lagged(self, seconds: float) -> None:
        """The event loop came so late to its turn."""
        self._lag.observe(seconds)

    def follow(self, handling: Handling, store: Store) -> None:
        """Show what is at work there."""
        self._gauge("grognard_at_work", "Commands under way").set_function(lambda: handling.budgets.at_work)
        self._gauge("grognard_queues", "Games with commands in line").set_function(lambda: handling.waiting)
        self._gauge("grognard_worker_waiting", "Sums in line for the odds worker").set_function(
            lambda: handling.worker.waiting
        )
        self._gauge("grognard_pool_in_use", "Connections to the database that are at work").set_function(
            lambda: store.in_use
        )
        self._given_up_now = lambda: handling.worker.given_up

    def seen(self, sight: Sight) -> None:
        """Show what the health check saw."""
        self._healthy.set(not sight.troubles)
        for platform, counts in sight.outbox.items():
            for gauge, count in zip(self._outbox, counts, strict=True):
                gauge.labels(platform).set(count)
        self._copied.set(sight.copied)
        if sight.free is not None:
            self._disk.set(sight.free)
        for platform, problem in sight.links.items():
            self._connected.labels(platform).set(not problem)
            for counted in self._met.values():
                counted.labels(platform)

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        given_up = self._given_up_now()
        self._given_up.inc(given_up - self._given_up_told)
        self._given_up_told = given_up
        return generate_latest(self._registry)

    def _gauge(self, name: str, about: str, *labels: str) -> Gauge:
        return Gauge(name, about, labels, registry=self._registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(name, about, labels, registry=self._registry)

    def _seconds(self, name: str, about: str, *labels: str) -> Histogram:
        return Histogram(name, about, labels, buckets=SECONDS, registry=self._registry)
