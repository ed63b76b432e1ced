"""What the script of a page says of logs: run in Node, as a browser runs it, all logs in one go."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.report.page import checker_scripts

_RUN = """
(async () => {
  for (const text of JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"))) {
    const {faults, parts} = await Checker.check(JSON.parse(text));
    console.log(JSON.stringify({faults: faults.map(fault => [fault.part, fault.event, fault.text]), parts}));
  }
})();
"""


def said_by_page(texts: Sequence[str], folder: Path) -> list[dict[str, list[list[str]]]]:
    """The `faults` (part, event, words) and the `parts` that a page finds in each exported log."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no Node here; on Debian: apt-get install nodejs")
    (folder / "check.js").write_text(f"{checker_scripts()}{_RUN}", "utf-8")
    (folder / "logs.json").write_text(json.dumps(list(texts)), "utf-8")
    words = [node, str(folder / "check.js"), str(folder / "logs.json")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
