"""How the wheel differs from a checkout: all of it is inside one package, grognard. All else is
in pyproject.toml.
"""

import shutil
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.egg_info import egg_info

PACKAGE = "grognard"
START = "from grognard import process\n\nprocess()\n"


class BuildPy(build_py):
    """Puts everything where no other distribution can have files of the same name."""

    def run(self) -> None:
        """Build as ever, then move it inside; an editable install reads the folders where they
        are.
        """
        super().run()
        if self.editable_mode:
            return
        built = Path(self.build_lib)
        inside = built / PACKAGE
        shutil.rmtree(inside, ignore_errors=True)
        parts = list(built.iterdir())
        inside.mkdir()
        for part in parts:
            part.rename(inside / part.name)
        (inside / "grognard.py").rename(inside / "__init__.py")
        (inside / "__main__.py").write_text(START, encoding="utf-8")
        (inside / "tables").rename(inside / "bot" / "tables")
        if Path("packs").is_dir():
            shutil.copytree("packs", inside / "bot" / "free_packs")
        if Path("docs", "schema").is_dir():
            shutil.copytree("docs/schema", inside / "bot" / "schema")


class EggInfo(egg_info):
    """Says what comes to lie beside other packages: one name."""

    def run(self) -> None:
        """The metadata as ever, but for top_level.txt."""
        super().run()
        Path(self.egg_info, "top_level.txt").write_text(f"{PACKAGE}\n", encoding="utf-8")


def links() -> dict[str, str]:
    """Where the project is to be found, once that is said in pyproject.toml."""
    address = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["tool"]["grognard"][
        "address"
    ].rstrip("/")
    if "://" not in address:
        return {}
    return {
        "Source": address,
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


setup(cmdclass={"build_py": BuildPy, "egg_info": EggInfo}, project_urls=links())
