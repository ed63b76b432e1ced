"""The release of this program: of the installed package, or of the checkout with pyproject.toml."""

from pathlib import Path

NAME = "grognard"


def get_release() -> str:
    """Return the release, such as `1.2.0`, or `from source` if it is unknown."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(NAME)
    except PackageNotFoundError:
        return _in_project(find_project_file())


def find_project_file() -> Path:
    """Return the path of pyproject.toml. It exists only if the bot runs from a checkout."""
    return Path(__file__).resolve().parents[2] / "pyproject.toml"


def _in_project(file: Path) -> str:
    """Return the release that a pyproject.toml names, `from source` if it cannot be read."""
    import tomllib

    try:
        return str(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, tomllib.TOMLDecodeError, KeyError):
        return "from source"
