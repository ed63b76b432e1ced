"""Men as the sequences take them, and what came of them: in words of log and answer, and on the
roster.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change, Resolution, UnitResult
from bot.rules.text.names import join_names

MEN = ("soldier", "leader", "crewman")


def select_living(men: Iterable[Unit], option: str) -> tuple[Unit, ...]:
    """The men of a list. Raises UserError for a squad or vehicle and for a man who is dead."""
    found = tuple(men)
    for man in found:
        if man.type not in MEN:
            what = f"{man.word} is a {man.type}, and this takes single men."
            hint = "Name the men, or count them: soldier count=3."
            raise UserError(what, hint=hint, option=option, code="wrong-type")
    if dead := [man.word for man in found if man.state == "killed"]:
        said = f"{join_names(dead)} {'is' if len(dead) == 1 else 'are'} dead."
        raise UserError(said, hint="Choose others.", option=option, code="unit-gone")
    return found


def get_wounds(man: Unit) -> int:
    """Wounds that the man had before, 0 to 2."""
    return man.number("wounds", 0)


def label_men(men: Sequence[Unit]) -> tuple[str, ...]:
    """What the dice and the story call each man: the name, numbered where several share it."""
    words = [man.word for man in men]
    return tuple(
        [f"{word} {at}" if words.count(word) > 1 else word for at, word in enumerate(words, 1)]
    )


def name_unit(man: Unit | None, otherwise: str) -> str:
    """The unit that an answer is about, or what it is called where none was named."""
    return otherwise if man is None else man.word


def add_unit(man: Unit | None, said: str) -> str:
    """A headline with the unit that it is about, where one was named."""
    return said if man is None else f"{man.word}: {said}"


# -- what came of them

Outcome = Mapping[str, Any]
"""What is told of a man: unit, result, wounds, after."""
NAMED = 2
LIMITS = {1: "No sprinting with 1 wound.", 2: "No rushing or sprinting with 2 wounds."}
KINDS = ("killed", "wounded", "wounded and suppressed", "suppressed")
"""What men are counted as, the worst first."""
COUNTED = {
    "killed": "killed",
    "wounded": "wounded",
    "wounded-twice": "wounded",
    "wounded-suppressed": "wounded and suppressed",
    "wounded-twice-suppressed": "wounded and suppressed",
    "suppressed": "suppressed",
}
WOUNDED = {"wound-1": "wounded", "wound-2": "wounded-twice"}
LOGGED = {
    "wounded": "1 wound",
    "wounded-twice": "2 wounds",
    "wounded-suppressed": "1 wound, suppressed",
    "wounded-twice-suppressed": "2 wounds, suppressed",
}
SAID = {
    "wounded-twice": "wounded twice",
    "wounded-suppressed": "wounded and suppressed",
    "wounded-twice-suppressed": "wounded twice and suppressed",
}


def resolve_men(
    men: Sequence[Unit],
    names: Sequence[str],
    hit: Sequence[Outcome],
    *,
    then: tuple[str, ...] = (),
    before: str = "",
) -> Resolution:
    """What is said and written once men were rolled for; `names` are those that the dice have for
    them.

    `then` is what comes next, `before` what the headline says first.
    """
    tokens = [*map(get_result_token, hit)]
    return Resolution(
        f"{before}{summarize_results(hit, tokens)}",
        list_result_words(hit, tokens),
        then,
        list_changes(men, hit),
        tuple(map(UnitResult, names, tokens)),
        list_aftermath(men, names, hit),
        notes=list_limits(men, hit),
    )


def get_result_token(fate: Outcome) -> str:
    """A man's fate as `results` of the game.yaml has it; whoever is suppressed now as well is
    said to be.
    """
    if fate["after"] == "killed":
        return "killed"
    wounds = WOUNDED.get(fate["result"])
    if wounds is None:
        return str(fate["result"])
    return f"{wounds}-suppressed" if fate["after"] == "suppressed" else wounds


def list_result_words(
    fates: Sequence[Outcome], tokens: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Each man and what happened, as the log keeps it: `killed`, `2 wounds`, `1 wound,
    suppressed`.
    """
    return tuple(
        [
            (fate["unit"], LOGGED.get(token, token))
            for fate, token in zip(fates, tokens, strict=True)
        ]
    )


def summarize_results(fates: Sequence[Outcome], tokens: Sequence[str]) -> str:
    """A headline: `2 of 5 killed, 1 wounded, 1 suppressed`, or what became of the only one."""
    if len(tokens) == 1 and tokens[0] != "none":
        return f"{fates[0]['unit']}: {LOGGED.get(tokens[0], tokens[0])}"
    return _format_tally(tokens) or "no effect"


def summarize_crew(names: Sequence[str], tokens: Sequence[str]) -> str:
    """The men of a vehicle in a few words: `2 of 4 crew killed, 1 wounded`; empty where nobody
    is hurt.
    """
    return (
        _format_tally(tokens, " crew")
        if len(tokens) > NAMED
        else ", ".join(list_hurt(names, tokens))
    )


def _format_tally(tokens: Sequence[str], whom: str = "") -> str:
    hurt = [COUNTED[token] for token in tokens if token in COUNTED]
    if not hurt:
        return ""
    counts = [(hurt.count(kind), kind) for kind in KINDS if kind in hurt]
    return ", ".join(
        [
            f"{count} {kind}" if at else f"{count} of {len(tokens)}{whom} {kind}"
            for at, (count, kind) in enumerate(counts)
        ]
    )


def list_hurt(names: Sequence[str], tokens: Sequence[str]) -> tuple[str, ...]:
    """Who was hurt, those of one result together: `crewman 1 + 3 killed`."""
    found: dict[str, list[str]] = {}
    for name, token in zip(names, tokens, strict=False):
        if token != "none":
            found.setdefault(SAID.get(token, token), []).append(name)
    return tuple([f"{join_names(hurt)} {word}" for word, hurt in found.items()])


def list_aftermath(
    men: Sequence[Unit], names: Sequence[str], fates: Sequence[Outcome]
) -> tuple[str, ...]:
    """What changed besides: old wounds counted with the new ones, and men that a squad lost.

    How suppression ends is not on the charts.
    """
    told: list[str] = []
    lost: dict[str, int] = {}
    for man, name, fate in zip(men, names, fates, strict=False):
        if fate["after"] == "killed":
            if squad := man.numbers.get("squad"):
                lost[str(squad)] = lost.get(str(squad), 0) + 1
        elif fate["wounds"] > get_wounds(man) > 0:
            told.append(f"{name} has {fate['wounds']} wounds")
    told += [
        f"{squad} is {count} {'man' if count == 1 else 'men'} fewer"
        for squad, count in lost.items()
    ]
    return tuple(told)


def list_limits(men: Sequence[Unit], fates: Sequence[Outcome]) -> tuple[str, ...]:
    """Return how those who were wounded may no longer move, each limit once.

    Source: Infantry Charts, notes under moves.
    """
    wounds = {
        fate["wounds"]
        for man, fate in zip(men, fates, strict=False)
        if fate["after"] != "killed" and fate["wounds"] > get_wounds(man)
    }
    return tuple(limit for count, limit in LIMITS.items() if count in wounds)


def list_changes(men: Sequence[Unit], fates: Sequence[Outcome]) -> tuple[Change, ...]:
    """What the fates of men write to the roster, in their order: wounds and state, and one man
    less in a squad.
    """
    changes: list[Change] = []
    for man, fate in zip(men, fates, strict=False):
        after = fate["after"]
        new = dict[str, Any]()
        if after == "killed":
            new["state"] = after
        elif fate["wounds"] != get_wounds(man):
            new["wounds"] = fate["wounds"]
        if after == "suppressed" and man.state != after:
            new["state"] = after
        if man.name and new:
            changes.append(Change(man.name, set=new))
        if after == "killed" and (squad := man.numbers.get("squad")):
            changes.append(Change(str(squad), add={"men": -1}))
    return tuple(changes)
