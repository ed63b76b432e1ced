"""`make audit`: ask the package index whether a locked package has a known vulnerability.

pip-audit alone is not enough. It ends with status 0 when it skipped packages, and it silently
leaves out those whose marker belongs to another platform or Python. So each package of each lock
file is asked about without its marker, and the audit fails unless each one got an answer.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PIP_AUDIT = ROOT / ".venv" / "audit" / "bin" / "pip-audit"
ENTRY = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?==(?P<version>[^\s;\\]+)")


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """A package as a lock file names it: canonical name and version."""

    name: str
    version: str


def canonical(name: str) -> str:
    """Return a package's name in the spelling that the index uses."""
    return re.sub(r"[-_.]+", "-", name).lower()


def parse_locked_packages(text: str) -> dict[Package, str]:
    """Return each package of a lock file with the line to ask about it: version and hashes, without
    a marker.

    Raises ValueError for an entry that names no version.
    """
    packages = {}
    for entry in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE):
        if not entry.strip() or entry.startswith("#"):
            continue
        match = ENTRY.match(entry)
        if match is None:
            raise ValueError(f"{entry.splitlines()[0]!r} names no version.")
        hashes = re.findall(r"--hash=\S+", entry)
        package = Package(canonical(match["name"]), match["version"])
        packages[package] = " ".join([f"{package.name}=={package.version}", *hashes])
    return packages


def split_versions(packages: dict[Package, str]) -> list[list[str]]:
    """Return the lines in groups that hold each name once: pip-audit refuses a name that comes
    twice.
    """
    groups: list[dict[str, str]] = []
    for package in sorted(packages):
        group = next((group for group in groups if package.name not in group), None)
        if group is None:
            group = {}
            groups.append(group)
        group[package.name] = packages[package]
    return [list(group.values()) for group in groups]


def run_pip_audit(program: Path, lines: list[str]) -> list[dict[str, Any]]:
    """Return what pip-audit says about each of these packages. Raises ValueError if it gives no
    report.
    """
    words = [
        str(program),
        "--disable-pip",
        "--require-hashes",
        "--progress-spinner",
        "off",
        "--format",
        "json",
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "packages.txt")
        file.write_text("\n".join(lines) + "\n", "utf-8")
        words += ["--requirement", str(file)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        dependencies: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError, TypeError):
        last_line = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise ValueError(
            f"pip-audit gave no report (status {done.returncode}): {last_line}"
        ) from None
    return dependencies


def find_faults(packages: set[Package], report: list[dict[str, Any]]) -> list[str]:
    """Return a line for each known vulnerability, and for each package without an answer."""
    faults = []
    reasons: dict[str, str] = {}
    checked = set()
    for dependency in report:
        name = canonical(dependency["name"])
        if "skip_reason" in dependency:
            reasons[name] = dependency["skip_reason"]
            continue
        package = Package(name, dependency["version"])
        checked.add(package)
        for vulnerability in dependency["vulns"]:
            fixed = ", ".join(vulnerability.get("fix_versions") or ["no release yet"])
            faults.append(
                f"{package.name} {package.version}: {vulnerability['id']}, fixed in {fixed}"
            )
    for package in sorted(packages - checked):
        reason = reasons.get(package.name, "pip-audit did not mention it")
        faults.append(f"{package.name} {package.version} was not checked: {reason}")
    return faults


def main(root: Path = ROOT, program: Path = PIP_AUDIT) -> int:
    """Audit every lock file of the project; 1 if a package is vulnerable or was not checked."""
    packages: dict[Package, str] = {}
    locks = sorted(root.glob("requirements*.lock"))
    try:
        for lock in locks:
            packages |= parse_locked_packages(lock.read_text("utf-8"))
        report = []
        for lines in split_versions(packages):
            report += run_pip_audit(program, lines)
        faults = find_faults(set(packages), report)
    except ValueError as error:
        print(f"The audit failed: {error}")
        return 1
    names = ", ".join(lock.name for lock in locks)
    for fault in faults:
        print(fault)
    if faults:
        print(
            f"The audit failed. Packages in {names}: {len(packages)}; lines above: {len(faults)}."
        )
        return 1
    print(
        f"Each of the {len(packages)} packages in {names} was checked, and none has a known vulnerability."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
