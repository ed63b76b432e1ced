"""How tests say which refusal they expect: by its code and what it is about, not by its
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bot.rules.codes import CODES
from bot.rules.errors import UserError


@contextmanager
def refuses(what: str) -> Iterator[pytest.ExceptionInfo[UserError]]:
    """The block must raise this UserError: "missing morale", "unit-gone VC 1". It gets what
    `pytest.raises` gives.
    """
    with pytest.raises(UserError) as caught:
        yield caught
    error = caught.value
    assert_refused(what, error.code, error.option or "", error.message)


def assert_refused(what: str, code: str, option: str, message: str) -> None:
    """An error is the one meant: `what` is its code, and after a blank the option at fault or a
    name in its message.
    """
    expected, _, about = what.partition(" ")
    assert expected in CODES, f"{expected} is not a code"
    assert code == expected, f"{code}: {message}"
    named = about == option or re.search(
        rf"(?<!\w){re.escape(about)}(?!\w)", message, re.IGNORECASE
    )
    assert named, f"option {option}: {message}"
