"""The exact odds as an answer: what one decides by in the first line, then every unit's results, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from bot.answers.headline import HARM, NO_EFFECT, ROOM, Scale, deciding, has_one_party, words_of
from bot.answers.shot import plain_word
from bot.interface.reply.bars import CAME, percent
from bot.interface.reply.parts import Odds, Part, Small
from bot.interface.reply.reply import GAME, SHAKEN, Reply
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.rounds import UNDECIDED, Fought
from bot.rules.sequence.sequence import Row
from bot.rules.text.names import joined, stem_of
from bot.rules.text.phrase import Phrase, Typed, begun
from bot.systems.system import Sequence

EXACT = "Exact; nothing is rolled."
_TOLD = 2
_SAYING_NOTHING = ("outcome", "result")
LIKELIEST = 3
"""So many results are in the first line where no question decides."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The odds of those who share them: their names, and each result with its words, worst first."""

    names: tuple[str, ...]
    chances: tuple[tuple[str, str, Fraction], ...]
    scale: Scale
    alike: int = 1

    def at_least(self, at: int) -> Fraction:
        """The chance of the result at this place or a worse one."""
        return sum((chance for _, _, chance in self.chances[: at + 1]), Fraction(0))

    def of(self, tokens: Iterable[str]) -> Fraction:
        """The chance of one of these results."""
        wanted = set(tokens)
        return sum((chance for token, _, chance in self.chances if token in wanted), Fraction(0))

    @property
    def is_hit(self) -> bool:
        """Whether this is about a shot, which hits or misses and cannot be hurt."""
        return any(self.scale.tone(token) == GAME for token, _, _ in self.chances)

    @property
    def harmful(self) -> tuple[str, ...]:
        """The results that do harm, worst first."""
        return tuple(token for token, _, _ in self.chances if self.scale.tone(token) in HARM)


def outlooks(sequence: Sequence, rows: Mapping[str, Row], counted: Mapping[str, Distribution]) -> list[Outlook]:
    """The odds of every row under its name, alike ones together, in the order of the rows."""
    alike: dict[frozenset[tuple[str, Fraction]], Outlook] = {}
    for path, row in rows.items():
        found = _outlook(sequence, row, counted[path])
        key = frozenset((word, chance) for _, word, chance in found.chances)
        before = alike.get(key)
        alike[key] = found if before is None else replace(before, names=(*before.names, *found.names))
    return list(alike.values())


def _outlook(sequence: Sequence, row: Row, counted: Distribution) -> Outlook:
    scale = Scale(sequence, map(str, counted))
    words = words_of(sequence)
    merged: dict[str, tuple[str, Fraction]] = {}
    for value, chance in sorted(counted.items(), key=lambda item: scale.place(str(item[0]))):
        word = result_word(row, str(value), words) if not scale.are_numbers else str(value)
        token, before = merged.get(word, (str(value), Fraction(0)))
        merged[word] = (token, before + chance)
    chances = [(token, word, chance) for word, (token, chance) in merged.items()]
    if not scale.is_known:
        chances.sort(key=lambda item: -item[2])
    return Outlook((row.name,), tuple(chances), scale, row.alike)


def result_word(row: Row, token: str, words: Mapping[str, str]) -> str:
    """A result in words: the row's own, or those of the game for this sequence."""
    said = row.said(token)
    return words.get(said) or plain_word(said).replace("-", " ")


def odds_reply(
    sequence: Sequence,
    raw: Mapping[str, object],
    rows: Mapping[str, Row],
    counted: Mapping[str, Distribution],
    *,
    by: str = "",
    whom: str = "",
    came: Mapping[str, str] | None = None,
    typed: str = "",
) -> Reply:
    """A private reply with the exact odds of every unit: those of the same odds together, none left out.

    `rows` are those of `odds_rows`, `counted` their odds by the same paths, `came` what came up, also by them. `by` is
    who acts, `whom` those without a name of their own. `typed` is the line that rolls it, where no button does.
    """
    under: dict[str, list[Outlook]] = {}
    for chosen in dict.fromkeys(row.under for row in rows.values()):
        under[chosen] = outlooks(sequence, {at: row for at, row in rows.items() if row.under == chosen}, counted)
    decided = {chosen: decision(sequence, found, whom) for chosen, found in under.items()}
    title = _by_option({chosen: said for chosen, (said, _) in decided.items()})
    chance = max(chance for _, chance in decided.values())
    came_to: dict[str, list[str]] = {}
    for path, token in (came or {}).items():
        came_to.setdefault(rows[path].name, []).append(result_word(rows[path], token, words_of(sequence)))
    bars = [_bars(sequence, one, whom, came_to, chosen) for chosen, found in under.items() for one in found]
    lines: list[Part] = [Phrase("Roll it: ", Typed(typed))] if typed else []
    return Reply(
        title,
        (*lines, *bars, Small(_came_up(bars) or " ".join(filter(None, (inputs_in_words(sequence, raw), EXACT))))),
        by=by,
        tone=_tone(chance),
        private=True,
    )


def _by_option(said: Mapping[str, str]) -> str:
    """What one decides by for each option of a choice: the likeliest alone, and a name that all have said once."""
    if "" in said:
        return said[""]
    first = {chosen: text.split(", ")[0] for chosen, text in said.items()}
    parts = [{text.partition(": ")[at] for text in first.values()} for at in (0, 2)]
    name = next((one for part in parts if len(part) == 1 and "%" not in (one := next(iter(part)))), "")
    bare = {chosen: text.removeprefix(f"{name}: ").removesuffix(f": {name}") for chosen, text in first.items()}
    told = [f"{chosen}: {_lower(text)}" for chosen, text in bare.items()]
    return begun(" \u00b7 ".join([*filter(None, (name,)), *told]))


def _lower(text: str) -> str:
    """A result as it goes on behind a colon; a name or a number stays as it is."""
    return text[:1].lower() + text[1:] if text[1:2].islower() and not any(map(str.isupper, text[1:])) else text


def _came_up(bars: Iterable[Odds]) -> str:
    """`\u25c0 what came up: this or worse had 16% and 38%`; empty where that is not known."""
    marked = [(bar, row) for bar in bars for row in bar.rows if row.came]
    said = [percent(row.least) for _, row in marked if row.least is not None]
    worse = f": this or worse had {' and '.join(said)}" if said and len(said) == len(marked) <= _TOLD else ""
    return f"{CAME} what came up{worse}." if marked else ""


def _bars(sequence: Sequence, one: Outlook, whom: str, came: Mapping[str, list[str]], chosen: str = "") -> Odds:
    questions = deciding(sequence)
    ordered = one.scale.is_known and not isinstance(questions, dict)
    worst = len(one.chances) - 1 if one.scale.are_numbers else len(one.harmful)
    named = heading(one.names, sequence.title if isinstance(questions, dict) else whom or _by(sequence))
    return Odds(
        f"{named}, if {chosen}" if chosen else named,
        tuple((word, float(chance)) for _, word, chance in one.chances),
        came=tuple(word for name in one.names for word in came.get(name, ())),
        least=tuple(float(one.at_least(at)) for at in range(min(worst, len(one.chances) - 1))) if ordered else (),
        exact=tuple(str(chance) for _, _, chance in one.chances),
        tones=tuple(one.scale.tone(token) for token, _, _ in one.chances),
    )


def _by(sequence: Sequence) -> str:
    by = sequence.odds_by.partition("[")[0].replace("_", " ")
    return sequence.title if by in _SAYING_NOTHING else by[:1].upper() + by[1:]


def heading(names: Iterable[str], whom: str) -> str:
    """What those with the same odds are called: `VC Squads 5 + 6`, or `whom` where they have no name."""
    return joined(name or whom for name in names)


def decision(sequence: Sequence, found: Iterable[Outlook], whom: str) -> tuple[str, Fraction]:
    """What one decides by: `61% to shake or hurt each VC squad, 70% Nguyen`; with the highest of these chances."""
    found = list(found)
    questions = deciding(sequence)
    if isinstance(questions, dict):
        said = [(one.of(tokens), text) for one in found for text, tokens in questions.items()]
        return ", ".join(f"{percent(float(chance))} {text}" for chance, text in said), max(c for c, _ in said)
    harms = {token: None for one in found for token in one.harmful}
    if harms:
        found = [one for one in found if one.harmful or not one.is_hit]
        chances = [one.of(harms) for one in found]
        return _asked(_question(found, questions), found, chances, whom), max(chances)
    good = [token for one in found for token, _, _ in one.chances if one.scale.tone(token) == GAME]
    if len(set(good)) == 1 and (found[0].names[0] or has_one_party(sequence)):
        chances = [one.of(good) for one in found]
        return _asked(_that(found, good[0]), found, chances, whom), max(chances)
    first = found[0]
    if first.names[0] and {word for one in found for _, word, _ in one.chances} == {NO_EFFECT}:
        return f"No effect on {joined(name for one in found for name in one.names)}: 100%", Fraction(0)
    likeliest = sorted(first.chances, key=lambda item: -item[2])[:LIKELIEST]
    colon = ":" if first.scale.are_numbers or first.chances[0][1].isdecimal() else ""
    told = ", ".join(f"{word}{colon} {percent(float(chance))}" for _, word, chance in likeliest)
    named = f"{heading(first.names, whom)}: " if len(found) > 1 else ""
    return f"{named}{told}"[:1].upper() + f"{named}{told}"[1:], Fraction(0)


def _question(found: list[Outlook], phrase: str) -> str:
    """`to shake or hurt {}`; of a single harm its own sentence, `that {} fails`."""
    harms = {token for one in found for token in one.harmful}
    if len(harms) == 1:
        return _that(found, harms.pop())
    if phrase:
        return phrase
    mildest = max(harms, key=found[0].scale.place)
    words = {token: word for one in found for token, word, _ in one.chances}
    return f"{words[mildest]} or worse: {{}}"


def _that(found: list[Outlook], token: str) -> str:
    says = found[0].scale.says(token)
    word = next(word for one in found for other, word, _ in one.chances if other == token)
    return f"that {says}" if says else f"{word}: {{}}"


def _asked(question: str, found: list[Outlook], chances: list[Fraction], whom: str) -> str:
    """The question about the first, and the chances of the others; of the best and the worst where that is too long."""
    alike: dict[str, list[Outlook]] = {}
    for one, chance in zip(found, chances, strict=True):
        alike.setdefault(percent(float(chance)), []).append(one)
    chances = [chances[found.index(some[0])] for some in alike.values()]
    found = [replace(some[0], names=tuple(name for one in some for name in one.names)) for some in alike.values()]
    names = [each_of(one, whom) for one in found]
    names = [
        name if names.count(name) == 1 else heading(one.names, whom) for name, one in zip(names, found, strict=True)
    ]
    said = [*zip(alike, names, strict=True)]
    whole = _joined(question, said)
    if len(whole) <= ROOM or len(said) == 1:
        return whole if len(whole) <= ROOM else _joined(question, [(said[0][0], f"each of {len(found[0].names)}")])
    order = sorted(range(len(found)), key=lambda at: -chances[at])
    best, worst = said[order[0]], said[order[-1]]
    shown = _joined(question, [best, worst])
    return f"{shown}, {len(said) - 2} more between" if len(said) > 2 else shown


def _joined(question: str, said: list[tuple[str, str]]) -> str:
    (chance, name), *others = said
    first = f"{chance} {question.replace('{}', name)}".rstrip(": ")
    return ", ".join([first, *(f"{chance} {name}" for chance, name in others)])


def each_of(one: Outlook, whom: str) -> str:
    """Those who share their odds in a sentence: `each VC squad`, `each of Nguyen and Tran`."""
    if len(one.names) == 1:
        name = one.names[0] or whom or "the unit"
        return name if not name.islower() or name.startswith(("the ", "each ")) else f"the {name}"
    stem = stem_of(one.names)
    return f"each {stem}" if stem else f"each of {joined(one.names)}"


def inputs_in_words(sequence: Sequence, raw: Mapping[str, object]) -> str:
    """What was given besides the units, in the words of the forms: `Target modifier 1, target adjacent.`"""
    said = []
    for option in (*sequence.inputs, *sequence.tracks):
        value = raw.get(option.name)
        if option.type in ("unit", "units", "str", "dice") or value in (None, "", False, (), []):
            continue
        name = option.label or option.name.replace("_", " ")
        text = str(value)
        if option.type == "bool":
            if text.casefold() in ("true", "yes", "1", "on", name.casefold(), option.name):
                said.append(name)
        elif option.type == "mods":
            words = " ".join(map(str, value)) if isinstance(value, list | tuple) else text
            said += [option.labels.get(word, word.replace("_", " ")) for word in words.replace(",", " ").split()]
        else:
            said.append(f"{name} {text}")
    whole = ", ".join(name[:1].lower() + name[1:] if name[1:2].islower() else name for name in said)
    return f"{whole[:1].upper()}{whole[1:]}." if whole else ""


STILL = "still fighting"


def rounds_reply(sequence: Sequence, raw: Mapping[str, object], fought: Fought, rounds: int, *, by: str) -> Reply:
    """The private answer: what one decides by after these rounds, then both counts, and how long it takes."""
    after = f"after {rounds} {'round' if rounds == 1 else 'rounds'}"
    found = [
        _outlook(sequence, Row(head, (), lambda _: None, lambda token: STILL if token == UNDECIDED else token), counted)
        for head, counted in ((after.capitalize(), fought.after), ("To the end", fought.decided))
    ]
    title, chance = decision(sequence, found[:1], "")
    small = " ".join(filter(None, (inputs_in_words(sequence, raw), _lasting(fought), EXACT)))
    bars = (_bars(sequence, one, "", {}) for one in found)
    by = ", ".join(filter(None, (after, by)))
    return Reply(title, (*bars, Small(small)), by=by, tone=_tone(chance), private=True)


def _tone(chance: Fraction) -> str:
    """How an answer looks whose likeliest harm has this chance."""
    return SHAKEN if chance > Fraction(1, 2) else GAME


def _lasting(fought: Fought) -> str:
    if fought.average is None:
        return "It may go on for ever."
    return f"It takes {float(fought.average):.1f} rounds on average."
