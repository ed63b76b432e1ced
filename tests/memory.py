"""Where tests keep what is read again by nobody: in memory, where files are made and taken away
without a disk.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import cache

_FOLDER = "/dev/shm"


def memory() -> str | None:
    """A folder in memory for temporary ones; None where there is none, or another place was
    named for them.
    """
    is_named = tempfile.tempdir not in (None, "/tmp") or "TMPDIR" in os.environ
    return _FOLDER if not is_named and _is_roomy() else None


@cache
def _is_roomy() -> bool:
    """Containers have 64 MiB of it, others half of their memory."""
    return os.path.isdir(_FOLDER) and shutil.disk_usage(_FOLDER).free > 2**30
