"""The dashboard shows figures that there are, and all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bot.app import App
from bot.sight.health import Sight
from bot.sight.metrics import Metrics
from tests.fresh import fresh_store

PROCESS = {"process_resident_memory_bytes", "process_cpu_seconds_total"}
LABELS = re.compile(r"\{[^}]*\}|by \([^)]*\)")


async def test_each_figure_is_on_the_dashboard_and_each_panel_has_its_figure(root: Path) -> None:
    metrics = Metrics("1.2.3")
    metrics.follow(App(await fresh_store()).handling)
    metrics.seen(Sight(links={"discord": ""}))
    metrics.command("lnlt", "sequence", "done", 0.01)
    metrics.receipt("failed", 0.01)
    metrics.retry()
    metrics.untold()
    there = {re.split(r"[{ ]", line)[0] for line in metrics.text().decode().splitlines() if not line.startswith("#")}
    board = json.loads((root / "deploy" / "grafana.json").read_text("utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    named = {name for text in asked for name in re.findall(r"(?:grognard|process)_\w+", LABELS.sub("", text))}
    assert named - there == set()
    ours = {name for name in there if name.startswith("grognard_")}
    shown = {re.sub("_(bucket|count|sum)$", "", name) for name in named}
    hidden = {name for name in ours if re.sub("_(bucket|count|sum)$", "", name) not in shown}
    assert {name for name in hidden if not name.endswith("_created")} == set()
    assert named >= PROCESS
