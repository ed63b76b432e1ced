"""The project itself: locks, commands and files agree with each other."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bot.rules.sequence import sequence
from tests.conftest import SETTINGS
from tests.project_files import project_files
from tools import where

LOCKS = ("requirements.lock", "requirements-dev.lock")
# Written in halves, so that this file passes its own test.
REGISTRY_HOSTS = [
    "".join(halves)
    for halves in (
        ("pypi", ".org"),
        ("python", "hosted"),
        ("docker", ".io"),
        ("ghcr", ".io"),
        ("quay", ".io"),
        ("mcr.", "microsoft"),
        ("npmjs", ".org"),
        ("--index", "-url"),
        ("--extra-", "index"),
    )
]
# The one place that must name the option, to leave it out of the locks.
ALLOWED = {"Makefile": {"--no-emit-index-url"}}


def normal(name: str) -> str:
    """A package's name as the locks spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(path: Path) -> dict[str, str]:
    """{name: version} of a lock file."""
    return dict(re.findall(r"^([a-z0-9][a-z0-9.-]*)==(\S+)", path.read_text(), re.MULTILINE))


def wanted(root: Path) -> tuple[set[str], set[str]]:
    """Names of the run-time and of the development dependencies in pyproject.toml."""
    told = tomllib.loads((root / "pyproject.toml").read_text())
    project = told["project"]

    def names(lines: list[str]) -> set[str]:
        return {normal(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]) for line in lines}

    extras = project["optional-dependencies"]
    return names([*project["dependencies"], *extras["pictures"]]), names(
        told["dependency-groups"]["dev"]
    )


def targets(root: Path) -> set[str]:
    """What can be typed after make."""
    return set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address(root: Path, lock: str) -> None:
    text = (root / lock).read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-[^-]|^--|@ ", text, re.MULTILINE), (
        "no options and no direct references"
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_everything_locked_has_a_hash(root: Path, lock: str) -> None:
    for entry in re.split(r"^(?=[a-z0-9])", (root / lock).read_text(), flags=re.MULTILINE):
        assert not entry.strip() or re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), (
            entry.splitlines()[0]
        )


def test_every_dependency_is_locked(root: Path) -> None:
    runtime, dev = wanted(root)
    assert runtime <= set(locked(root / "requirements.lock"))
    assert runtime | dev <= set(locked(root / "requirements-dev.lock"))


@pytest.mark.parametrize(
    "file",
    [
        "Makefile",
        "deploy/Containerfile",
        "deploy/by-hand.md",
        "deploy/install.sh",
        "deploy/setup.sh",
    ],
)
def test_who_installs_a_lock_takes_it_as_it_is(root: Path, file: str) -> None:
    """Without --no-deps pip works out what a package needs once more, and stops at a release
    newer than the lock.
    """
    said = [
        line
        for line in (root / file).read_text().splitlines()
        if " install " in line and "--require-hashes" in line
    ]
    assert said
    assert all("--require-hashes --no-deps -r" in line for line in said)


def test_both_locks_hold_the_same_versions(root: Path) -> None:
    assert (
        locked(root / "requirements.lock").items() <= locked(root / "requirements-dev.lock").items()
    )


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "deploy/container.md"]
)
def test_make_commands_on_a_page_exist(root: Path, page: str) -> None:
    text = (root / page).read_text()
    # a line of a block, or a word of the text
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE))
    assert named <= targets(root)
    if page == "README.md":
        assert {"play", "test"} <= named


def test_the_architecture_names_the_packages_that_there_are(root: Path) -> None:
    """`ls bot` and the first table read the same, and each file that a task leads to exists."""
    package_table, _, tasks = (
        (root / "ARCHITECTURE.md").read_text().partition("## Where do I change")
    )
    named = set(re.findall(r"`bot/([\w.]+)/?`", package_table))
    for row in re.findall(r"^\| (`bot/\w+\.py`.*?) \|", package_table, re.MULTILINE):
        named |= {word.removeprefix("bot/") for word in re.findall(r"`([\w./]+)`", row)}
    assert named == {path.name for path in (root / "bot").iterdir()} - {
        "__init__.py",
        "__pycache__",
    }
    paths = [
        path
        for row in re.findall(r"^\|.*\|$", tasks, re.MULTILINE)
        for path in re.findall(r"`([\w<>/.]+\.\w+)`", row)
    ]
    assert len(paths) > 10
    for path in paths:
        assert list(root.glob(re.sub(r"<\w+>", "*", path))), path


def test_ci_runs_the_test_command_of_the_readme(root: Path) -> None:
    run = root / ".ci" / "run"
    assert "make test" in run.read_text()
    assert run.stat().st_mode & 0o111, "executable"


def test_no_file_names_a_registry_host(root: Path) -> None:
    for path in project_files(root):
        name = str(path.relative_to(root))
        text = path.read_bytes().decode("utf-8", "replace").lower()
        for allowed in ALLOWED.get(name, ()):
            text = text.replace(allowed, "")
        assert not [host for host in REGISTRY_HOSTS if host in text], name


def test_the_example_settings_are_those_that_tests_clear(root: Path) -> None:
    explained = re.findall(r"^# ([A-Z][A-Z_]+)=", (root / ".env.example").read_text(), re.MULTILINE)
    assert len(explained) == len(set(explained))
    assert set(explained) == {*SETTINGS, "GROGNARD_DATA"}


def test_every_system_has_its_legal_notice(root: Path) -> None:
    readme = (root / "README.md").read_text()
    for game in sorted((root / "tables").glob("*/game.yaml")):
        assert f"`{game.parent.name}`" in readme, game.parent.name


def test_the_map_of_the_tests_names_every_folder(root: Path) -> None:
    page = (root / "tests" / "README.md").read_text()
    folders = {
        path.name for path in (root / "tests").iterdir() if path.is_dir() and any(path.glob("*.*"))
    }
    named = set(re.findall(r"`(\w+)/`", page))
    assert named - {"bot", "adapters"} == folders - {"__pycache__", "adapters"}


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/first-change.md"])
def test_the_files_that_a_page_names_are_there(root: Path, page: str) -> None:
    folders = "bot|adapters|tables|packs|tests|tools|deploy|docs|benchmarks"
    named = re.findall(rf"`((?:{folders})/[\w/.-]+)`", (root / page).read_text())
    assert named
    assert [name for name in named if not (root / name).exists()] == []


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/first-change.md"])
def test_the_names_that_a_page_gives_for_a_file_are_in_it(root: Path, page: str) -> None:
    """`file.py`, `name`: the file defines that name."""
    text = (root / page).read_text()
    missing = []
    for file, names in re.findall(r"`([\w/.<>-]+\.py)`((?:, `[A-Za-z_][\w.]*`)+)", text):
        paths = list(root.glob(re.sub(r"<\w+>", "*", file)))
        code = "\n".join(path.read_text("utf-8") for path in paths)
        for name in re.findall(r"`([\w.]+)`", names):
            last = name.rpartition(".")[2]
            if not re.search(rf"(?:def|class) {last}\b|\b{last}\b.*[:=]", code):
                missing.append(f"{file}, {name}")
    assert missing == []


def test_the_guide_to_a_sequence_names_its_values_and_their_fields(root: Path) -> None:
    """In the steps under `Plan`, each name in backticks is a value of a sequence or a field of it."""
    page = (root / "CONTRIBUTING.md").read_text()
    steps = page.partition("which returns a `Plan`")[2].partition("\n3. ")[0]
    values = [sequence.Ruling, sequence.Plan, sequence.OddsRow, sequence.IndependentParts]
    known = {"next_step", "ruled", "Resolution", *(value.__name__ for value in values)}
    for value in values:
        known.update(value.__annotations__)
    named = set(re.findall(r"`([A-Za-z_]+)`", steps.partition("It has:")[2]))
    assert named
    assert named - known == set()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("vendor.github-workflows", "workflows/*.yml"),
        ("custom.github-workflows-require-timeout", "workflows/*.yml"),
        ("vendor.github-issue-forms", "ISSUE_TEMPLATE/*.yml"),
        ("vendor.dependabot", "dependabot.yml"),
    ],
)
def test_what_a_forge_reads_fits_its_schema(root: Path, schema: str, pattern: str) -> None:
    files = sorted((root / ".github").glob(pattern))
    assert files
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_the_workflows_name_each_action_by_its_commit(root: Path) -> None:
    """A tag may be moved to other code; a commit stays what it is. The comment says which
    release it was.
    """
    for file in sorted((root / ".github/workflows").glob("*.yml")):
        actions = re.findall(r"uses: (.*)", file.read_text())
        assert actions
        for action in actions:
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), (
                f"{file.name}: {action}"
            )


def test_the_workflows_check_what_is_claimed_and_no_more_is_claimed_than_that(root: Path) -> None:
    checks = yaml.safe_load((root / ".github/workflows/checks.yml").read_text())
    checked = set(checks["jobs"]["check"]["strategy"]["matrix"]["python"])
    claimed = set(re.findall(r"Python :: (3\.\d+)\"", (root / "pyproject.toml").read_text()))
    assert claimed <= checked
    for file in (root / ".github/workflows").glob("*.yml"):
        assert set(re.findall(r"\bmake ([a-z]+)", file.read_text())) <= targets(root), file.name


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("words", "file"),
    [
        ("luck below", "bot/game/luck.py, ENOUGH: "),
        ("consent undo", "bot/game/undo.py"),
        ("ranged combat", "tables/nhis/ranged-combat.yaml: Ranged combat table"),
        ("grenade into room", "tables/ucn/sequences.yaml, grenade-assault: "),
        ("follows game server rows", "bot/report/templates/live.js: "),
    ],
)
def test_a_word_or_two_find_the_place_for_a_change(
    words: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert where.main(words.split()) == 0
    assert any(line.startswith(file) for line in capsys.readouterr().out.splitlines())


def test_every_file_says_what_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert where.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 600
    assert not [
        line for line in lines if line.startswith(("bot/", "adapters/")) and line.endswith(": ")
    ]


def test_words_that_are_nowhere_are_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert where.main(["zeppelins"]) == 1
    assert "Nothing has all of these words" in capsys.readouterr().err


OF_NOBODY_ELSE = re.compile("AssertionError|NotImplementedError|_[A-Z]")
"""What a function raises where we have a bug, and errors that their file keeps to itself."""


def raised_by(node: ast.AST) -> Iterator[str]:
    """What the code below raises by itself, where nothing there may catch it; not what functions
    inside it do.
    """
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Raise) and inner.exc is not None:
            if not OF_NOBODY_ELSE.match(name := ast.unparse(inner.exc).partition("(")[0]):
                yield name
        elif isinstance(inner, ast.Try) and inner.handlers:
            for part in (*inner.handlers, *inner.orelse, *inner.finalbody):
                yield from raised_by(ast.Module([part], []) if isinstance(part, ast.stmt) else part)
        elif not isinstance(
            inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
        ):
            yield from raised_by(inner)


def public_functions(
    node: ast.Module | ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Those of a module or a class that have no underscore, nor are in what has one."""
    for inner in node.body:
        if isinstance(inner, ast.ClassDef) and not inner.name.startswith("_"):
            yield from public_functions(inner)
        elif isinstance(
            inner, (ast.FunctionDef, ast.AsyncFunctionDef)
        ) and not inner.name.startswith("_"):
            yield inner


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["bot", "adapters"])
def test_who_raises_says_so(root: Path, folder: str) -> None:
    silent, count = list[str](), 0
    for path in sorted((root / folder).rglob("*.py")):
        for function in public_functions(ast.parse(path.read_text("utf-8"))):
            if raised := {*raised_by(function)}:
                count += 1
                if not re.search("[Rr]aise|[Rr]efuse", ast.get_docstring(function) or ""):
                    silent.append(
                        f"{path.relative_to(root)}: {function.name} raises {', '.join(raised)}"
                    )
    assert count > 10
    assert silent == []
