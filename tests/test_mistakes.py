"""What players get wrong, and what they are told: one line says what was wrong, the next what to
type.
"""

from __future__ import annotations

import pytest

from bot.rules.errors import UserError
from bot.ui.reply.reply import build_error_reply
from tests.playing import Channel

FIRE = 'lnlt fire attackers="squad fp=4" targets="squad morale=5"'

MISTAKES = [
    # commands
    ("rol 2d6", 'There is no command "rol".', "Type: /roll 2d6"),
    ("/rolll 2d6+3", 'There is no command "rolll".', "Type: /roll 2d6+3"),
    ("!roll 2d6", 'There is no command "!roll".', "Type: /roll 2d6"),
    ("lntl fire", 'There is no command "lntl".', "Type: /lnlt fire"),
    ("lnlt fier", '/lnlt has no "fier".', "Type: /lnlt fire"),
    ("lnlt-fire", 'There is no command "lnlt-fire".', "Type: /lnlt fire"),
    ("lnlt/fire", 'There is no command "lnlt/fire".', "Type: /lnlt fire"),
    ("fire", 'There is no command "fire".', "Did you mean baps fire, lnlt fire or nhis fire?"),
    ("status", 'There is no command "status".', "Type: /game status"),
    ("melee-odds 7 5", 'There is no command "melee-odds".', "Type: /lnlt-table melee-odds 7 5"),
    ("game strat lnlt x", '/game has no "strat".', "Type: /game start lnlt x"),
    ('"roll 2d6"', "A command begins with its name", "For example: /roll 2d6+3."),
    ("attackers=squad lnlt fire", "A command begins with its name", "For example: /roll 2d6+3."),
    ("lnlt-table combat melee-ods 7 5", '/lnlt-table combat has no "melee-ods".', "melee-odds 7 5"),
    ("lnlt-table melee", '/lnlt-table has no "melee".', "It is a combat sequence: /lnlt melee"),
    ("seek lnlt", '/seek has no "lnlt".', "Did you mean /seek game lnlt?"),
    ("game start ford", "ford is a scenario of Lock 'n Load Tactical.", "/game start lnlt scenario=ford"),
    ("game start lnlt ford", "ford is a scenario of Lock 'n Load Tactical.", "/game start lnlt scenario=ford"),
    ("game start", "Pick a game or a scenario.", "For example: /game start lnlt scenario=ford"),
    ("what now?", "There's no game here yet.", "/game start"),
    ("lnlt fire us1 vc1", 'No unit is called "us1": there are no units here yet.', "/game start"),
    ("help xyzzy", 'There is no help on "xyzzy".', "/help"),
    ("help lnlt fier", '/lnlt has no "fier".', "Did you mean fire?"),
    # options and flags
    ("roll 2d6 hnad=3,4", '/roll has no option "hnad".', "Type: /roll 2d6 hand=3,4"),
    (f"{FIRE} adjacant", 'does not know what to do with "adjacant".', "Did you mean adjacent?"),
    (f"{FIRE} odd", 'does not know what to do with "odd".', "Did you mean odds?"),
    (f"{FIRE} moved", 'does not know what to do with "moved".', "Did you mean target_moved or vehicle_moved?"),
    (f"{FIRE} adjacent adjacent", "adjacent is given twice.", "Give it once."),
    (f"{FIRE} adjacent=maybe", 'adjacent must be yes or no, not "maybe".', ""),
    (f"{FIRE} tm=2 tm=3", "tm is given twice.", "Give it once."),
    (f"{FIRE} tm", "tm has no value.", "Write tm=..."),
    (f"{FIRE} tm= 2", "tm= has no value.", "Write it without a space: tm=2"),
    (f"{FIRE} mods=foo", 'lnlt fire has no modifier "foo".', "It takes tis,"),
    ('lnlt fire attackers = "squad fp=4"', "attackers has no value.", "without spaces around the =."),
    ('lnlt fire --attackers="squad fp=4"', "cannot be read.", "Write attackers=..."),
    ("lnlt fire attackers targets", "attackers has no value.", "Write attackers=..."),
    ('lnlt fire attacker="squad fp=4"', 'has no option "attacker".', "Did you mean attackers?"),
    ("nhis fire mari1 japa1 range=4", 'has no option "range".', "Type: /nhis fire mari1 japa1 distance=4"),
    ("baps fire us3 germ3 distance=12", 'has no option "distance".', "Type: /baps fire us3 germ3 range=12"),
    ("ucn shoot us1 germ1 fp=4", 'has no option "fp".', "/help ucn shoot"),
    ("lnlt fire us1 vc1 round=3", 'has no option "round".', "/help lnlt fire"),
    ("lnlt fire us1 targets=vc1 range=3", 'has no option "range".', "/help lnlt fire"),
    ("lnlt fire us1 vc1 av=3", 'has no option "av".', "Is it a unit's number?"),
    ("lnlt fire us1 vc1 od=yes", 'has no option "od".', ""),
    ('macro add name=h command="roll 2d6"', '/macro add has no option "command".', "/help macro add"),
    # quotes
    ("lnlt fire attackers=squad fp=4", 'has no option "fp".', 'Quote the whole list: attackers="squad'),
    ('lnlt fire attackers="squad fp=4', "The quotation mark at character 21 is not closed", 'End it with "'),
    ('lnlt fire attackers="squad fp=4 targets="squad"', "closes a value in the middle of a word", "then a space"),
    ("unit add 'O'Brien' squad US", "closes a value in the middle of a word", "Inside use the other kind"),
    ('game start lnlt Hill 875 sides="US, VC"', '"875" was read as sides', "needs quotation marks"),
    ("me ping 4h 22-7 Europe/Berlin dm now", 'does not know what to do with "now".', "needs quotation marks"),
    # units
    ('lnlt fire "sqaud fp=4" "squad morale=5"', 'There is no unit type "sqaud"', "Did you mean squad?"),
    ('lnlt fire "squad" "squad morale=5"', "squad needs fp.", "squad fp=5"),
    ('lnlt fire "squad fp four" "squad morale=5"', "squad: fp needs a value.", "Write it without a space: fp="),
    ('lnlt fire "squad fp = 4" "squad morale=5"', "squad: fp needs a value.", "Write it without a space: fp="),
    ('lnlt fire "squad fp=four" "squad morale=5"', 'fp must be a whole number from 0 to 20, not "four".', ""),
    ('lnlt fire "squad fp=-4" "squad morale=5"', 'fp must be a whole number from 0 to 20, not "-4".', "firepower"),
    ('lnlt fire "squad fp=4, squad fp=2" "squad morale=5"', '"fp=4," ends with a comma.', "with a semicolon"),
    ('lnlt fire "squad fp=4 shaked" "squad morale=5"', '"shaked" is not a unit flag', "Did you mean shaken?"),
    ('lnlt fire "squad fp=4 shaken=yes" "squad morale=5"', "shaken is a flag", "Write just shaken"),
    ('lnlt fire "squad firepower=4" "squad morale=5"', "is not a unit number here", "Expected one of morale, fp,"),
    ('lnlt fire "squad fp=4 fp=5" "squad morale=5"', '"fp" is given twice', ""),
    ('lnlt fire "2 squads fp=4" "squad morale=5"', "begins with a unit", "each by itself: squad; squad"),
    ('lnlt fire "Squad 9 fp=4" "squad morale=5"', 'The roster has no unit "Squad 9"', "number with its name"),
    ("ucn shoot rifle 12", 'There is no unit type "rifle"', "Did you mean automatic-rifle, battle-rifle or"),
    ('ucn shoot "2 smg" 12', "begins with a unit", "Write n=2 after it."),
    ('baps fire "soldier weapon=riffle" 10 soldier', "weapon must be one of", "Did you mean rifle-"),
    ("lnlt fire " + '"' + "squad fp=1; " * 41 + '"', "at most 40 units", "Split the attack."),
    # numbers
    (f"{FIRE} tm=high", 'tm must be a whole number from -4 to 12, not "high".', ""),
    (f"{FIRE} tm=99", 'tm must be a whole number from -4 to 12, not "99".', "target modifier"),
    ("lnlt-table melee-odds 7", "needs defense (a whole number from 1 to 60)", ""),
    ("lnlt-table melee-odds 7 0", 'defense must be a whole number from 1 to 60, not "0".', "defending firepower"),
    ("lnlt-table melee-odds seven five", 'attack must be a whole number from 1 to 60, not "seven".', ""),
    ("lnlt-table melee-odds 7 5 3", 'does not know what to do with "3".', "/help lnlt-table"),
    ("game reveal 99999999999", "event must be a whole number from 1 to 1000000000", ""),
    # dice
    ("roll", "/roll needs dice.", "Type /roll 2d6+3."),
    ("roll 2d6 +", 'a number or dice must follow "+"', ""),
    ("roll 2d6 for morale", "is not part of a dice expression", "Put a note in brackets: 2d6 [for morale]."),
    ("roll 2d", 'sides must follow "d"', ""),
    ("roll 100000d6", "at most 1,000 dice can be rolled", ""),
    ("roll 2d6 hand=7,1", "cannot show 7: d6 shows 1 to 6.", ""),
    ("roll 2d6 hand=3", "Next die: 2d6 (d6).", "hand=3,?"),
    ("roll 2d6 hand=3,4,5", "1 die is left over (5): 2 were asked for.", ""),
    ("roll 2d6 hand=a,b", 'hand takes dice such as 5,2,3, not "a,b".', ""),
    (f"{FIRE} hand=1", "Next die: defense (d6).", "hand=1,?"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "wrong", "next_"), MISTAKES, ids=[typed[:60] for typed, _, _ in MISTAKES]
)
async def test_a_mistake_is_named_and_mended(typed: str, wrong: str, next_: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.fails("Anna", typed, wrong)
    assert wrong in reply.title
    assert next_ in " ".join(reply.format_body())
    assert "\n" not in reply.title
    assert len(reply.title) < 260
    await channel.app.close()


async def test_the_corrected_command_runs() -> None:
    channel = await Channel.fresh()
    reply = await channel.fails("Anna", f"{FIRE} adjacant", "adjacent")
    (typed,) = [line for line in reply.format_body() if line.startswith("Type: ")]
    assert not (await channel.say("Anna", typed.removeprefix("Type: "))).error
    await channel.app.close()


@pytest.mark.parametrize("typed", ["?", "/?", "--help"])
async def test_who_asks_for_help_gets_it(typed: str) -> None:
    channel = await Channel.fresh()
    assert "/roll 2d6+3" in (await channel.do("Anna", typed)).format_text()
    await channel.app.close()


@pytest.mark.parametrize("marks", ['""', "''", "“”", "””", "„“", "„”", "‘’", "«»"])
async def test_marks_that_phones_make_are_quotation_marks(marks: str) -> None:
    opening, closing = marks[0], marks[1]
    text = (
        FIRE.replace('="', f"={opening}").replace('" ', f"{closing} ").removesuffix('"') + closing
    )
    channel = await Channel.fresh()
    await channel.do("Anna", text)
    await channel.app.close()


def test_who_acts_with_anothers_unit_is_given_no_stray_example() -> None:
    error = UserError("You play VC, so you can't act with Rifle 1 (US).", code="not-yours")
    assert build_error_reply(error, "/lnlt fire us1", "/lnlt fire attackers=squad").lines == ()
