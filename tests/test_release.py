"""`make release` in a copy of the project: one run makes commit, tag, notes, wheel and sums; what
fails changes nothing. install.sh takes that tag, goes up to it and back."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.deploy.releases_helpers import Host
from tools.release import (
    PLACEHOLDER,
    Refused,
    date_changelog,
    date_history,
    fill_address,
    git,
    main,
    notes_of,
    release,
)

LOG = "# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 0.1.0 - 2026-11-22\n\n- The first.\n"


def test_what_is_unreleased_gets_a_number_and_a_day() -> None:
    told = date_changelog(LOG, "0.2.0", "2026-12-24")
    assert told.startswith(
        "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-12-24\n\n### Added\n\n- A thing.\n"
    )
    assert notes_of(told, "0.2.0") == "### Added\n\n- A thing.\n"
    assert notes_of(told, "0.1.0") == "- The first.\n"


def test_what_is_unreleased_in_the_history_gets_both_too() -> None:
    told = date_history(LOG, "0.2.0", "2026-12-24")
    assert "## Unreleased\n\n## 0.2.0 - 2026-12-24\n\n### Added\n" in told
    assert date_history(told, "0.3.0", "2026-12-25") == told, "it says nothing new"


def test_a_release_about_which_nothing_is_said_is_refused() -> None:
    with pytest.raises(Refused, match=r"says nothing about 0\.2\.0"):
        date_changelog(
            "## Unreleased\n\n## 0.1.0 - 2026-11-22\n\n- The first.\n", "0.2.0", "2026-12-24"
        )


@pytest.mark.parametrize("page", ["CHANGELOG.md", "docs/history.md"])
def test_the_changelog_is_ready_for_the_next_one(root: Path, page: str) -> None:
    """Dated sections, the newest first, below one that is open."""
    heads = re.findall(r"^## (.*)$", (root / page).read_text(), re.MULTILINE)
    assert heads[0] == "Unreleased"
    assert heads[-1] == "0.1.0 - 2026-11-22"
    days = [re.fullmatch(r"\d+\.\d+\.\d+ - (\d{4}-\d\d-\d\d)", head) for head in heads[1:]]
    assert all(days)
    assert [day[1] for day in days if day] == sorted((day[1] for day in days if day), reverse=True)


def cloned(root: Path, folder: Path) -> Path:
    """A clone of the project as it is committed, before its address was filled in."""
    if subprocess.run(
        ["git", "clone", "--quiet", root, folder], check=False, capture_output=True
    ).returncode:
        pytest.skip("not a git checkout")
    git(folder, "checkout", "--quiet", "-B", "main")
    git(folder, "config", "user.name", "Releaser")
    git(folder, "config", "user.email", "releaser@example.org")
    address = tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["grognard"]["address"]
    if address != PLACEHOLDER:
        for name in git(folder, "grep", "--name-only", "--fixed-strings", address).splitlines():
            path = folder / name
            path.write_text(path.read_text().replace(address, PLACEHOLDER))
    return folder


@pytest.fixture(scope="module")
def copy(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the project with something to release."""
    there = cloned(root, tmp_path_factory.mktemp("release") / "copy")
    for tag in git(there, "tag").splitlines():
        git(there, "tag", "--delete", tag)
    log = there / "CHANGELOG.md"
    log.write_text(
        log.read_text().replace(
            "## Unreleased\n", "## Unreleased\n\n### Fixed\n\n- Something.\n", 1
        )
    )
    git(there, "commit", "--quiet", "--all", "--message", "Something to tell")
    return there


def with_address(copy: Path) -> None:
    """Fill in where the copy is to be found, as its maintainers do once."""
    fill_address(copy, "https://example.org/grognard")
    git(copy, "commit", "--quiet", "--all", "--message", "Our address")


@pytest.mark.slow
def test_one_run_makes_all_of_it_and_what_fails_nothing(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copy)
    assert main(["9.8.7", "--no-sbom"]) == 1
    assert f"hosts would read {PLACEHOLDER}" in capsys.readouterr().err
    with_address(copy)
    before = git(copy, "rev-parse", "HEAD")
    (copy / "LICENSE").write_text("mine")
    assert main(["9.8.7", "--no-sbom"]) == 1
    assert "changes that are not committed" in capsys.readouterr().err
    git(copy, "checkout", "--quiet", "LICENSE")
    assert main(["0.0.9", "--no-sbom"]) == 1
    assert main(["next", "--no-sbom"]) == 1
    monkeypatch.setattr("tools.release.BUILD", "raise SystemExit('no')")
    with pytest.raises(Refused, match="could not be built"):
        release(copy, "9.8.7", "2026-12-24", sbom=False)
    monkeypatch.undo()
    monkeypatch.chdir(copy)
    assert (git(copy, "rev-parse", "HEAD"), git(copy, "tag")) == (before, "")
    assert not (copy / "dist").exists()

    assert main(["9.8.7", "--no-sbom", "--day", "2026-12-24"]) == 0
    assert git(copy, "log", "-1", "--format=%s %P") == f"Release 9.8.7 {before}"
    assert git(copy, "describe", "--tags", "--dirty") == "v9.8.7"
    assert git(copy, "cat-file", "-t", "v9.8.7") == "tag"
    assert "### Fixed\n\n- Something." in git(
        copy, "tag", "--list", "--format=%(contents)", "v9.8.7"
    )
    made = {path.name: path for path in (copy / "dist" / "9.8.7").iterdir()}
    wheel = "grognard-9.8.7-py3-none-any.whl"
    assert set(made) == {
        wheel,
        "grognard-9.8.7.md",
        "requirements.lock",
        "requirements-dev.lock",
        "SHA256SUMS",
    }
    assert "- Something." in made["grognard-9.8.7.md"].read_text()
    assert "\n## 9.8.7 - 2026-12-24\n" in git(copy, "show", "v9.8.7:docs/history.md")
    with zipfile.ZipFile(made[wheel]) as inside:
        assert {name.split("/")[0] for name in inside.namelist()} == {
            "grognard",
            "grognard-9.8.7.dist-info",
        }
    for line in made["SHA256SUMS"].read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(made[name].read_bytes()).hexdigest() == digest
    assert main(["9.8.7", "--no-sbom"]) == 1, "it is there already"
    sums = made["SHA256SUMS"].read_text()
    assert main(["9.8.7", "--no-sbom", "--tagged"]) == 0
    assert made["SHA256SUMS"].read_text() == sums, "from the tag comes the same to the last bit"
    assert main(["9.8.8", "--no-sbom", "--tagged"]) == 1


@pytest.mark.thorough
def test_a_host_takes_the_tag_goes_up_and_back(copy: Path, root: Path, tmp_path: Path) -> None:
    """The lines of deploy/README.md in a clone, with the scripts of the release itself."""
    if not git(copy, "tag", "--list", "v9.8.7"):
        with_address(copy)
        release(copy, "9.8.7", "2026-12-24", sbom=False)
    host = Host(root, tmp_path)
    for version, tag in (("before", "v9.8.7~1"), ("tagged", "v9.8.7")):
        git(tmp_path, "clone", "--quiet", str(copy), str(tmp_path / version))
        git(tmp_path / version, "checkout", "--quiet", tag)
    (host.disk / "etc").mkdir()
    (host.disk / "etc/grognard.env").write_text("DISCORD_TOKEN=mine\n")
    first = host.install("before")
    assert first.returncode == 0, first.stderr
    assert "is not the tagged release v" in first.stderr, "it is a commit that nobody tagged"
    up = host.install("tagged")
    assert (up.returncode, up.stderr) == (0, "")
    assert "Release 2 (9.8.7)" in up.stdout
    now = host.disk / "opt/grognard/current/pyproject.toml"
    assert 'version = "9.8.7"' in now.read_text()
    back = host.install("tagged", "--rollback")
    assert back.returncode == 0, back.stderr
    assert 'version = "9.8.7"' not in now.read_text()
    assert "tag=v9.8.7" in (host.disk / "opt/grognard/releases/2/release").read_text()


@pytest.mark.slow
def test_the_address_is_said_in_one_place_and_filled_in_everywhere(
    root: Path, tmp_path: Path
) -> None:
    copy = cloned(root, tmp_path / "copy")
    named = git(
        copy, "grep", "--name-only", PLACEHOLDER, "--", ".", ":!tests", ":!setup.py"
    ).splitlines()
    assert set(named) == {
        "README.md",
        "deploy/README.md",
        "deploy/by-hand.md",
        "pyproject.toml",
        "tools/release.py",
    }
    filled = fill_address(copy, "https://example.org/grognard/")
    assert set(filled) == set(named) - {"tools/release.py"}
    assert (
        "git clone https://example.org/grognard grognard && cd"
        in (copy / "deploy/README.md").read_text()
    )
