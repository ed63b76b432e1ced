"""How the wheel differs from a checkout: tables and packs are inside the package bot. All else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Puts tables/ and packs/ where no other package has its own of that name."""

    def run(self) -> None:
        """Build as ever, then move them; an editable install reads them where they are."""
        super().run()
        if self.editable_mode:
            return
        tables, inside = Path(self.build_lib, "tables"), Path(self.build_lib, "bot", "tables")
        if tables.is_dir():
            shutil.rmtree(inside, ignore_errors=True)
            tables.rename(inside)
        if Path("packs").is_dir():
            shutil.copytree("packs", Path(self.build_lib, "bot", "free_packs"), dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildPy})
