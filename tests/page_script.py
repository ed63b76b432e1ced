"""What the script of a page says of logs: run in Node, as a browser runs it, all logs in one go."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from bot.report.page import load_checker_scripts

_RUN = """
const lines = require("readline").createInterface({input: process.stdin});
lines.once("line", scripts => {
  require("vm").runInThisContext(JSON.parse(scripts));
  lines.on("line", async line => {
    const said = [], {path, head} = JSON.parse(line);
    for (const text of JSON.parse(require("fs").readFileSync(path, "utf8"))) {
      const {faults, parts} = await Checker.check(JSON.parse(text), {head});
      said.push({faults: faults.map(fault => [fault.part, fault.event, fault.text]), parts});
    }
    console.log(JSON.stringify(said));
  });
});
"""


def said_by_page(
    texts: Sequence[str], folder: Path, head: str = ""
) -> list[dict[str, list[list[str]]]]:
    """The `faults` (part, event, words) and the `parts` that a page finds in each exported log, and
    of a head that was pasted.
    """
    (folder / "logs.json").write_text(json.dumps(list(texts)), "utf-8")
    node = _node()
    assert node.stdout is not None
    _tell(node, {"path": str(folder / "logs.json"), "head": head})
    told = node.stdout.readline()
    if not told:
        _node.cache_clear()  # the next test has one of its own
    assert told, f"Node ended with status {node.wait(10)}, see what it wrote on stderr"
    said: list[dict[str, list[list[str]]]] = json.loads(told)
    assert len(said) == len(texts)
    return said


@cache
def _node() -> subprocess.Popen[str]:
    """One for all tests of this process, with the scripts read; it ends when nobody holds its
    stdin any more.
    """
    path = shutil.which("node")
    if not path:
        pytest.skip("no Node here; on Debian: apt-get install nodejs")
    node = subprocess.Popen(
        [path, "--eval", _RUN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    _tell(node, load_checker_scripts())
    return node


def _tell(node: subprocess.Popen[str], word: object) -> None:
    assert node.stdin is not None
    node.stdin.write(f"{json.dumps(word)}\n")
    node.stdin.flush()
