"""The check of `solo` in game.yaml: how a side plays itself.

Its words are checked when the file is loaded, its sequences once they are.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.errors import TableError, check_known
from bot.rulesets.game_keys import CHOSEN, ORDER, SOLO

Rule = Mapping[str, Any]


def check_solo(game: Rule, file: str) -> None:
    """Raise TableError for an unknown word in `solo`, or for an order that leads back to itself."""
    solo = game.get(SOLO)
    if not solo:
        return
    orders: Mapping[str, Rule] = solo.get("orders") or {}
    phases = [phase["name"] for phase in game.get("phases") or ()]
    check_known(solo["phases"], phases, file, f"{SOLO}, phases")
    for name, phase in solo["phases"].items():
        _check_units(phase, game["units"], file, f"{SOLO}, phases {name}")
    for name, order in orders.items():
        _check_units(order, game["units"], file, f"{SOLO}, orders {name}")
        _check_order(name, orders, file)


def _check_units(rule: Rule, units: Rule, file: str, row: str) -> None:
    """Raise TableError for a state, type or marker that the units of the game do not have."""
    types = [*units["types"], *(units.get("classes") or ())]
    marks = [*(units.get("markers") or ()), *(units.get("flags") or ())]
    states = units.get("states") or ()
    allowed = {"states": states, "against_states": states, "friend_states": states}
    allowed |= {"types": types, "against_types": types, "mark": marks}
    for key, words in allowed.items():
        check_known(rule.get(key) or (), words, file, f"{row}, {key}")


def _check_order(name: str, orders: Mapping[str, Rule], file: str) -> None:
    """Raise TableError for an order without the keys that it needs, or one that leads back."""
    order = orders[name]
    row = f"{SOLO}, orders {name}"
    if order.get("run") and not order.get("unit"):
        problem = "say which input of its sequence takes the unit"
        raise TableError(file, problem, row=f"{row}, unit")
    if order.get("also_against") and not order.get("against"):
        raise TableError(file, "needs the key against as well", row=f"{row}, also_against")
    if order.get("against") and not order.get("asks"):
        raise TableError(file, "needs the question to ask", row=f"{row}, asks")
    passed = {name}
    next_order = order.get("else")
    while next_order:
        check_known([next_order], orders, file, f"{row}, else")
        if next_order in passed:
            raise TableError(file, "the orders lead back to this one", row=f"{row}, else")
        passed.add(next_order)
        next_order = orders[next_order].get("else")


def check_solo_sequences(
    game: Rule, outputs: Mapping[str, Rule], inputs: Mapping[str, Iterable[str]], file: str
) -> None:
    """Raise TableError if `solo` names a sequence or an input that the game does not have, or if a
    sequence gives an order that `solo` does not explain.

    `outputs` and `inputs` are those of each sequence, by its id.
    """
    solo = game.get(SOLO)
    if not solo:
        return
    orders: Mapping[str, Rule] = solo.get("orders") or {}
    for name, phase in solo["phases"].items():
        row = f"{SOLO}, phases {name}, run"
        run = phase["run"]
        check_known([run], outputs, file, row)
        check_known(["units", *(phase.get("sets") or ())], inputs[run], file, row)
        if ORDER in outputs[run]:
            check_known([CHOSEN], outputs[run], file, row)
            check_known(_list_words(outputs[run][ORDER], game), orders, file, f"{SOLO}, orders")
    for name, order in orders.items():
        run = order.get("run")
        if run is not None:
            row = f"{SOLO}, orders {name}"
            check_known([run], outputs, file, f"{row}, run")
            check_known(_list_inputs(order), inputs[run], file, f"{row}, inputs")


def _list_words(words: object, game: Rule) -> Iterable[str]:
    """Return the words of an output: those of a list of the game, or its own."""
    if isinstance(words, list):
        return words
    lists: Mapping[str, list[str]] = game.get("lists") or {}
    return lists.get(str(words), ())


def _list_inputs(order: Rule) -> list[str]:
    """Return the inputs of its sequence that an order names."""
    names = [order["unit"], *(order.get("sets") or ())]
    if "against" in order:
        names.append(order["against"])
    for values in (order.get("how") or {}).values():
        names += values
    return names
