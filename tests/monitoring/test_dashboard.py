"""The dashboard shows figures that there are, and all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bot.app import App
from bot.monitoring.health import HealthReport
from bot.monitoring.metrics import Metrics
from tests.fresh import fresh_store

PROCESS = {"process_resident_memory_bytes", "process_cpu_seconds_total"}
LABELS = re.compile(r"\{[^}]*\}|by \([^)]*\)")


async def test_each_figure_is_on_the_dashboard_and_each_panel_has_its_figure(root: Path) -> None:
    metrics = Metrics("1.2.3")
    store = await fresh_store()
    metrics.follow(App(store).executor, store)
    metrics.show_health(HealthReport(links={"discord": ""}, outbox={"discord": (3, 2, 1)}))
    metrics.count("command", "discord", "lnlt", "sequence", "done")
    metrics.count("unwritten", "discord")
    for what in ("retry", "untold"):
        metrics.count(what)
    for what in ("answer", "receipt"):
        metrics.record_duration(what, 0.01, "discord")
    metrics.record_duration("lag", 0.01)
    there = {
        re.split(r"[{ ]", line)[0]
        for line in metrics.render().decode().splitlines()
        if not line.startswith("#")
    }
    board = json.loads((root / "deploy" / "scale" / "grafana.json").read_text("utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    named = {
        name
        for text in asked
        for name in re.findall(r"(?:grognard|process)_\w+", LABELS.sub("", text))
    }
    assert named - there == set()
    ours = {name for name in there if name.startswith("grognard_")}
    shown = {re.sub("_(bucket|count|sum)$", "", name) for name in named}
    hidden = {name for name in ours if re.sub("_(bucket|count|sum)$", "", name) not in shown}
    assert {name for name in hidden if not name.endswith("_created")} == set()
    assert named >= PROCESS


def test_what_all_processes_of_a_database_see_alike_is_counted_once(root: Path) -> None:
    """Six processes on one database have one backlog, not six."""
    board = json.loads((root / "deploy" / "scale" / "grafana.json").read_text("utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    shared = [text for text in asked if re.search(r"grognard_(outbox|last_backup)", text)]
    assert len(shared) == 4
    assert all(
        re.search(r"\bmax( by \(platform\) )?\(", text) and "sum" not in text for text in shared
    ), shared
    trouble = next(panel for panel in board["panels"] if panel["title"].startswith("Trouble"))
    assert any("unrecorded" in target["expr"] for target in trouble["targets"])


def test_counters_are_called_so(root: Path) -> None:
    """A rate is asked of counters alone, whose names end as Prometheus has them end."""
    board = json.loads((root / "deploy" / "scale" / "grafana.json").read_text("utf-8"))
    for text in (target["expr"] for panel in board["panels"] for target in panel["targets"]):
        for name in re.findall(r"(?:rate|increase)\((\w+)", text):
            assert name.endswith(("_total", "_count", "_bucket")), name
