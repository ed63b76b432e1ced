"""The seed that is ready for the next free play of a server: its commitment is shown before
anybody rolls.
"""

from dataclasses import dataclass, field

from bot.rules.proof.fair import compute_commitment
from bot.runtime.entropy import create_seed
from bot.storage.records import Commit, Doc
from bot.storage.store import Store
from bot.ui.spec import Place

PREPARED, UNUSED = "prepared", "prepared-unused"
"""Documents: the seed that is ready, by server; and one by commitment that goes when it is used,
so that it is once.
"""


@dataclass(frozen=True, slots=True)
class PreparedSeed:
    """A seed, and when (Unix seconds) its commitment was first shown. The seed itself never
    leaves the store.
    """

    seed: bytes = field(repr=False)
    announced: int

    @property
    def commitment(self) -> str:
        """What may be shown of it."""
        return compute_commitment(self.seed)

    @property
    def game(self) -> str:
        """The id of the free play that will use it: part of each die, so nothing may be left to
        choose.
        """
        return self.commitment[:16]

    def build_docs(self, where: Place) -> list[Doc]:
        """The documents that keep it; they go with the server."""
        owner = get_seed_owner(where)
        data = {"seed": self.seed.hex(), "announced": self.announced}
        return [
            Doc(PREPARED, owner, data, None, owner),
            Doc(UNUSED, self.commitment, {}, None, owner),
        ]


def get_seed_owner(where: Place) -> str:
    """For whom a seed is prepared: the server, or the place itself where there is none; for own
    play the person.
    """
    return where.server or (where.owner if where.is_own else where.key)


def prepare_seed(now: float) -> PreparedSeed:
    """A new seed whose commitment is shown from now on."""
    return PreparedSeed(create_seed(), int(now))


async def load_next_seed(store: Store, where: Place) -> PreparedSeed | None:
    """The seed that is ready for the next free play here; None where nobody has played or asked
    yet.
    """
    doc = await store.load_doc(PREPARED, get_seed_owner(where))
    return (
        PreparedSeed(bytes.fromhex(doc.data["seed"]), int(doc.data["announced"]))
        if doc is not None
        else None
    )


async def ensure_next_seed(store: Store, where: Place, now: float) -> PreparedSeed:
    """That seed, made now where there is none. Whoever asks shows its commitment."""
    ready = await load_next_seed(store, where)
    if ready is None:
        ready = prepare_seed(now)
        await store.commit(Commit(docs=ready.build_docs(where)))
    return ready
