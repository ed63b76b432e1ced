"""`/game link`: one game played from several channels, also on two networks.

A code from one channel is typed in another. Nothing is bound before somebody who may speak for it
has agreed in each channel whose rolls the others will see: a manager of its server, or the person
whose own conversation with the bot it is. Who may not is welcome to ask; then a request with a
button appears there, for all to see.
"""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace

from bot.commands.channel_games import describe_replaced_game, format_game_name, tell
from bot.commands.context import Context
from bot.commands.log.undo import HOME
from bot.commands.requests import HOURS, OPEN, PendingRequest, need_place_manager
from bot.game.game_cache import LoadedGame, load_game_by_id, restore_game
from bot.game.ledger import Ledger
from bot.game.rights import need_director
from bot.game.state import Game
from bot.preferences.place_names import (
    PLACE,
    build_name_doc,
    list_places,
    load_place_names,
    name_place,
)
from bot.preferences.platform_words import get_manager_word
from bot.rules.errors import UserError
from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import capitalize_first, phrase
from bot.runtime.entropy import create_code
from bot.storage.base import DAY
from bot.storage.records import Binding, Commit, Doc, Outgoing
from bot.storage.store import Store
from bot.ui.reply.reply import Button, Reply
from bot.ui.spec import Place, get_server_key

LINK = "link"
OFF = "off"
MINUTES = 15
OVER, BARE, ROSTER, RUNNING = range(4)
"""How much a game would be missed where another takes its place: one that has ended, mere rolls,
a roster, a game.
"""
_LOOKALIKES = str.maketrans("OIL", "011")
REQUEST, ASKED = "link-request", "link-asked"
WHAT = "the link that was requested"
MOST_ASKED = 10
"""Requests of one game in a day: they are posted also where whoever asks is not a member."""


async def handle_link(context: Context) -> Reply:
    """Give a code, take one, or end the link of this channel."""
    typed = context.clean_options()["code"]
    if not typed:
        return await _give_code(context)
    if comparison_key(typed) == OFF:
        return await _end_link(context)
    code = normalize_value(typed).upper().translate(_LOOKALIKES)
    return await (
        agree_to_link if await context.store.load_doc(REQUEST, code) is not None else _take_code
    )(context, code)


async def _give_code(context: Context) -> Reply:
    """A code; given by a manager it says, in public, that the channel may be linked."""
    row = context.ledger.row
    if row:
        need_director(context.game, context.actor, "link it")
    code = create_code()
    here = context.command.where
    place = {
        "place": here.key,
        "server": here.server,
        "name": here.name,
        "game": row,
        "agreed": context.can_manage,
    }
    context.commit.docs.append(
        Doc(LINK, code, place, context.now + MINUTES * 60, context.command.who.key)
    )
    lines = [
        phrase(
            "In the other channel, here or on the other network, type: `/game link {code}`",
            code=code,
        ),
        f"It works once, and for {MINUTES} minutes. Then both channels play one game, and each sees every roll.",
    ]
    told = None
    if not context.can_manage:
        lines.append(
            f"A {get_manager_word(here.key)} must agree too: they are asked here once the code is used."
        )
    elif not here.owner:
        what = "a code links this channel with another one, which then sees every roll made here"
        lines_of_all = (
            f"For {MINUTES} minutes {what}.",
            phrase("To end a link, type: `/game link off`"),
        )
        told = Reply(f"{context.user_name} offers to link this channel", lines_of_all)
    return Reply(f"The code is {code}", tuple(lines), private=True, announce=told)


async def _take_code(context: Context, code: str) -> Reply:
    """Link at once where all have agreed, else ask those who have not."""
    doc = await context.store.load_doc(LINK, code)
    if doc is None:
        raise UserError(
            f"There is no such code: each works once, and for {MINUTES} minutes.",
            hint=phrase("Get a new one in the other channel: `/game link`"),
            option="code",
            code="unknown-code",
        )
    here = context.command.where
    there = str(doc.data["place"])
    if there == here.key:
        raise UserError(
            "That code is from this channel.",
            hint="Type it in the other one.",
            option="code",
            code="same-channel",
        )
    saved = await context.store.load_game(there)
    if (saved.game.id if saved is not None else "") != doc.data[
        "game"
    ]:  # its giver had no say in what began since
        hint = phrase("Get a new code there: `/game link`")
        raise UserError(
            "Another game has started there since.", hint=hint, option="code", code="game-changed"
        )
    context.commit.drop_docs.append((LINK, code))
    context.commit.docs += [
        build_name_doc(here),
        build_name_doc(Place(there, str(doc.data["server"]), str(doc.data["name"]))),
    ]
    names = {there: str(doc.data["name"]), here.key: here.name}
    ledger, new, aside = _choose_shared_game(
        context, restore_game(saved) if saved is not None else None, there
    )
    agreed = [
        place
        for place, said in ((here.key, context.can_manage), (there, doc.data["agreed"] is True))
        if said
    ]
    row = aside.row if aside is not None else ""
    link = ChannelLink(
        code, ledger.row, ledger.places, new, tuple(agreed), context.command.who.key, row
    )
    names = {**await load_place_names(context.store, link.places), **names}
    if not link.pending_places:
        lines = (phrase("`/game status` shows the game."),)
        return Reply(
            "The channels are linked",
            lines,
            private=True,
            announce=link_place(context, ledger, new, names, aside),
        )
    return await ask_places(context, ledger.game, link, names)


def _choose_shared_game(
    context: Context, other: LoadedGame | None, there: str
) -> tuple[Ledger, str, LoadedGame | None]:
    """The game that both channels are to play, the one that is new to it, and what makes room for
    it there.

    Raises UserError where there is no game, or one in each that nobody would give up.
    """
    here = context.command.where.key
    own = context.ledger.was
    if own is None and other is None:
        hint = phrase('Start one first: `/game start lnlt "Hill 875"`')
        raise UserError("No game is played in either channel.", hint=hint, code="no-game")
    if other is not None and (own is None or _rate_importance(other) >= _rate_importance(own)):
        kept = other
        aside = own
        shared = Ledger(other, context.ledger.writer)
        new = here
    else:
        assert own is not None
        # of the other side, who gave the code had the right to
        need_director(context.game, context.actor, "link it")
        kept = own
        aside = other
        shared = context.ledger
        new = there
    if aside is not None and _rate_importance(aside) >= max(ROSTER, _rate_importance(kept)):
        hint = phrase(
            "Only one of them can have one: `/game end` or `/game transfer` frees a channel."
        )
        raise UserError(
            "Both channels already have a game.", hint=hint, option="code", code="two-games"
        )
    if aside is not None and len(aside.places) > 1:
        hint = phrase("End that there first: `/game link off`")
        raise UserError(
            "One of the channels is linked with others already.",
            hint=hint,
            option="code",
            code="linked",
        )
    return shared, new, aside


def _rate_importance(loaded: LoadedGame) -> int:
    """How much the game would be missed."""
    if loaded.game.ended:
        return OVER
    return RUNNING if loaded.game.started else ROSTER if loaded.game.units else BARE


async def _end_link(context: Context) -> Reply:
    """This channel plays the game no more; it goes on in the others."""
    context.need_game()
    if len(context.ledger.places) < 2:
        raise UserError(
            "The game is played in this channel alone.", option="code", code="not-linked"
        )
    if not (context.can_manage or context.actor.directs):
        what = "Only the game master or a manager can end the link."
        raise UserError(what, option="code", code="not-master")
    return await unlink_place(context, context.ledger, context.command.where.key)


@dataclass(frozen=True, slots=True)
class ChannelLink:
    """A link that is asked for: the game, the places that play it, the new one, and who has agreed
    so far.

    `aside` is what is played in the new one until then, and makes room.
    """

    code: str
    game: str
    places: tuple[str, ...]
    new: str
    agreed: tuple[str, ...]
    asker: str
    aside: str = ""

    @property
    def all_places(self) -> tuple[str, ...]:
        """Every place that would see what is rolled in the others."""
        return (*self.places, self.new)

    @property
    def pending_places(self) -> tuple[str, ...]:
        """The places where nobody has agreed yet."""
        return tuple(place for place in self.all_places if place not in self.agreed)

    def build_topic(self, place: str) -> str:
        """What the message is about that asks in one of the places."""
        return f"{self.game}/link-{self.code}-{self.all_places.index(place)}"

    def build_request(self, until: float) -> PendingRequest:
        """What is asked, until then, in the places where nobody has agreed yet."""
        data = {
            "game": self.game,
            "places": list(self.places),
            "new": self.new,
            "aside": self.aside,
        }
        doc = Doc(REQUEST, self.code, {**data, "agreed": list(self.agreed)}, until, self.asker)
        return PendingRequest(
            doc, tuple(map(self.build_topic, self.pending_places)), WHAT, self.game
        )


async def ask_places(
    context: Context, game: Game, link: ChannelLink, names: dict[str, str]
) -> Reply:
    """Post the request in each place that has not agreed; not too many of them, for nobody there
    asked for that. Raises UserError."""
    known = await context.store.load_doc(ASKED, link.game)
    asked_at = (
        [at for at in known.data["at"] if at > context.now - DAY] if known is not None else []
    )
    if len(asked_at) >= MOST_ASKED:
        what = f"{MOST_ASKED} links were requested for this game within a day."
        hint = phrase("Managers on both sides can link without a request: each types `/game link`.")
        raise UserError(what, hint=hint, code="too-many-links")
    context.commit.docs.append(
        Doc(ASKED, link.game, {"at": [*asked_at, context.now]}, context.now + DAY)
    )
    link.build_request(context.now + OPEN).register(context)
    here = context.command.where.key
    asked = {
        place: _build_request_message(context, game, link, names, place)
        for place in link.pending_places
    }
    names = names if here in link.places else {}  # what the others are called is theirs to tell
    tell(context, asked, {place: link.build_topic(place) for place in asked})
    if here in asked:
        context.about = link.build_topic(here)
    whom = list_places(link.pending_places, names, here)
    lines = (
        f"A manager must agree first in {whom}. Until then nothing is linked.",
        f"The request ends after {HOURS} hours.",
    )
    return Reply("The link is requested", lines, private=True, announce=asked.get(here))


def _build_request_message(
    context: Context, game: Game, link: ChannelLink, names: dict[str, str], reader: str
) -> Reply:
    if reader == link.new and len(link.places) > 1:
        names = {}
    others = list_places([place for place in link.all_places if place != reader], names, reader)
    what = f'play {format_game_name(game)} here too, together with {others}' if reader == link.new else (
        f"play this channel's game from {name_place(link.new, names.get(link.new, ''), reader)} too"
    )  # fmt: skip
    return Reply(
        f"{context.user_name} asks to {what}",
        (
            f"Agreed, every roll made in this channel is seen in {others}, and theirs here. Nothing is linked yet.",
            phrase(
                "Only a {manager} can agree, within {hours} hours. "
                "Press a button, or type: `/game link {code}`",
                manager=get_manager_word(reader),
                hours=HOURS,
                code=link.code,
            ),
        ),
        buttons=(
            Button(f"agree:{link.code}", "Agree", "primary"),
            Button(f"decline:{link.code}", "Refuse"),
        ),
    )


async def agree_to_link(context: Context, code: str) -> Reply:
    """A manager of one of the places agrees; the last one links them. Raises UserError."""
    ledger, link, expires = await _load_pending_link(context, code)
    here = context.command.where.key
    need_place_manager(context, "agree to that", option="code")
    context.pressed_topic = link.build_topic(here)
    if here in link.agreed:
        raise UserError("This channel has already agreed.", option="code", code="agreed-already")
    there = await context.store.load_game(link.new)
    if (there.game.id if there is not None else "") != link.aside or (
        there is not None and len(there.places) > 1
    ):
        hint = phrase("Ask again: `/game link`")
        raise UserError(
            "A game has started in the other channel since.", hint=hint, code="game-changed"
        )
    replace(link.build_request(expires), topics=(link.build_topic(here),)).close_with_note(
        context, f"{context.user_name} agrees"
    )
    names = {
        **await load_place_names(context.store, link.all_places),
        here: context.command.where.name,
    }
    context.commit.docs.append(build_name_doc(context.command.where))
    missing = [place for place in link.pending_places if place != here]
    if not missing:
        return link_place(
            context, ledger, link.new, names, restore_game(there) if there is not None else None
        )
    # The event lets of two who agree at once one wait for the other.
    ledger.add("link", result="a channel agreed to a link")
    context.ledger = ledger
    replace(link, agreed=(*link.agreed, here)).build_request(expires).register(context)
    whom = list_places(missing, names if here in link.places else {}, here)
    return Reply(f"{context.user_name} agrees to the link", (f"Still to agree: {whom}.",))


async def decline_link(context: Context, code: str) -> Reply:
    """A manager of one of the places refuses, or who asked takes it back."""
    _, link, expires = await _load_pending_link(context, code)
    if link.asker != context.command.who.key:
        need_place_manager(context, "refuse that", option="code")
    context.pressed_topic = link.build_topic(context.command.where.key)
    link.build_request(expires).close_with_note(context, f"{context.user_name} refuses")
    told = Reply(f"{context.user_name} refuses the link", ("Nothing is linked.",))
    tell(context, dict.fromkeys(link.all_places, told))
    return told


async def _load_pending_link(context: Context, code: str) -> tuple[Ledger, ChannelLink, float]:
    """The game that is to be linked, and the request, read after it: whoever changes one changes
    the other.

    Raises UserError for a request that is over, that is about other places, or whose game has moved
    on.
    """
    gone = UserError(
        "There is no open request for this link.",
        hint=phrase("Ask again: `/game link`"),
        code="not-asked",
    )
    doc = await context.store.load_doc(REQUEST, code)
    if doc is None:
        raise gone
    ledger = context.ledger
    if not ledger.row or ledger.row != doc.data["game"]:
        ledger = Ledger(
            await load_game_by_id(context.store, str(doc.data["game"])), context.ledger.writer
        )
    doc = await context.store.load_doc(REQUEST, code)
    if doc is None or ledger.was is None:
        raise gone
    places = tuple(doc.data["places"])
    new = str(doc.data["new"])
    agreed = tuple(doc.data["agreed"])
    link = ChannelLink(
        code, str(doc.data["game"]), places, new, agreed, doc.owner, str(doc.data.get("aside", ""))
    )
    if context.command.where.key not in link.all_places:
        raise UserError("That code is for other channels.", option="code", code="other-channels")
    if sorted(ledger.places) != sorted(places):
        raise UserError(
            "The game has moved elsewhere since.",
            hint=phrase("Ask again: `/game link`"),
            code="game-changed",
        )
    return ledger, link, doc.expires or 0.0


def link_place(
    context: Context,
    ledger: Ledger,
    new: str,
    names: Mapping[str, str],
    aside: LoadedGame | None = None,
) -> Reply:
    """Let a new place play the ledger's game too, and tell it in all of them; what is told here
    comes back.

    `aside` is what made room for it there.
    """
    places = (*ledger.places, new)
    ledger.add("link", result="played from two channels")
    context.ledger = ledger
    if len(places) == 2:
        context.commit.docs.append(
            Doc(HOME, ledger.row, {"place": places[0]}, None, get_server_key(places[0]))
        )
    context.commit.bindings.append(
        Binding(new, ledger.row, aside.row if aside is not None else None, get_server_key(new))
    )
    told = {place: _build_notice(context, ledger.game, places, names, place) for place in places}
    told[new] = replace(told[new], lines=(*told[new].lines, *describe_replaced_game(aside)))
    tell(context, told)
    return told[context.command.where.key]


def _build_notice(
    context: Context, game: Game, places: Many[str], names: Mapping[str, str], reader: str
) -> Reply:
    others = list_places([place for place in places if place != reader], names, reader)
    return Reply(
        f"{context.user_name} links this channel with {others}",
        (
            f"{capitalize_first(format_game_name(game))} is played from both: every roll made "
            "here is seen there, and theirs here.",
            phrase(
                "`/game status` lists the channels. A manager ends this here with: `/game link off`"
            ),
        ),
    )


async def unlink_place(context: Context, ledger: Ledger, place: str) -> Reply:
    """One of the places that play the ledger's game plays it no more; all are told, and so is
    who did it.
    """
    places = ledger.places
    names = await load_place_names(context.store, places)
    ledger.add("link", result="one channel fewer")
    context.commit.bindings.append(Binding(place, None, ledger.row, get_server_key(place)))
    name = capitalize_first(format_game_name(ledger.game))
    told = dict[str, Reply]()
    for reader in places:
        if reader == place:
            rest = list_places([other for other in places if other != place], names, reader)
            lines = (f"{name} goes on in {rest}. Nothing rolled here is seen there any more.",)
        else:
            lines = (
                f"{name} goes on here without {name_place(place, names.get(place, ''), reader)}.",
            )
        told[reader] = Reply(
            f"{context.user_name} ends the link of {name_place(place, names.get(place, ''), reader)}",
            lines,
        )
    tell(context, told)
    return told.get(context.command.where.key, told[place])


async def remind_linked_channels(store: Store, server: str) -> None:
    """The bot is on a server (again). After an absence its linked channels are told who sees what
    is rolled there.

    So is a channel that was linked by a release that did not ask its managers; it has no document
    with its name yet.
    """
    was_away = await store.mark_server_joined(server)
    told = list[Outgoing]()
    docs = list[Doc]()
    for place, row in await store.list_shared_games(server):
        is_new = await store.load_doc(PLACE, place) is None
        if not (was_away or is_new):
            continue
        docs += [build_name_doc(Place(place, server))] if is_new else []
        saved = await store.load_game_by_id(row)
        places = [other for other in saved.places if other != place] if saved is not None else []
        others = list_places(places, await load_place_names(store, places), place)
        lines = (
            phrase(
                "Every roll made here is seen there, and theirs here. A manager ends this with: `/game link off`"
            ),
        )
        told.append(
            Outgoing(
                place, {}, 0.0, Reply(f"This channel is linked with {others}", lines).to_json()
            )
        )
    if told:
        await store.commit(Commit(outbox=told, docs=docs))
