"""`make audit` is green only if each package of each lock file was checked; a stand-in for
pip-audit answers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import audit

LOCK = """\
alpha==1.0 \\
    --hash=sha256:aa
beta==2.0 ; sys_platform == 'win32' \\
    --hash=sha256:bb \\
    --hash=sha256:bc
gamma[extra]==3.0 ; python_full_version < '3.12' \\
    --hash=sha256:cc
gamma[extra]==3.1 ; python_full_version >= '3.12' \\
    --hash=sha256:cd
"""
DOCS_LOCK = "delta==4.0 \\\n    --hash=sha256:dd\n"
STAND_IN = """#!{python}
import json, pathlib, re, sys
answers = json.loads({answers!r})
dependencies = []
for index, word in enumerate(sys.argv):
    if word != "--requirement":
        continue
    text = pathlib.Path(sys.argv[index + 1]).read_text()
    assert ";" not in text, "a marker would leave a package out"
    names = re.findall(r"^([a-z]+)==(\\S+) --hash", text, re.MULTILINE)
    assert len(names) == len(dict(names)), "pip-audit refuses a name that comes twice in a file"
    for name, version in names:
        answer = answers.get(name, {{"vulns": []}})
        if answer is not None:
            dependencies.append({{"name": name, "version": version, **answer}})
print(json.dumps({{"dependencies": dependencies, "fixes": []}}))
sys.exit(any(one.get("vulns") for one in dependencies))
"""
Audit = Callable[..., int]


@pytest.fixture
def run_audit(tmp_path: Path) -> Audit:
    """Audit two lock files; `answers` says what the stand-in says about a package, None:
    nothing.
    """
    (tmp_path / "requirements.lock").write_text(LOCK)
    (tmp_path / "requirements-docs.lock").write_text(DOCS_LOCK)

    def run(script: str = STAND_IN, **answers: object) -> int:
        program = tmp_path / "pip-audit"
        program.write_text(script.format(python=sys.executable, answers=json.dumps(answers)))
        program.chmod(0o755)
        return audit.main(tmp_path, program)

    return run


def test_each_package_of_each_lock_is_checked(
    run_audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_audit() == 0
    assert (
        "Each of the 5 packages in requirements-docs.lock, requirements.lock was checked"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("name", "answer", "line"),
    [
        (
            "delta",
            {"skip_reason": "not found on the index"},
            "delta 4.0 was not checked: not found on the index",
        ),
        ("beta", None, "beta 2.0 was not checked: pip-audit did not mention it"),
        (
            "alpha",
            {"vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]},
            "alpha 1.0: PYSEC-1, fixed in 1.1",
        ),
        (
            "gamma",
            {"vulns": [{"id": "PYSEC-2", "fix_versions": []}]},
            "gamma 3.1: PYSEC-2, fixed in no release yet",
        ),
    ],
)
def test_a_package_that_is_vulnerable_or_was_not_checked_fails_it(
    run_audit: Audit, capsys: pytest.CaptureFixture[str], name: str, answer: object, line: str
) -> None:
    assert run_audit(**{name: answer}) == 1
    assert line in capsys.readouterr().out.splitlines()


def test_no_report_at_all_fails_it(run_audit: Audit, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_audit("#!/bin/sh\necho no network >&2\nexit 1\n") == 1
    assert "pip-audit gave no report (status 1): no network" in capsys.readouterr().out


def test_the_locks_of_the_project_are_read_whole(root: Path) -> None:
    for lock in root.glob("requirements*.lock"):
        text = lock.read_text()
        assert len(audit.parse_locked_packages(text)) == len(
            re.findall("^[a-z0-9]", text, re.MULTILINE)
        ), lock.name
