"""How tests say which refusal they expect: by its code and what it is about, not by its sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.rules.codes import CODES
from bot.rules.errors import UserError


@contextmanager
def refuses(what: str) -> Iterator[pytest.ExceptionInfo[UserError]]:
    """The block must raise a UserError: `what` is its code, and after a blank what it is about.

    That is the option at fault, or a name that the message holds: "missing morale", "unit-gone VC 1".
    The block gets what `pytest.raises` gives, for the hint.
    """
    code, _, about = what.partition(" ")
    assert code in CODES, f"{code} is not a code"
    with pytest.raises(UserError) as caught:
        yield caught
    error = caught.value
    assert error.code == code, f"{error.code}: {error}"
    named = error.option == about or re.search(rf"(?<!\w){re.escape(about)}(?!\w)", error.message)
    assert named, f"option {error.option}: {error}"
