"""Which release this is: installed as a package, or run from a folder that has pyproject.toml
beside the code.
"""

from pathlib import Path

NAME = "grognard"


def get_release() -> str:
    """The release, as `1.2.0`; `from source` where nothing beside the code says it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return _in_project(find_project_file())


def find_project_file() -> Path:
    """Return where pyproject.toml is if the bot runs from a checkout. An installed package has
    no such file.
    """
    return Path(__file__).resolve().parents[2] / "pyproject.toml"


def _in_project(file: Path) -> str:
    import tomllib

    try:
        return str(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, tomllib.TOMLDecodeError, KeyError):
        return "from source"
