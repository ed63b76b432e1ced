"""Dataclasses that are made quickly are dataclasses like any other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any, Generic, TypeVar

import pytest

from bot.rules.quick import quick

T = TypeVar("T")


@quick
@dataclass(frozen=True, slots=True)
class Mortar(Generic[T]):
    kind: str
    open: T
    range: int = 30
    crew: Mapping[str, int] = field(default_factory=dict, hash=False)


def test_fields_come_in_order_by_name_or_by_default() -> None:
    assert Mortar("light", 1) == Mortar(kind="light", open=1, range=30, crew={})
    assert repr(Mortar("heavy", True, 40, {"loader": 2})).endswith(
        "Mortar(kind='heavy', open=True, range=40, crew={'loader': 2})"
    )
    assert Mortar("light", 1).crew is not Mortar("light", 1).crew
    assert hash(Mortar("light", 1)) == hash(Mortar("light", 1, crew={"loader": 1}))


def test_wrong_arguments_are_refused_by_name() -> None:
    make: Any = Mortar
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'open'"):
        make("light")
    with pytest.raises(TypeError, match="unexpected keyword argument 'calibre'"):
        make("light", 1, calibre=81)


def test_nothing_changes_afterwards() -> None:
    mortar = Mortar("light", 1)
    with pytest.raises(FrozenInstanceError):
        mortar.kind = "heavy"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del mortar.range
    assert type(mortar) is Mortar


def test_copies_are_made_in_every_way() -> None:
    mortar = Mortar("light", 1, crew={"loader": 2})
    assert replace(mortar, range=50) == Mortar("light", 1, 50, {"loader": 2})
    assert copy.deepcopy(mortar) == pickle.loads(pickle.dumps(mortar)) == mortar
