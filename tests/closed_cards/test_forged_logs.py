"""The three verifiers agree on logs with decks: honest ones are sound, and a cheat is seen by each
of them.

As many random forgeries as GROGNARD_CARD_LOGS says, beside those that a cheat would think of first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.rules.cards import set_counts
from bot.rules.dice import Die
from bot.rules.proof.chain import SAID, hash_salted
from tests.bent_logs import nearby_value, paths_in, value_at
from tests.closed_cards.forged_logs_helpers import (
    _played,
    verdicts,
    with_hands,
)
from tests.forging import Dice, Json, bodies, copied, rechained, renumbered
from tests.fresh import run
from tests.page_script import said_by_page

FEW, LOGS = 6, int(os.environ.get("GROGNARD_CARD_LOGS", "100"))
TOPS = (
    'deck make "1..9" cup', "deck peek 3 cup", "deck draw cup", "deck draw cup 1 me", "deck peek 2 cup",
    "deck peek 2 cup", "deck deal 2 cup", "deck return all cup place=top", "deck draw cup 3",
    "deck return all cup place=bottom", "deck peek 9 cup", "deck draw cup 2", "deck shuffle cup",
    "deck draw cup 6", "deck return all cup place=top", "deck draw cup 2", "deck discard all cup",
    "deck return all cup place=top", "deck draw cup 5 me", "deck return all cup place=bottom", "deck peek cup",
    "deck draw cup 4", "deck draw cup 9 me", "deck peek standard-52 9", "deck draw standard-52 3",
)  # fmt: skip


def with_tops(seed: int) -> Json:
    """An evening in which piles were looked at and cards put on top and at the bottom."""
    log: Json = json.loads(run(_played(Random(seed), TOPS)))
    assert any("shows" in body for body in bodies(log))
    return log


def honest(seed: int = 1) -> Json:
    """An evening with decks, its seed published."""
    log: Json = json.loads(run(_played(Random(seed))))
    return log


def draws(log: Json) -> list[Json]:
    return [body for body in bodies(log, "draw") if "deck" in body and len(body["dice"]) > 1]


def patch(body: Json, out: dict[str, int], now: dict[str, int]) -> None:
    """What an event changes, written anew so that it fits what was out before and is now."""
    keys = {key for key in out.keys() | now.keys() if out.get(key, 0) != now.get(key, 0)}
    body["before"] = {**body.get("before", {}), "cards": {key: out.get(key, 0) for key in keys}}
    body["after"] = {**body.get("after", {}), "cards": {key: now.get(key, 0) for key in keys}}


def out_before(log: Json, number: int) -> dict[str, int]:
    out: dict[str, int] = {}
    for body in bodies(log)[: number - 1]:
        out = set_counts(out, body.get("after", {}).get("cards", {}))
    return out


def another_card(log: Json) -> None:
    """The card that is wanted, with a die that draws it."""
    body = draws(log)[0]
    first, wanted = body["dice"][0]["value"], body["dice"][0]["value"] % 6 + 1
    body["dice"][0]["value"] = wanted
    for part in ("before", "after"):
        counts = body[part]["cards"]
        counts[f"cup/play/{wanted}"] = counts.pop(f"cup/play/{first}")
    cards = body["result"].removeprefix("cup: ").split(", ")
    body["result"] = f"cup: {', '.join([str(wanted), *cards[1:]])}"


def another_result(log: Json) -> None:
    """The dice as they fell, but other cards said and taken."""
    body = draws(log)[0]
    cards = body["result"].removeprefix("cup: ").split(", ")
    other = next(str(n) for n in range(1, 7) if str(n) not in cards)
    body["result"] = body["result"].replace(cards[-1], other)
    for part in ("before", "after"):
        body[part]["cards"][f"cup/play/{other}"] = body[part]["cards"].pop(f"cup/play/{cards[-1]}")


def never_drawn(log: Json) -> None:
    """A card is discarded that nobody drew."""
    body = next(
        body for body in bodies(log, "cards") if body["does"] == "discard" and body["deck"] == "cup"
    )
    body["result"] = "cup: 1, 1"
    body["before"]["cards"], body["after"]["cards"] = (
        {"cup/play/1": 2, "cup/discard/1": 0},
        {"cup/play/1": 0, "cup/discard/1": 2},
    )


def drawn_twice(log: Json) -> None:
    """A draw that happens again, with the dice that the seed gives there."""
    at = draws(log)[0]["number"]
    log["events"].insert(at, copied(log["events"][at - 1]))
    renumbered(log)
    body = log["events"][at]["body"]
    body.pop(SAID, None)
    body["behind"] = at
    dice = Dice(log, at + 1)
    for die in body["dice"]:
        die["value"] = dice.draw(Die(die["label"], die["sides"]))


def drawn_again_after_undo(log: Json) -> None:
    """An undone draw is forgotten, as if it had never happened, so that its number falls to
    another.
    """
    at = next(
        body["event"]
        for body in bodies(log, "undo")
        if log["events"][body["event"] - 1]["body"]["kind"] == "draw"
    )
    del log["events"][at - 1]
    renumbered(log)


def not_shuffled(log: Json) -> None:
    """The discards join the pile in the same event, but stay discarded as well."""
    body = next(
        body
        for body in bodies(log, "draw")
        if any("/discard/" in key for key in body.get("before", {}).get("cards", {}))
    )
    for part in ("before", "after"):
        body[part]["cards"] = {
            key: count for key, count in body[part]["cards"].items() if "/discard/" not in key
        }


def count_changed(log: Json) -> None:
    """A deck gets one more of a card, long after."""
    body = next(body for body in bodies(log, "deck") if "cup" in body["after"]["game"]["decks"])
    body["after"]["game"]["decks"]["cup"]["cards"][0]["count"] = 2


def other_decks_before(log: Json) -> None:
    """The first deck is said to take the place of one that was never there."""
    body = next(iter(bodies(log, "deck")))
    body["before"]["game"]["decks"] = {
        "other": {"cards": [{"id": "1", "count": 1}], "empty": "reshuffle"}
    }


def larger_pile(log: Json) -> None:
    """A die with more sides than the pile has cards."""
    draws(log)[-1]["dice"][0]["sides"] += 1


def last_card_without_a_die(log: Json) -> None:
    body = max(draws(log), key=lambda body: len(body["dice"]))
    body["dice"].pop()


def another_order_of_the_deck(log: Json) -> None:
    """The deck was declared in another order, so that other cards answer to its dice."""
    body = next(body for body in bodies(log, "deck") if "cup" in body["after"]["game"]["decks"])
    body["after"]["game"]["decks"]["cup"]["cards"].reverse()


def other_standard(log: Json) -> None:
    """A standard deck without its aces."""
    body = next(body for body in bodies(log, "deck") if "standard-52" in body["result"])
    deck = body["after"]["game"]["decks"]["standard-52"]
    deck["cards"] = [card for card in deck["cards"] if card["id"][0] != "A"]
    body["result"] = "standard-52: 48 cards"


def names_in_another_order(log: Json) -> None:
    body = next(body for body in bodies(log, "draw") if body["does"] == "names")
    body["result"] = ", ".join(reversed(body["result"].split(", ")))


def back_from_the_dead(log: Json) -> None:
    """A card that is out of the game comes back with a shuffle."""
    body = next(body for body in bodies(log, "cards") if body["does"] == "remove")
    body["does"] = "return"


def refuses_but_shuffles(log: Json) -> None:
    """The discards of a deck that refuses come back all the same."""
    body = next(body for body in bodies(log, "deck") if "events" in body["after"]["game"]["decks"])
    body["after"]["game"]["decks"]["events"]["empty"] = "reshuffle"


def rehashed(log: Json, row: Json, text: str) -> None:
    """Another closed text in the place of one, with its hash."""
    row["text"] = text
    log["events"][row["event"] - 1]["body"]["texts"][row["key"]] = hash_salted(row["salt"], text)


def closed_texts(log: Json, what: str) -> list[Json]:
    return [row for row in log["texts"] if row["key"].startswith(f"{what}.")]


def another_closed_card(log: Json) -> None:
    """The card that was drawn closed is said to have been another."""
    row = next(row for row in closed_texts(log, "card") if row["text"].isdecimal())
    rehashed(log, row, str(int(row["text"]) % 9 + 1))


def another_closed_face(log: Json) -> None:
    row = next(row for row in closed_texts(log, "face") if int(row["text"]) > 1)
    rehashed(log, row, "1")


def a_face_that_no_die_has(log: Json) -> None:
    """A closed face is no whole number, but lies before the same card."""
    row = next(row for row in closed_texts(log, "face") if int(row["text"]) > 1)
    rehashed(log, row, f"{int(row['text']) - 1}.5")


def a_face_in_other_digits(log: Json) -> None:
    """A closed face in digits of another script."""
    row = next(iter(closed_texts(log, "face")))
    rehashed(log, row, row["text"].translate({48 + digit: 0x660 + digit for digit in range(10)}))


def played_from_another_hand(log: Json) -> None:
    """A card is played that came from a draw of somebody else, or had left the hand."""
    row = next(iter(closed_texts(log, "from")))
    number, _, place = row["text"].partition(".")
    rehashed(log, row, f"{number}.{int(place) % 4 + 1}")


def never_in_the_hand(log: Json) -> None:
    """A card is played that was never drawn, and what it changes made to fit."""
    body = next(
        body for body in bodies(log, "cards") if body["does"] == "play" and body["deck"] == "cup"
    )
    card = body["result"].removeprefix("cup: ").split(", ")[0]
    out = out_before(log, body["number"])
    lying = {key.rpartition("/")[2] for key in out if key.startswith("cup/")}
    other = next(
        str(n)
        for n in range(1, 10)
        if str(n) not in {*lying, *body["result"].removeprefix("cup: ").split(", ")}
    )
    body["result"] = body["result"].replace(card, other, 1)
    for part in ("before", "after"):
        body[part]["cards"][f"cup/play/{other}"] = body[part]["cards"].pop(f"cup/play/{card}")


def a_larger_hand(log: Json) -> None:
    """A side counts one card more than it drew."""
    body = next(body for body in bodies(log, "draw") if body["does"] == "deal")
    key = next(key for key in body["after"]["cards"] if "/hand/" in key)
    body["after"]["cards"][key] += 1


def closed_text_dropped(log: Json) -> None:
    """What was opened is not in the file."""
    log["texts"].remove(next(iter(closed_texts(log, "card"))))


def opened_without_a_yes(log: Json) -> None:
    """The end opens a hand whose side never agreed."""
    at = [body["number"] for body in bodies(log, "cards") if body["does"] == "agree"]
    if not at or not any(
        "/known/" in key for key in bodies(log, "end")[0]["after"].get("cards", {})
    ):
        raise StopIteration
    log["events"] = [row for row in log["events"] if row["number"] not in at]
    renumbered(log)


def another_hand_shown(log: Json) -> None:
    """The end shows another card than was in the hand."""
    body = bodies(log, "end")[0]
    key = next(key for key in body["after"].get("cards", {}) if key.startswith("cup/known/"))
    other = next(
        f"{key.rpartition('/')[0]}/{n}"
        for n in range(1, 10)
        if f"{key.rpartition('/')[0]}/{n}" not in body["after"]["cards"]
    )
    for part in ("before", "after"):
        body[part]["cards"][other] = body[part]["cards"].pop(key)


def shown_later(log: Json) -> None:
    """The opening leaves out what was closed first."""
    next(body for body in bodies(log) if "shows" in body)["shows"] += 1


def an_open_die(log: Json) -> None:
    """An open draw shows its die while hands are closed."""
    body = next(body for body in bodies(log, "draw") if "closed" in body and "seats" not in body)
    faces = {
        row["key"]: int(row["text"])
        for row in closed_texts(log, "face")
        if row["event"] == body["number"]
    }
    body["dice"] = [
        {"label": body["deck"], "sides": sides, "value": faces[f"face.{at}"]}
        for at, sides in enumerate(body.pop("closed"), 1)
    ]
    del body["texts"]
    log["texts"] = [
        row for row in log["texts"] if row["event"] != body["number"] or row["key"] == SAID
    ]


def a_peek_of_more(log: Json) -> None:
    """Somebody looked at more cards than all were told."""
    body = next(
        body for body in bodies(log, "draw") if body["does"] == "peek" and len(body["closed"]) > 1
    )
    body["result"] = f"{body['deck']}: {int(body['result'].split()[1]) - 1} closed"


def a_top_passed_over(log: Json) -> None:
    """A draw of the known top is said to have drawn another card."""
    body = next(
        body for body in bodies(log, "draw") if body.get("closed") == [] and body["does"] == "draw"
    )
    card = body["result"].removeprefix("cup: ").split(", ")[0]
    lying = {
        key.rpartition("/")[2] for key in out_before(log, body["number"]) if key.startswith("cup/")
    }
    other = next(str(n) for n in range(1, 10) if str(n) not in {*lying, card})
    body["result"] = body["result"].replace(card, other, 1)
    for part in ("before", "after"):
        body[part]["cards"][f"cup/play/{other}"] = body[part]["cards"].pop(f"cup/play/{card}")


def another_end(log: Json) -> None:
    """What was put at the bottom is said to have been put on top."""
    body = next(body for body in bodies(log, "cards") if body.get("to") == "=bottom")
    body["to"] = "=top"


def another_order_on_top(log: Json) -> None:
    """Known cards are drawn in another order than they have on top."""
    of_top = (
        body for body in bodies(log, "draw") if body.get("closed") == [] and body["does"] == "draw"
    )
    body = next(body for body in of_top if "," in body["result"])
    cards = body["result"].removeprefix("cup: ").split(", ")
    body["result"] = f"cup: {', '.join([*cards[1:], cards[0]])}"


def a_shuffle_that_left_the_top(log: Json) -> None:
    body = next(
        body
        for body in bodies(log, "cards")
        if body["does"] == "shuffle" and "=top" in str(body["before"])
    )
    for part in ("before", "after"):
        body[part]["cards"] = {
            key: count for key, count in body[part]["cards"].items() if "=top" not in key
        }


def without(log: Json, number: int) -> None:
    """An event is left out, as if it had never happened."""
    del log["events"][number - 1]
    log["texts"] = [row for row in log["texts"] if row["event"] != number]
    renumbered(log)


def a_peek_left_out(log: Json) -> None:
    """Somebody looked at the pile, and nobody is to know."""
    without(log, next(body["number"] for body in bodies(log, "draw") if body["does"] == "peek"))


def a_peek_called_a_draw(log: Json) -> None:
    """The same, called something else."""
    next(body for body in bodies(log, "draw") if body["does"] == "peek")["does"] = "draw"


def a_gift_left_out(log: Json) -> None:
    """A card changed hands, and nobody is to know."""
    without(log, next(body["number"] for body in bodies(log, "cards") if body["does"] == "give"))


def a_hand_read_early(log: Json) -> None:
    """Closed cards are opened by an event that opens nothing, long before the end."""
    end = next(body for body in bodies(log) if "shows" in body)
    next(body for body in bodies(log, "cards") if body["number"] > end["shows"])["shows"] = end[
        "shows"
    ]


def played_twice(log: Json) -> None:
    """A card out of a hand is played once more."""
    body = next(body for body in bodies(log, "cards") if body["does"] == "play")
    log["events"].insert(body["number"], copied(log["events"][body["number"] - 1]))
    renumbered(log)
    log["events"][body["number"]]["body"].pop(SAID, None)


def undone_without_a_yes(log: Json) -> None:
    """Who drew took it back alone."""
    of_dice = {body["number"]: body["who"] for body in bodies(log, "draw")}
    body = next(
        body for body in bodies(log, "undo") if body["event"] in of_dice and body.get("asked")
    )
    body["who"], body["side"] = body.pop("asked"), log["events"][body["event"] - 1]["body"]["side"]


TOP_CHEATS: tuple[Callable[[Json], None], ...] = (
    a_peek_of_more, a_top_passed_over, another_end, another_order_on_top, a_shuffle_that_left_the_top,
    another_closed_card, another_closed_face, a_peek_left_out, a_peek_called_a_draw, undone_without_a_yes,
    drawn_again_after_undo,
)  # fmt: skip
HAND_CHEATS: tuple[Callable[[Json], None], ...] = (
    another_closed_card, another_closed_face, played_from_another_hand, never_in_the_hand, a_larger_hand,
    closed_text_dropped, opened_without_a_yes, another_hand_shown, shown_later, an_open_die, a_gift_left_out,
    a_hand_read_early, played_twice, a_face_that_no_die_has, a_face_in_other_digits, undone_without_a_yes,
    drawn_again_after_undo,
)  # fmt: skip
CHEATS: tuple[Callable[[Json], None], ...] = (
    another_card, another_result, never_drawn, drawn_twice, drawn_again_after_undo, not_shuffled, count_changed,
    larger_pile, last_card_without_a_die, another_order_of_the_deck, other_standard, names_in_another_order,
    back_from_the_dead, refuses_but_shuffles, undone_without_a_yes, other_decks_before,
)  # fmt: skip


@pytest.mark.slow_sample(2)
@pytest.mark.sample(1)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("evenings", [1, pytest.param(7, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("evening", "cheats"), [(honest, CHEATS), (with_hands, HAND_CHEATS), (with_tops, TOP_CHEATS)]
)
def test_grognard_verify_names_every_cheat(
    tmp_path: Path,
    evening: Callable[[int], Json],
    cheats: tuple[Callable[[Json], None], ...],
    evenings: int,
) -> None:
    seeds = [evening(seed) for seed in range(1, evenings + 1)]
    logs = list[tuple[str, Json]]()
    for cheat in cheats:
        for number, log in enumerate(seeds):
            bent = copied(log)
            try:
                cheat(bent)
            except StopIteration:  # nothing like it happened there
                continue
            if rechained(bent) != log:
                logs.append((f"{cheat.__name__} {number}", bent))
    tried = {name.split()[0] for name, _ in logs}
    assert tried == {cheat.__name__ for cheat in cheats} or evenings == 1
    assert len(tried) > len(cheats) / 2
    pages = said_by_page([json.dumps(log) for log in seeds], tmp_path)
    assert [page["faults"] for page in pages] == [[]] * len(seeds)
    assert [verdicts(log) for log in seeds] == [(True, True)] * len(seeds)
    for name, log in logs:
        assert not verdicts(log)[0], name


def bent(chance: Random, log: Json) -> Json:
    """The log with one value of an event about decks changed, dropped or exchanged for
    another's.
    """
    log = copied(log)
    of_decks = [body for body in bodies(log) if body["kind"] in ("deck", "draw", "cards")]
    body = chance.choice(of_decks)
    if (
        log["texts"]
        and chance.random() < 0.2
        and (rows := [row for what in ("card", "face", "from") for row in closed_texts(log, what)])
    ):
        row = chance.choice(rows)
        rehashed(log, row, chance.choice((chance.choice(rows)["text"], str(chance.randint(0, 9)))))
        return rechained(log)
    inner: Any = [
        path for path in paths_in(body) if path[0] not in (SAID, "at", "number", "who", "side")
    ]
    path = chance.choice(inner)
    how = chance.randrange(4)
    if how == 0:
        del value_at(body, path[:-1])[path[-1]]
    elif how == 1:
        other = chance.choice(of_decks)
        field = chance.choice([name for name in other if name not in ("number", SAID, "at")])
        body[field] = copied(other)[field]
    else:
        value_at(body, path[:-1])[path[-1]] = nearby_value(chance, value_at(body, path))
    return rechained(log)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("bent_logs", [FEW, pytest.param(LOGS, marks=pytest.mark.slow)])
def test_nobody_calls_forged_what_grognard_verify_calls_sound(
    tmp_path: Path, bent_logs: int
) -> None:
    chance, logs, texts = Random(26), [honest(seed) for seed in range(1, 4)], list[str]()
    logs += [evening(seed) for seed in range(1, 4) for evening in (with_hands, with_tops)]
    said = list[tuple[bool, bool]]()
    for number in range(bent_logs):
        try:
            log = bent(chance, logs[number % len(logs)])
        except TypeError:  # no canonical text
            continue
        if log == logs[number % len(logs)]:
            # 2.0 in the place of 2, which a browser cannot tell apart
            continue
        texts.append(json.dumps(log))
        said.append(verdicts(log))
    for (whole, short), page in zip(said, said_by_page(texts, tmp_path), strict=True):
        if whole:
            assert (short, page["faults"]) == (True, [])
    assert {whole for whole, _ in said} >= {False}
