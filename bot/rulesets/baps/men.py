"""Men in the sequences: input checks, results in the words of log and answer, and roster changes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change, Resolution, UnitResult
from bot.rules.text.names import join_names

MEN = ("soldier", "leader", "crewman")


def select_living(men: Iterable[Unit], option: str) -> tuple[Unit, ...]:
    """Return the men of input `option` unchanged, after a check that all can take part.

    Raises UserError for a squad or vehicle and for a man who is dead.
    """
    men = tuple(men)
    for man in men:
        if man.type not in MEN:
            problem = f"{man.word} is a {man.type}, not a man."
            hint = "List the men, or give a number: soldier count=3."
            raise UserError(problem, hint=hint, option=option, code="wrong-type")
    dead = [man.word for man in men if man.state == "killed"]
    if dead:
        verb = "is" if len(dead) == 1 else "are"
        problem = f"{join_names(dead)} {verb} dead."
        raise UserError(problem, hint="Choose others.", option=option, code="unit-gone")
    return men


def get_wounds(man: Unit) -> int:
    """Return the wounds that the man had before this sequence, 0 to 2."""
    return man.number("wounds", 0)


def label_men(men: Sequence[Unit]) -> tuple[str, ...]:
    """Return the name of each man for dice and answers.

    A name that several of them have is followed by the man's position in the list, from 1.
    """
    words = [man.word for man in men]
    labels = []
    for number, word in enumerate(words, 1):
        is_repeated = words.count(word) > 1
        labels.append(f"{word} {number}" if is_repeated else word)
    return tuple(labels)


def name_unit(man: Unit | None, otherwise: str) -> str:
    """Return the word of the unit, or `otherwise` if no unit was given."""
    return otherwise if man is None else man.word


def add_unit(man: Unit | None, headline: str) -> str:
    """Return the headline with the unit in front, or unchanged if no unit was given."""
    return headline if man is None else f"{man.word}: {headline}"


# -- the results

Outcome = Mapping[str, Any]
"""The outputs of one man: unit, result of this attack, wounds in all, and state `after` it."""
MAX_NAMED_MEN = 2
"""Above this number men are counted in an answer, not named."""
LIMITS = {1: "No sprinting with 1 wound.", 2: "No rushing or sprinting with 2 wounds."}
KINDS = ("killed", "wounded", "wounded and suppressed", "suppressed")
"""The kinds of results that a headline counts, the worst first."""
KIND_BY_TOKEN = {
    "killed": "killed",
    "wounded": "wounded",
    "wounded-twice": "wounded",
    "wounded-suppressed": "wounded and suppressed",
    "wounded-twice-suppressed": "wounded and suppressed",
    "suppressed": "suppressed",
}
WOUND_TOKENS = {"wound-1": "wounded", "wound-2": "wounded-twice"}
LOG_WORDS = {
    "wounded": "1 wound",
    "wounded-twice": "2 wounds",
    "wounded-suppressed": "1 wound, suppressed",
    "wounded-twice-suppressed": "2 wounds, suppressed",
}
ANSWER_WORDS = {
    "wounded-twice": "wounded twice",
    "wounded-suppressed": "wounded and suppressed",
    "wounded-twice-suppressed": "wounded twice and suppressed",
}


def resolve_men(
    men: Sequence[Unit],
    names: Sequence[str],
    outcomes: Sequence[Outcome],
    *,
    next_steps: tuple[str, ...] = (),
    prefix: str = "",
) -> Resolution:
    """Return the result of an attack on men: headline, words for the log, and roster changes.

    `names` are the names of the men on the dice, `next_steps` what the players do next, and
    `prefix` the beginning of the headline.
    """
    tokens = [get_result_token(outcome) for outcome in outcomes]
    return Resolution(
        f"{prefix}{summarize_results(outcomes, tokens)}",
        unit_words=list_result_words(outcomes, tokens),
        next_steps=next_steps,
        changes=list_changes(men, outcomes),
        unit_results=tuple(map(UnitResult, names, tokens)),
        state_changes=list_aftermath(men, names, outcomes),
        notes=list_limits(men, outcomes),
    )


def get_result_token(outcome: Outcome) -> str:
    """Return a man's result as the token that `results` of game.yaml lists.

    A wounded man who is also suppressed afterwards gets a token with `-suppressed`.
    """
    if outcome["after"] == "killed":
        return "killed"
    wound_token = WOUND_TOKENS.get(outcome["result"])
    if wound_token is None:
        return str(outcome["result"])
    return f"{wound_token}-suppressed" if outcome["after"] == "suppressed" else wound_token


def list_result_words(
    outcomes: Sequence[Outcome], tokens: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """Return (unit, result) of each man in the words of the log: `killed`, `2 wounds`, `1 wound,
    suppressed`.
    """
    return tuple(
        [
            (outcome["unit"], LOG_WORDS.get(token, token))
            for outcome, token in zip(outcomes, tokens, strict=True)
        ]
    )


def summarize_results(outcomes: Sequence[Outcome], tokens: Sequence[str]) -> str:
    """Format a headline: `2 of 5 killed, 1 wounded, 1 suppressed`, or `no effect`.

    A single man who is hurt is named: `crewman: 1 wound`.
    """
    if len(tokens) == 1 and tokens[0] != "none":
        return f"{outcomes[0]['unit']}: {LOG_WORDS.get(tokens[0], tokens[0])}"
    return _format_tally(tokens) or "no effect"


def summarize_crew(names: Sequence[str], tokens: Sequence[str]) -> str:
    """Format the results of the men in a vehicle: `2 of 4 crew killed, 1 wounded`.

    Up to MAX_NAMED_MEN men are named. Empty if nobody is hurt.
    """
    if len(tokens) > MAX_NAMED_MEN:
        return _format_tally(tokens, " crew")
    return ", ".join(list_hurt(names, tokens))


def _format_tally(tokens: Sequence[str], noun: str = "") -> str:
    """Count the results by kind: `2 of 5 killed, 1 wounded`. Empty if nobody is hurt.

    `noun` follows the number of all men and begins with a blank.
    """
    kinds = [KIND_BY_TOKEN[token] for token in tokens if token in KIND_BY_TOKEN]
    tallies: list[str] = []
    for kind in KINDS:
        count = kinds.count(kind)
        if not count:
            continue
        of_all = "" if tallies else f" of {len(tokens)}{noun}"
        tallies.append(f"{count}{of_all} {kind}")
    return ", ".join(tallies)


def list_hurt(names: Sequence[str], tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the men who were hurt, those with the same result together: `crewman 1 + 3 killed`."""
    names_by_result: dict[str, list[str]] = {}
    for name, token in zip(names, tokens, strict=False):
        if token != "none":
            result = ANSWER_WORDS.get(token, token)
            names_by_result.setdefault(result, []).append(name)
    return tuple([f"{join_names(hurt)} {result}" for result, hurt in names_by_result.items()])


def list_aftermath(
    men: Sequence[Unit], names: Sequence[str], outcomes: Sequence[Outcome]
) -> tuple[str, ...]:
    """Return further changes as texts: the wounds of men who had some already, and squads that
    lost men.

    How suppression ends is not on the charts.
    """
    texts: list[str] = []
    losses: dict[str, int] = {}
    for man, name, outcome in zip(men, names, outcomes, strict=False):
        if outcome["after"] == "killed":
            squad = man.numbers.get("squad")
            if squad:
                losses[str(squad)] = losses.get(str(squad), 0) + 1
        elif outcome["wounds"] > get_wounds(man) > 0:
            texts.append(f"{name} has {outcome['wounds']} wounds")
    for squad_name, count in losses.items():
        noun = "man" if count == 1 else "men"
        texts.append(f"{squad_name} is down {count} {noun}")
    return tuple(texts)


def list_limits(men: Sequence[Unit], outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Return the movement limits of the men who were wounded now and live, each limit once.

    Source: Infantry Charts, notes under moves.
    """
    wound_counts: set[int] = set()
    for man, outcome in zip(men, outcomes, strict=False):
        if outcome["after"] != "killed" and outcome["wounds"] > get_wounds(man):
            wound_counts.add(outcome["wounds"])
    return tuple(limit for count, limit in LIMITS.items() if count in wound_counts)


def list_changes(men: Sequence[Unit], outcomes: Sequence[Outcome]) -> tuple[Change, ...]:
    """Return the roster changes in the order of the men: wounds and state of a roster man, and
    one man less in the squad of a man who was killed.
    """
    changes: list[Change] = []
    for man, outcome in zip(men, outcomes, strict=False):
        state = outcome["after"]
        values = dict[str, Any]()
        if state == "killed":
            values["state"] = state
        elif outcome["wounds"] != get_wounds(man):
            values["wounds"] = outcome["wounds"]
        if state == "suppressed" and man.state != state:
            values["state"] = state
        if man.name and values:
            changes.append(Change(man.name, set=values))
        squad = man.numbers.get("squad")
        if state == "killed" and squad:
            changes.append(Change(str(squad), add={"men": -1}))
    return tuple(changes)
