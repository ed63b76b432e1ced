"""No outcome changes unseen: frozen inputs and dice of every sequence and table still come out
the same.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.system import System
from tools import corpus as tool
from tools.corpus import (
    again,
    changes,
    describe_difference,
    format_advice,
    format_change,
    freeze,
    frozen,
    write,
)

TARGETS = [
    (game.id, "sequence", id) for game in load_shared_systems().values() for id in game.sequences
]
TARGETS += [(game.id, "table", id) for game in load_shared_systems().values() for id in game.tables]


@pytest.mark.sample(12)
@pytest.mark.parametrize(
    ("system", "kind", "id"), TARGETS, ids=["-".join(target) for target in TARGETS]
)
def test_outcomes_are_those_of_the_frozen_corpus(system: str, kind: str, id: str) -> None:
    corpus = frozen(system)
    entries = corpus.of(kind, id) + (corpus.of("odds", id) if kind == "sequence" else [])
    assert entries, f"nothing of {system} {id} is frozen: `python -m tools.corpus`"
    for was, now in changes(corpus, entries):
        pytest.fail(
            f"{format_advice(corpus, was)}\n{format_change(corpus, was, now)}", pytrace=False
        )


@pytest.mark.parametrize("system", list(load_shared_systems()))
def test_the_corpus_is_of_todays_edition_and_large_enough(system: str) -> None:
    corpus = frozen(system)
    assert corpus.edition == load_shared_systems()[system].edition, "`python -m tools.corpus`"
    written = {id: len(corpus.of("sequence", id)) for id in load_shared_systems()[system].sequences}
    # A sequence with few inputs and one die has no more situations than these.
    assert {id for id, count in written.items() if count < 60} <= {"facing", "surrender"}
    assert sum(bool(entry.get("after")) for entry in corpus.entries) > 40, (
        "results that are written to units"
    )


def test_a_changed_outcome_is_listed_with_inputs_dice_and_what_differs() -> None:
    corpus = frozen("lnlt")
    entry = corpus.of("sequence", "fire")[0]
    was = copy.deepcopy(entry)
    was["out"]["attack_total"] = 99
    ((frozen_one, now),) = changes(corpus, [was])
    assert now == entry
    lines = format_change(corpus, frozen_one, now)
    assert lines.startswith("lnlt fire attackers=")
    assert describe_difference(frozen_one, now) == "attack_total"
    assert f"out.attack_total: 99 -> {entry['out']['attack_total']}" in lines
    assert (
        "raise edition in tables/lnlt/game.yaml and say which card in docs/editions.md"
        in format_advice(corpus, was)
    )


def test_units_that_suffer_otherwise_and_refusals_are_changes_too() -> None:
    corpus = frozen("lnlt")
    hit = copy.deepcopy(next(entry for entry in corpus.entries if entry.get("after")))
    unit = next(iter(hit["after"]))
    hit["after"][unit]["state"] = "in a good mood"
    assert 'state: "in a good mood" -> ' in format_change(corpus, *next(changes(corpus, [hit])))
    odd = {**hit, "in": {**hit["in"], "colour": "red"}}
    assert 'has no option "colour"' in format_change(corpus, odd, again(corpus, odd))
    left_over = {**hit, "dice": [*hit["dice"], ["more", "d6", 6]]}
    assert "left over" in again(corpus, left_over)["refused"]


def test_freezing_is_refused_while_an_outcome_changed_under_the_same_edition(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    honest = frozen("asl")
    entry = copy.deepcopy(honest.of("sequence", "recover")[0])
    entry["out"]["result"] = "another"
    changed = replace(honest, entries=(entry,))
    monkeypatch.setattr(tool, "frozen", lambda system: changed)
    monkeypatch.setattr(tool, "path_of", lambda system: _File())
    assert freeze() == 1
    assert (
        "outcome of asl recover changed: raise edition in tables/asl/game.yaml"
        in capsys.readouterr().err
    )
    monkeypatch.setattr(System, "edition", honest.edition + 1)
    assert "is of edition" in format_advice(changed, entry)


class _File:
    """A file that is there and must not be written."""

    def exists(self) -> bool:
        return True

    def write_bytes(self, _: bytes) -> None:
        pytest.fail("frozen although an outcome changed")


def test_a_corpus_is_read_as_it_was_written() -> None:
    corpus = frozen("nhis")
    assert tool._parse_corpus(write(corpus)) == corpus
