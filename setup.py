"""How the wheel differs from a checkout: the tables are inside the package bot. All else is in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Puts tables/ where no other package has its own of that name."""

    def run(self) -> None:
        """Build as ever, then move them; an editable install reads them where they are."""
        super().run()
        if self.editable_mode:
            return
        tables, inside = Path(self.build_lib, "tables"), Path(self.build_lib, "bot", "tables")
        if tables.is_dir():
            shutil.rmtree(inside, ignore_errors=True)
            tables.rename(inside)


setup(cmdclass={"build_py": BuildPy})
