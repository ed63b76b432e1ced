"""What happens in a world: people with intents and a host with bad luck, all drawn from one
number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from tests.simulation.people import ALL, ANN, BOB, CAS, EVE, MAL, SPOTS


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens `at` a second of the world. `text` is a command, a button, or how
    long a fault lasts.
    """

    at: float
    kind: str  # say, press, again (delivered once more), and the faults
    who: str = ""
    where: str = ""
    text: str = ""
    pick: float = 0.0

    def to_json(self) -> list[Any]:
        """As it is kept in the file of regressions."""
        return list(asdict(self).values())

    def __str__(self) -> str:
        words = (self.kind, self.who, self.where, self.text)
        return f"{self.at:8.2f}  {' '.join(word for word in words if word)}"


FIRE = 'lnlt fire attackers="squad fp=6" targets="squad morale=5" adjacent'
Scene = Callable[["Plot"], None]


class Plot:
    """Writes scenes one over the other: each begins at a moment of its own."""

    def __init__(self, chance: Random, spots: tuple[str, ...]) -> None:
        self.chance, self.spots = chance, spots
        self.steps: list[Step] = []
        self._at = 0.0
        self._words = 0
        self.decks = 0

    def begin(self, at: float) -> None:
        """The next scene."""
        self._at = at

    def wait(self, least: float = 0.2, most: float = 4.0) -> None:
        """Some time passes in this scene."""
        self._at += self.chance.uniform(least, most)

    def say(self, who: str, where: str, text: str) -> None:
        """Somebody types a command; `@` becomes a word of its own, by which its label is known
        everywhere.
        """
        if "@" in text:
            self._words += 1
            text = text.replace("@", f"w{self._words}x")
        self.add("say", who, where, text)

    def press(self, who: str, where: str, button: str, *, newest: bool = True) -> None:
        """Somebody presses a button that begins so; the newest that they see, or any."""
        self.add("press", who, where, button, 0.0 if newest else self.chance.random())

    def act(self, who: str, where: str, what: str) -> None:
        """Somebody types a command, or presses where it begins with that word."""
        if what.startswith("press "):
            self.press(who, where, what.removeprefix("press "), newest=self.chance.random() < 0.7)
        else:
            self.say(who, where, what)

    def add(
        self, kind: str, who: str = "", where: str = "", text: str = "", pick: float | None = None
    ) -> None:
        """A step, now."""
        pick = self.chance.random() if pick is None else pick
        self.steps.append(Step(round(self._at, 3), kind, who, where, text, int(pick * 1000) / 1000))

    def spot(self, *names: str) -> str:
        """A place where this world plays."""
        return self.chance.choice(
            [name for name in names or self.spots if name in self.spots] or list(self.spots)
        )

    def someone(self, where: str, among: frozenset[str] = ALL) -> str:
        """Somebody who is there."""
        return self.chance.choice(
            sorted(SPOTS[where].members & among) or sorted(SPOTS[where].members)
        )


def rolls(plot: Plot) -> None:
    """People roll, some of them at the same moment."""
    where = plot.spot()
    for _ in range(plot.chance.randrange(2, 6)):
        roll = plot.chance.choice(
            ["roll 2d6 label=@", "roll d20 label=@", "roll 3d6 label=@", FIRE, "again"]
        )
        plot.say(plot.someone(where), where, roll)
        if plot.chance.random() < 0.7:
            plot.wait()
    if plot.chance.random() < 0.5:
        plot.press(
            plot.someone(where),
            where,
            plot.chance.choice(["again", "undo", "odds", ""]),
            newest=False,
        )


def duel(plot: Plot) -> None:
    """A game of two sides: rolls taken back with consent, and a looker-on who presses too."""
    where = plot.spot("hill", "camp")
    plot.say(
        CAS if plot.chance.random() < 0.5 else ANN, where, 'game start lnlt "Duel" sides="US, VC"'
    )
    plot.wait()
    plot.say(ANN, where, "game join US")
    plot.say(BOB, where, "game join VC")
    plot.wait(1, 4)
    for _ in range(plot.chance.randrange(1, 4)):
        roller, other = plot.chance.sample([ANN, BOB], 2)
        plot.say(roller, where, plot.chance.choice(["roll 2d6 label=@", FIRE]))
        plot.wait(0.5, 3)
        plot.press(roller, where, "undo")
        plot.wait(0.5, 3)
        for who in plot.chance.sample([EVE, other, roller], 3):
            plot.press(who, where, "consent" if plot.chance.random() < 0.8 else "refuse")
            if plot.chance.random() < 0.4:
                plot.wait(0.0, 1.0)
        plot.wait(0.5, 3)
        if plot.chance.random() < 0.6:
            plot.say(roller, where, "game redo")
            plot.wait(0.5, 3)
            plot.press(
                plot.chance.choice([roller, other]),
                where,
                "undo",
                newest=plot.chance.random() < 0.3,
            )
            plot.wait(0.5, 3)
            plot.press(other, where, plot.chance.choice(["consent", "undo"]))
        plot.wait()
    if plot.chance.random() < 0.3:
        plot.say(plot.someone(where), where, "game end confirm")
        plot.wait()
        plot.say(
            plot.someone(where),
            where,
            plot.chance.choice(["game resume", "game list", "roll d6 label=@"]),
        )


def undo_twice(plot: Plot) -> None:
    """Free play: roll, undo, consent, redo, and the same button again."""
    where = plot.spot()
    first, second = plot.chance.sample(sorted(SPOTS[where].members), 2)
    plot.say(second, where, "roll d6 label=@")
    plot.wait(0.5, 2)
    plot.say(first, where, "roll 2d6 label=@")
    plot.wait(0.5, 2)
    for _ in range(2):
        plot.press(first, where, "undo")
        plot.wait(0.5, 3)
        plot.press(second, where, plot.chance.choice(["consent", "undo"]))
        plot.wait(0.5, 3)
        plot.say(first, where, "game redo")
        plot.wait(0.5, 3)


def sealed(plot: Plot) -> None:
    """A sealed roll, eyes on it, and its opening."""
    where = plot.spot()
    owner = plot.someone(where)
    plot.say(owner, where, "roll 2d6 label=@ secret")
    plot.wait()
    other = plot.someone(where)
    curious = plot.chance.choice(
        ["log", "game export json", "game export csv", "game export markdown", "again"]
    )
    plot.say(other, where, curious)
    plot.press(other, where, "reveal")
    plot.wait()
    plot.press(owner if plot.chance.random() < 0.7 else other, where, "reveal")
    plot.say(
        plot.someone(where),
        where,
        plot.chance.choice(["log", "game stats", "fair reveal", "game status"]),
    )


def mirror(plot: Plot) -> None:
    """Mal takes a code in the club's channel and gives it in their own, or the other way round."""
    club, own = plot.spot("hill", "camp"), plot.spot("lair", "cave")
    giver, taker = (club, own) if plot.chance.random() < 0.6 else (own, club)
    plot.say(MAL, own, "roll d6 label=@")
    plot.wait()
    plot.say(MAL, giver, "game link")
    plot.wait(1, 4)
    plot.say(MAL, taker, "game link {code}")
    plot.wait()
    plot.press(MAL, plot.chance.choice([club, own]), plot.chance.choice(["agree", ""]))
    if plot.chance.random() < 0.3:
        plot.press(CAS, club, plot.chance.choice(["agree", "decline"]))
        plot.wait()
    plot.say(plot.someone(club, frozenset({ANN, BOB})), club, "roll 2d6 label=@")
    plot.wait()
    if plot.chance.random() < 0.3:
        plot.say(CAS, club, "game link off")


def link(plot: Plot) -> None:
    """Cas links two of the club's channels, with all the consent that is asked for."""
    here, there = "hill", plot.spot("ford", "camp")
    plot.say(CAS, here, "roll d6 label=@")
    plot.wait()
    plot.say(CAS, here, "game link")
    plot.wait(1, 4)
    plot.say(CAS, there, "game link {code}")
    plot.wait()
    for where in (here, there):
        plot.press(CAS, where, "agree")
    plot.wait()
    for _ in range(plot.chance.randrange(1, 4)):
        plot.say(plot.someone(here), plot.chance.choice([here, there]), "roll 2d6 label=@")
        plot.wait()
    plot.press(plot.someone(there), there, "undo")
    if plot.chance.random() < 0.4:
        plot.say(CAS, plot.chance.choice([here, there]), "game link off")
        plot.wait()
        plot.say(plot.someone(here), here, "roll 2d6 label=@")


def intrude(plot: Plot) -> None:
    """Mal makes a channel that they are not in play a game that they read elsewhere."""
    club = plot.spot("camp", "hill")
    own, target = ("cave", "den") if club == "camp" else ("lair", "ford")
    plot.say(MAL, club, 'game start lnlt "Bait"')
    plot.wait()
    plot.say(MAL, club, "game link")
    plot.wait(1, 4)
    plot.say(MAL, own, "game link {code}")
    plot.wait()
    plot.say(MAL, club, f"game transfer {SPOTS[target].channel}")
    plot.wait()
    for who in (ANN, BOB):
        plot.say(who, target, "roll 2d6 label=@")
        plot.wait()


def move(plot: Plot) -> None:
    """A game moves within its server."""
    here, there = ("hill", "ford") if plot.spot("hill", "camp") == "hill" else ("camp", "den")
    mover = plot.chance.choice([CAS, ANN])
    plot.say(mover, here, 'game start lnlt "Move"')
    plot.wait()
    plot.say(ANN, here, "roll 2d6 label=@")
    plot.wait()
    plot.say(mover, here, f"game transfer {SPOTS[there].channel}")
    plot.wait()
    plot.press(plot.chance.choice([CAS, MAL]), there, plot.chance.choice(["takeover", "stay"]))
    plot.wait()
    plot.say(BOB, plot.chance.choice([here, there]), "roll 2d6 label=@")


def carry(plot: Plot) -> None:
    """A game goes to another channel as a file."""
    here, there = (
        plot.chance.sample(plot.spots, 2) if len(plot.spots) > 1 else (plot.spots[0], plot.spots[0])
    )
    who = plot.someone(here, SPOTS[there].members)
    plot.say(who, here, "roll 2d6 label=@")
    plot.wait()
    plot.say(who, here, "game export json")
    plot.wait(1, 4)
    plot.say(who, there, "game import {file}")
    plot.wait()
    plot.say(plot.someone(there), there, "roll 2d6 label=@")
    plot.say(plot.someone(there), there, plot.chance.choice(["log", "privacy show", "game undo"]))


def forget(plot: Plot) -> None:
    """Somebody rolls and deletes, and the platform brings what they typed once more."""
    where = plot.spot()
    who = plot.someone(where)
    plot.say(who, where, "roll 2d6 label=@")
    plot.wait()
    way = plot.chance.choice(
        ["privacy delete confirm", "game delete confirm", "privacy delete", "game delete"]
    )
    plot.say(who, where, way)
    plot.wait(1, 3)
    if "confirm" not in way:
        plot.press(who, where, "forget" if way.startswith("privacy") else "delete")
        plot.wait(1, 3)
    plot.add("crash" if plot.chance.random() < 0.5 else "start")
    plot.wait(3, 8)
    for _ in range(2):
        plot.add("again", who, where)
        plot.wait()


def promise(plot: Plot) -> None:
    """What proves the dice."""
    where = plot.spot()
    who = plot.someone(where)
    for text in (
        "fair show",
        'fair add "chance @"',
        "roll 2d6 label=@",
        "fair reveal",
        "fair show",
    ):
        if plot.chance.random() < 0.8:
            plot.say(who if plot.chance.random() < 0.7 else plot.someone(where), where, text)
            plot.wait(0.1, 2.0)


def count(plot: Plot) -> None:
    """Odds, and the roll that they were asked for."""
    where = plot.spot()
    who = plot.someone(where)
    plot.say(who, where, FIRE + " odds")
    plot.wait(0.5, 3)
    for presser in plot.chance.sample([who, who, plot.someone(where)], 2):
        plot.press(presser, where, "roll")


def army(plot: Plot) -> None:
    """Units, and fire that changes them."""
    where = plot.spot()
    who = plot.someone(where)
    plot.say(who, where, FIRE)
    plot.wait()
    plot.say(who, where, 'unit add "Squad 1..2" squad stats="morale=5 fp=4"')
    plot.wait()
    plot.say(plot.someone(where), where, 'lnlt fire attackers="Squad 1" targets="Squad 2" adjacent')
    plot.wait()
    plot.press(plot.someone(where), where, "undo")
    plot.say(plot.someone(where), where, 'unit edit "Squad 1" state=shaken')
    plot.wait()
    plot.say(
        plot.someone(where), where, plot.chance.choice(["game undo", "game redo", "unit list"])
    )


def crowd(plot: Plot) -> None:
    """Many roll in one channel while another program keeps the database locked."""
    where = plot.spot()
    plot.add("lock", text=str(plot.chance.choice([2, 20, 40])))
    for _ in range(plot.chance.randrange(4, 9)):
        plot.wait(0.0, 0.3)
        plot.say(plot.someone(where), where, "roll 2d6 label=@")
    if plot.chance.random() < 0.5:
        plot.add("crash")


def leap(plot: Plot) -> None:
    """The host's clock is set, by a lot, while answers are on their way."""
    where = plot.spot()
    plot.add(SPOTS[where].platform, text="6")
    for _ in range(plot.chance.randrange(1, 4)):
        plot.say(plot.someone(where), where, "roll 2d6 label=@")
        plot.wait(0.1, 1.5)
    if plot.chance.random() < 0.7:
        plot.add("crash")
    plot.wait(0.0, 3.0)
    plot.add("clock", text=plot.chance.choice(["-86400", "-7200", "7200"]))


def board(plot: Plot) -> None:
    """A board that follows the game, also over a new turn, and from another message."""
    where = plot.spot("hill", "camp")
    plot.say(ANN, where, 'game start lnlt "Board" sides="US, VC"')
    plot.wait(1, 3)
    plot.say(plot.someone(where), where, "game join US")
    plot.say(ANN, where, "game board")
    for _ in range(plot.chance.randrange(3, 8)):
        plot.wait(0.0, 3.0)
        plot.say(
            ANN,
            where,
            plot.chance.choice(["roll 2d6 label=@", FIRE, "game redo", "game next", "game pass"]),
        )
        if plot.chance.random() < 0.3:
            plot.press(ANN, where, "undo")
    if plot.chance.random() < 0.3:
        plot.say(
            plot.someone(where),
            where,
            plot.chance.choice(["game board", "game board off", "game end confirm"]),
        )


def strangers(plot: Plot) -> None:
    """A shot of two sides, and between it and its undo a stranger's roll, a friend who joins, a
    manager.
    """
    where = plot.spot("hill", "camp")
    plot.say(ANN, where, 'game start lnlt "Strangers" sides="US, VC"')
    plot.wait(1, 3)
    for who, side, unit in ((ANN, "US", "Squad"), (BOB, "VC", "Cell")):
        plot.say(who, where, f"game join {side}")
        plot.wait(1, 3)
        plot.say(who, where, f'unit add "{unit} 1..2" squad {side} stats="morale=5 fp=6"')
        plot.wait(1, 3)
    plot.say(ANN, where, 'lnlt fire attackers="Squad 1" targets="Cell 1" adjacent hand=6,1,3')
    plot.wait(1, 3)
    for _ in range(2):
        between = plot.chance.choice(
            ["roll 2d6 label=@", "roll d6 label=@ secret", "game join VC", 'game plan 9 "x"']
        )
        plot.say(EVE, where, between)
        plot.wait(1, 3)
    if plot.chance.random() < 0.4:
        plot.say(BOB, where, 'unit edit "Cell 2" state=shaken')
        plot.wait(1, 3)
    plot.say(ANN, where, "game undo")
    plot.wait(1, 3)
    for who in plot.chance.sample([EVE, CAS], 2):
        plot.press(who, where, "consent")
        plot.wait(1, 3)
    plot.say(EVE, where, plot.chance.choice(["roll 2d6 label=@", "game join VC"]))
    plot.wait(1, 3)
    for who in (EVE, BOB):
        plot.press(who, where, "consent")
        plot.wait(1, 3)
    plot.say(ANN, where, "game redo")
    plot.wait(1, 3)
    plot.press(plot.chance.choice([EVE, CAS, BOB]), where, "consent")


def deck_of(plot: Plot, where: str, who: str) -> None:
    """Somebody makes a deck of words that nothing else is called by."""
    plot.decks += 1
    plot.say(
        who,
        where,
        f'deck make "{", ".join(f"k{plot.decks}c{card}x" for card in range(1, 13))}" cup',
    )
    plot.wait(0.5, 2)


def hands(plot: Plot) -> None:
    """Two sides with closed hands of one deck: dealt, played, given, put back, looked at, taken
    back, opened.
    """
    where = plot.spot("hill", "camp")
    plot.say(ANN, where, 'game start lnlt "Hands" sides="US, VC"')
    plot.wait(0.5, 2)
    plot.say(ANN, where, "game join US")
    plot.say(BOB, where, "game join VC")
    plot.wait(0.5, 2)
    deck_of(plot, where, ANN)
    plot.say(ANN, where, "deck deal 2 cup")
    for _ in range(plot.chance.randrange(4, 10)):
        plot.wait(0.3, 3)
        who, other = plot.chance.sample([ANN, BOB], 2)
        plot.act(
            who, where, plot.chance.choice(CARDS).replace("SIDE", "VC" if who == ANN else "US")
        )
        if plot.chance.random() < 0.3:
            plot.wait(0.3, 2)
            plot.press(who, where, "undo")
            plot.wait(0.3, 2)
            for one in plot.chance.sample([EVE, other, who], 3):
                plot.press(one, where, "consent")
            plot.say(
                plot.chance.choice([who, other]),
                where,
                plot.chance.choice(["game redo", "deck draw cup", "hand"]),
            )
        if plot.chance.random() < 0.3:
            plot.say(EVE, where, plot.chance.choice(EYES))
    if plot.chance.random() < 0.6:
        plot.wait(0.5, 2)
        plot.say(BOB, where, "hand agree")
        plot.wait(0.5, 2)
        for line in ("game end confirm", "fair reveal", "game resume", "hand"):
            plot.say(ANN, where, line)
            plot.wait(0.5, 2)


CARDS = (
    "deck draw cup", "deck draw cup 2 to=me", "deck draw cup to=me", "deck deal 1 cup", "deck play all cup",
    "deck give all SIDE cup", "deck return all cup", "deck return all cup place=top",
    "deck return all cup place=bottom", "deck discard all cup", "deck peek 2 cup", "deck shuffle cup",
    "deck draw standard-52 2 to=me", "deck draw cup 7", 'deck shuffle "Ann, Bo, Cy"', "hand", "deck show cup",
    "roll 2d6 label=@", "game leave", "game join US", "press drawcard", "press hand", "press handcard:",
    "press openhand", "press undo",
)  # fmt: skip
EYES = ("deck show cup", "log", "game export json", "game export csv", "hand", "deck play all cup", "fair reveal",
        "deck draw cup 2 to=me", "deck peek 2 cup", "game status", "game stats")  # fmt: skip
"""What somebody without a seat tries."""


def seats(plot: Plot) -> None:
    """Closed hands of persons in free play: somebody deletes their data, the game moves, goes
    elsewhere as a file.
    """
    where = plot.spot("hill", "camp", "lair")
    first, second = plot.chance.sample(sorted(SPOTS[where].members), 2)
    deck_of(plot, where, first)
    for who in (first, second):
        plot.say(who, where, "deck draw cup 3 to=me")
        plot.wait(0.3, 2)
    plot.say(first, where, f"deck give all {second} cup")
    for _ in range(plot.chance.randrange(2, 5)):
        plot.wait(0.3, 2)
        plot.act(plot.chance.choice([first, second]), where, plot.chance.choice(CARDS))
    ending = plot.chance.choice(["forget", "carry", "crash", "again"])
    plot.wait(0.5, 2)
    if ending == "forget":
        plot.say(first, where, "privacy delete confirm")
    elif ending == "carry":
        plot.say(second, where, "game export json")
        plot.wait(1, 4)
        plot.say(second, plot.spot("ford", "den", "cave"), "game import {file}")
    else:
        plot.add(ending, first if ending == "again" else "")
    plot.wait(1, 4)
    for who in (second, first):
        plot.say(
            who,
            where,
            plot.chance.choice(["hand", "deck draw cup to=me", "deck play all cup", "game undo"]),
        )
        plot.wait(0.3, 2)


def begun(plot: Plot, where: str, game: str, sides: tuple[str, str], setup: str) -> None:
    """A game of a pack, with Ann and Bob on its sides and its units where they meet."""
    plot.say(ANN, where, f"game start {game}")
    plot.wait(0.5, 2)
    plot.press(CAS, where, "begin")
    for who, line in ((ANN, f"game join {sides[0]}"), (BOB, f"game join {sides[1]}")):
        plot.wait(0.5, 2)
        plot.say(who, where, line)
    for line in setup.split(" / "):
        plot.wait(0.3, 1.5)
        plot.say(ANN, where, line)


def taken_back(plot: Plot, where: str, first: str, second: str) -> None:
    """Who did something last takes it back, perhaps with a yes, and perhaps it comes again."""
    plot.act(first, where, plot.chance.choice(["press undo", "game undo"]))
    plot.wait(0.3, 2)
    for who in plot.chance.sample([EVE, second, first], 3):
        plot.press(who, where, "consent" if plot.chance.random() < 0.85 else "refuse")
    plot.wait(0.3, 2)
    if plot.chance.random() < 0.6:
        for who in (first, second):
            plot.say(who, where, "game redo")
            plot.wait(0.3, 2)


def chits(plot: Plot) -> None:
    """A cup leads the phase: chits drawn by two at once, goes, chits taken back, the phase over
    in the middle.
    """
    where = plot.spot("hill", "camp")
    begun(plot, where, "three-mills scenario=sorrel", ("Crown", "Republic"), MET)
    for _ in range(plot.chance.randrange(5, 12)):
        who, other = plot.chance.sample([ANN, BOB], 2)
        plot.act(who, where, plot.chance.choice(["deck draw cup", "press draw"]))
        plot.wait(0.0, 1.5)
        if plot.chance.random() < 0.3:  # both at once, or what players may not do
            plot.act(
                other,
                where,
                plot.chance.choice(["deck draw cup", "press draw", "deck return all cup", "log"]),
            )
        if plot.chance.random() < 0.35:
            taken_back(plot, where, who, other)
        plot.say(who, where, plot.chance.choice(GOES))
        plot.wait(0.2, 2)
        for one in (ANN, BOB) if plot.chance.random() < 0.8 else (EVE,):
            plot.act(one, where, plot.chance.choice(["game pass", "game pass", "press pass"]))
            plot.wait(0.1, 1)
        if plot.chance.random() < 0.25:
            plot.act(
                who,
                where,
                plot.chance.choice(["game next", "press next", "game status", "deck show cup"]),
            )
    the_end(plot, where)


def campaign(plot: Plot) -> None:
    """Hands of a game of cards, battles that draw, a question in their middle, and all of it
    taken back.
    """
    where = plot.spot("hill", "camp")
    begun(plot, where, "salt-road scenario=year", ("Duke", "League"), BESIDE)
    for who, deck in ((ANN, "duke"), (BOB, "league")):
        plot.say(who, where, f"deck draw {deck} 3 to=me")
        plot.wait(0.3, 2)
    for _ in range(plot.chance.randrange(5, 12)):
        who, other = plot.chance.sample([ANN, BOB], 2)
        ours, theirs, deck = (
            ("Foot", "Rangers", "duke") if who == ANN else ("Rangers", "Foot", "league")
        )
        line = (
            plot.chance.choice(BATTLES)
            .replace("OURS", ours)
            .replace("THEIRS", theirs)
            .replace("DECK", deck)
        )
        if "attack" in line:
            plot.say(who, where, "track set orders 3")
            plot.wait(0.2, 1)
        plot.act(who, where, line)
        plot.wait(0.0, 2)
        if plot.chance.random() < 0.35:
            taken_back(plot, where, who, other)
        if plot.chance.random() < 0.5:
            plot.act(
                other,
                where,
                plot.chance.choice(["choose option=stand", "choose option=back", "press choose"]),
            )
        if plot.chance.random() < 0.3:
            plot.say(ANN, where, plot.chance.choice(BESIDE.split(" / ")))
    if plot.chance.random() < 0.5:
        plot.say(
            EVE,
            where,
            plot.chance.choice(["deck show duke", "log", "game export json", "game export csv"]),
        )
    the_end(plot, where)


def patrol(plot: Plot) -> None:
    """Sequences that draw, alone and several at once, beside cards that are held, looked at, and
    put back.
    """
    where = plot.spot("hill", "camp")
    begun(plot, where, "few scenario=ford", ("Reds", "Blues"), "deck draw chances to=me")
    for _ in range(plot.chance.randrange(6, 14)):
        who, other = plot.chance.sample([ANN, BOB], 2)
        line = plot.chance.choice(DRAWS).replace("SIDE", "Blues" if who == ANN else "Reds")
        plot.act(who, where, line)
        plot.wait(0.0, 2)
        if plot.chance.random() < 0.3:
            taken_back(plot, where, who, other)
        if plot.chance.random() < 0.4:
            plot.act(
                other,
                where,
                plot.chance.choice(["choose option=stay", "choose option=go", "press choose"]),
            )
        if plot.chance.random() < 0.25:
            plot.say(EVE, where, plot.chance.choice(LOOKS))
    the_end(plot, where)


def the_end(plot: Plot, where: str) -> None:
    """All is opened, in some worlds."""
    if plot.chance.random() < 0.6:
        for who, line in (
            (BOB, "hand agree"),
            (ANN, "game end confirm"),
            (ANN, "fair reveal"),
            (BOB, "game resume"),
        ):
            plot.wait(0.5, 2)
            plot.say(who, where, line)


MET = 'unit edit "Line 1..2" place=n3 / unit edit "Chasseurs 1..2" place=n4'
GOES = ('three-mills fire "Line 1" "Chasseurs 1"', 'three-mills fire "Chasseurs 1; Chasseurs 2" "Line 2"',
        'three-mills charge "Line 1; Line 2" "Chasseurs 1; Chasseurs 2"', "three-mills move Hussars s3",
        'three-mills rally "Chasseurs 1"', 'three-mills order "Line 1; Line 2"', "roll 2d6 label=@",
        'three-mills fire "Line 1" "Chasseurs 1" odds', 'three-mills fire "Line 2" "Chasseurs 2" secret')  # fmt: skip
BESIDE = "unit edit Foot area=market men=9 / unit edit Rangers area=tower men=9 / game next / game initiative Duke"
BATTLES = ("salt-road attack OURS THEIRS",) * 5 + (
    "salt-road attack OURS THEIRS odds", "salt-road attack OURS THEIRS secret",
    "deck play all DECK", "deck draw DECK to=me", "deck draw fate", "deck draw fate to=me", "deck return all",
    "deck peek 2 fate", "deck shuffle fate", "deck show fate", "game pass", "game next", "hand", "roll 2d6 label=@",
    "salt-road march Foot ford", "game status", "game stats",
)  # fmt: skip


FIGHTS = ("few chance units=Blue", "few pair n=1", "few ask units=Blue", "few camp")
DRAWS = (
    *FIGHTS, *FIGHTS, *(f"{line} odds" for line in FIGHTS), "few chance units=Blue secret",
    "deck draw chances to=me", "deck draw chances", "deck play all chances", "deck return all chances place=top",
    "deck return all chances place=bottom", "deck give all SIDE chances", "deck discard all chances",
    "deck peek 2 chances", "deck shuffle chances", "deck show chances", "deck draw events", "hand", "game next",
    "roll 2d6 label=@", "press undo", "press handcard:", "press openhand", "press odds", "game leave", "game join Reds",
)  # fmt: skip
LOOKS = ("deck show chances", "few camp odds", "few chance units=Blue odds", "log", "game export json", "game status",
         "game stats", "few camp")  # fmt: skip


SCENES: dict[Scene, int] = {
    rolls: 5,
    duel: 4,
    undo_twice: 3,
    sealed: 3,
    mirror: 3,
    link: 3,
    intrude: 2,
    move: 1,
    carry: 2,
    forget: 3,
    promise: 2,
    count: 1,
    army: 2,
    crowd: 2,
    leap: 1,
    board: 2,
}
FAULTS = {
    "crash": ("",),
    "start": ("",),
    "lock": ("1", "8"),
    "full": ("1", "5"),
    "broken": ("1", "5", "20"),
    "slow": ("2", "6"),
    "discord": ("2", "8"),
    "slack": ("2", "8"),
    "clock": ("-7200", "-60", "60", "1000", "7200"),
    "again": ("",),
}
LATER: dict[Scene, int] = {strangers: 5, hands: 7, seats: 8, chits: 4, campaign: 9, patrol: 6}
"""Scenes that came later, in every tenth world, of this number: the other worlds stay what they
were.
"""
WORLDS = (("hill", "ford", "lair"), ("camp", "den", "cave"), tuple(SPOTS))


def plan(seed: int) -> tuple[Step, ...]:
    """What happens in the world of this number, in order of time."""
    chance = Random(f"plan {seed}")
    plot = Plot(chance, chance.choice(WORLDS))
    for scene in chance.choices(list(SCENES), list(SCENES.values()), k=chance.randrange(2, 5)):
        plot.begin(chance.uniform(0.0, 30.0))
        scene(plot)
    for scene in (scene for scene, last in LATER.items() if seed % 10 == last):
        plot.begin(chance.uniform(0.0, 30.0))
        scene(plot)
    end = max(step.at for step in plot.steps)
    for _ in range(chance.choice((0, 1, 2, 4))):
        plot.begin(chance.uniform(0.0, end))
        kind = chance.choice(list(FAULTS))
        plot.add(kind, text=chance.choice(FAULTS[kind]))
    return tuple(sorted(plot.steps, key=lambda step: step.at))


def read_steps(lines: list[list[Any]]) -> tuple[Step, ...]:
    """Steps from the file of regressions."""
    return tuple(Step(*line) for line in lines)
