"""The seed that is ready for the next free play of a server: its commitment is shown before
anybody rolls.
"""

from dataclasses import dataclass, field

from bot.interface.spec import Place
from bot.process.entropy import new_seed
from bot.rules.proof.fair import commitment
from bot.stores.records import Commit, Doc
from bot.stores.store import Store

PREPARED, UNUSED = "prepared", "prepared-unused"
"""Documents: the seed that is ready, by server; and one by commitment that goes when it is used,
so that it is once.
"""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A seed, and when (Unix seconds) its commitment was first shown. The seed itself never
    leaves the store.
    """

    seed: bytes = field(repr=False)
    announced: int

    @property
    def commitment(self) -> str:
        """What may be shown of it."""
        return commitment(self.seed)

    @property
    def game(self) -> str:
        """The id of the free play that will use it: part of each die, so nothing may be left to
        choose.
        """
        return self.commitment[:16]

    def docs(self, where: Place) -> list[Doc]:
        """The documents that keep it; they go with the server."""
        owner = owner_of(where)
        data = {"seed": self.seed.hex(), "announced": self.announced}
        return [
            Doc(PREPARED, owner, data, None, owner),
            Doc(UNUSED, self.commitment, {}, None, owner),
        ]


def owner_of(where: Place) -> str:
    """For whom a seed is prepared: the server, or the place itself where there is none; for own
    play the person.
    """
    return where.server or (where.owner if where.is_own else where.key)


def fresh(now: float) -> Prepared:
    """A new seed whose commitment is shown from now on."""
    return Prepared(new_seed(), int(now))


async def find(store: Store, where: Place) -> Prepared | None:
    """The seed that is ready for the next free play here; None where nobody has played or asked
    yet.
    """
    doc = await store.doc(PREPARED, owner_of(where))
    return (
        Prepared(bytes.fromhex(doc.data["seed"]), int(doc.data["announced"]))
        if doc is not None
        else None
    )


async def laid_ready(store: Store, where: Place, now: float) -> Prepared:
    """That seed, made now where there is none. Whoever asks shows its commitment."""
    ready = await find(store, where)
    if ready is None:
        ready = fresh(now)
        await store.commit(Commit(docs=ready.docs(where)))
    return ready
