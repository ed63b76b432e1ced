"""`python -m tools.release X.Y.Z`: the commit, the tag and dist/, with the wheel, the notes, the
SBOM and their sums.

All of it is made in a copy, and comes back only when it is whole: what fails on the way changes
nothing here. Nothing is sent anywhere; RELEASING.md says what is left to do.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path

PLACEHOLDER = "ADDRESS-OF-THIS-PROJECT"
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
OPEN = "## Unreleased\n"
HISTORY = Path("docs", "history.md")


class Refused(Exception):
    """Why there is no release, in words."""


def git(folder: Path, *words: str) -> str:
    """What git says there, without the end of its line. Raises Refused with its error."""
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Refused(f"git {words[0]}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.rstrip("\n")


def parts(version: str) -> tuple[int, ...]:
    """(1, 2, 3) of `1.2.3`. Raises Refused for anything else."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f'"{version}" is not a version such as 0.2.0.')
    return tuple(map(int, version.split(".")))


def notes_of(changelog: str, version: str) -> str:
    """The lines of one version. Raises Refused where there are none."""
    found = re.search(
        rf"^## {re.escape(version)} - [\d-]+\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    if not found or not found[1].strip():
        raise Refused(f"CHANGELOG.md says nothing about {version}.")
    return found[1].strip() + "\n"


def date_changelog(changelog: str, version: str, day: str) -> str:
    """The changelog with what is unreleased under this version and day, and an empty Unreleased
    above it.
    """
    if changelog.count(OPEN) != 1:
        raise Refused("CHANGELOG.md has no section Unreleased.")
    told = changelog.replace(OPEN, f"{OPEN}\n## {version} - {day}\n")
    notes_of(told, version)
    return told


def date_history(history: str, version: str, day: str) -> str:
    """Put the unreleased entries of the history under this version and day, if there are any."""
    entries = re.search(rf"^{OPEN}(.*?)(?=^## |\Z)", history, re.MULTILINE | re.DOTALL)
    if not entries or not entries[1].strip():
        return history
    return history.replace(OPEN, f"{OPEN}\n## {version} - {day}\n", 1)


def write_version(folder: Path, version: str, day: str) -> str:
    """The notes of the version, once all files say it. Raises Refused."""
    project, log = folder / "pyproject.toml", folder / "CHANGELOG.md"
    text = project.read_text("utf-8")
    before = tomllib.loads(text)["project"]["version"]
    if parts(version) <= parts(before):
        raise Refused(f"{version} does not come after {before}.")
    project.write_text(text.replace(f'version = "{before}"', f'version = "{version}"', 1), "utf-8")
    told = date_changelog(log.read_text("utf-8"), version, day)
    log.write_text(told, "utf-8")
    history = folder / HISTORY
    history.write_text(date_history(history.read_text("utf-8"), version, day), "utf-8")
    return notes_of(told, version)


def build(folder: Path, into: Path, version: str, notes: str, *, sbom: bool) -> None:
    """The files of a release, from a checkout of it."""
    moment = git(folder, "log", "-1", "--format=%ct")
    env = {**os.environ, "SOURCE_DATE_EPOCH": moment}
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(into)],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refused(f"The wheel could not be built: {done.stderr.strip()[-500:]}")
    (into / f"grognard-{version}.md").write_text(notes, "utf-8")
    for lock in ("requirements.lock", "requirements-dev.lock"):
        shutil.copy(folder / lock, into / lock)
    if sbom:
        out = into / f"grognard-{version}.sbom.json"
        here = Path(__file__).resolve().parents[1]
        subprocess.run(
            ["make", "--no-print-directory", "sbom", f"SOURCE={folder}", f"SBOM={out}"],
            cwd=here,
            check=True,
        )
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(into.iterdir())
    ]
    (into / "SHA256SUMS").write_text("".join(sums), "utf-8")


def release(root: Path, version: str, day: str, *, sbom: bool = True) -> Path:
    """The folder dist/X.Y.Z, once the release is the newest commit here and has its tag. Raises
    Refused.
    """
    parts(version)
    if PLACEHOLDER in (root / "pyproject.toml").read_text("utf-8"):
        raise Refused(
            "pyproject.toml does not say where this project is to be found, and hosts would read "
            f"{PLACEHOLDER}: python -m tools.release address https://... fills it in; commit that first."
        )
    if git(root, "status", "--porcelain"):
        raise Refused("There are changes that are not committed.")
    tag, branch = f"v{version}", git(root, "branch", "--show-current")
    if not branch:
        raise Refused("Check a branch out first: the release becomes its newest commit.")
    if git(root, "tag", "--list", tag):
        raise Refused(f"{tag} is there already.")
    dist = root / "dist" / version
    with tempfile.TemporaryDirectory() as where:
        copy, made = Path(where, "copy"), Path(where, "made")
        made.mkdir()
        git(root, "clone", "--quiet", "--branch", branch, str(root), str(copy))
        for setting in ("user.name", "user.email", "user.signingkey", "gpg.format"):
            if value := subprocess.run(
                ["git", "-C", root, "config", setting], capture_output=True, text=True
            ).stdout:
                git(copy, "config", setting, value.strip())
        notes = write_version(copy, version, day)
        git(copy, "commit", "--quiet", "--all", "--message", f"Release {version}")
        signed = (
            "--sign"
            if "user.signingkey" in git(copy, "config", "--list", "--name-only")
            else "--annotate"
        )
        git(
            copy,
            "tag",
            signed,
            "--cleanup=verbatim",
            "--message",
            f"Grognard {version}\n\n{notes}",
            tag,
        )
        build(copy, made, version, notes, sbom=sbom)
        git(root, "pull", "--quiet", "--ff-only", "--tags", str(copy), branch)
        shutil.rmtree(dist, ignore_errors=True)
        shutil.copytree(made, dist)
    return dist


def again(root: Path, version: str, *, sbom: bool = True) -> Path:
    """The folder dist/X.Y.Z, made from a tag that is there already. Raises Refused."""
    parts(version)
    dist = root / "dist" / version
    with tempfile.TemporaryDirectory() as where:
        copy, made = Path(where, "copy"), Path(where, "made")
        made.mkdir()
        git(root, "clone", "--quiet", "--branch", f"v{version}", str(root), str(copy))
        if f'version = "{version}"' not in (copy / "pyproject.toml").read_text("utf-8"):
            raise Refused(f"pyproject.toml at v{version} says another version.")
        build(
            copy,
            made,
            version,
            notes_of((copy / "CHANGELOG.md").read_text("utf-8"), version),
            sbom=sbom,
        )
        shutil.rmtree(dist, ignore_errors=True)
        shutil.copytree(made, dist)
    return dist


def fill_address(root: Path, address: str) -> list[str]:
    """The files in which the placeholder has become this address."""
    named = git(
        root,
        "grep",
        "--name-only",
        "--fixed-strings",
        PLACEHOLDER,
        "--",
        ".",
        ":!tests",
        ":!tools",
        ":!setup.py",
    )
    for name in named.splitlines():
        path = root / name
        path.write_text(path.read_text("utf-8").replace(PLACEHOLDER, address.rstrip("/")), "utf-8")
    return named.splitlines()


def main(words: list[str] | None = None) -> int:
    """0 when the release is made, or the address filled in; else 1, and why."""
    asked = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    asked.add_argument("version", help="X.Y.Z, or `address`")
    asked.add_argument(
        "address", nargs="?", help="with `address`: where the project is to be found, https://..."
    )
    asked.add_argument(
        "--day", default=datetime.now(UTC).date().isoformat(), help="the day in the changelog"
    )
    asked.add_argument(
        "--no-sbom", action="store_true", help="where there is no network to fetch its maker"
    )
    asked.add_argument(
        "--tagged", action="store_true", help="only dist/X.Y.Z, from a tag that is there"
    )
    given = asked.parse_args(words)
    root = Path(git(Path.cwd(), "rev-parse", "--show-toplevel"))
    try:
        if given.version == "address":
            if "://" not in (given.address or ""):
                raise Refused("Which one? python -m tools.release address https://...")
            print("\n".join(fill_address(root, given.address)))
            return 0
        if given.tagged:
            dist = again(root, given.version, sbom=not given.no_sbom)
        else:
            dist = release(root, given.version, given.day, sbom=not given.no_sbom)
    except (Refused, subprocess.CalledProcessError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(*(path.relative_to(root) for path in sorted(dist.iterdir())), sep="\n")
    if not given.tagged:
        print(
            f"v{given.version} is the newest commit, with its tag. Nothing was sent: git push --follow-tags does that."
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
