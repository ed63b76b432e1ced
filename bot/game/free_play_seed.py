"""The prepared seed for the next free play of a server.

Its commitment is shown before anybody rolls.
"""

from dataclasses import dataclass, field

from bot.rules.proof.fair import compute_commitment
from bot.runtime.entropy import create_seed
from bot.storage.records import Commit, Doc
from bot.storage.store import Store
from bot.ui.spec import Place

PREPARED, UNUSED = "prepared", "prepared-unused"
"""Documents: the prepared seed by server; and one by commitment that is deleted on use, so that no
seed is used twice.
"""


@dataclass(frozen=True, slots=True)
class PreparedSeed:
    """A seed, and the time (Unix seconds) its commitment was first shown.

    The seed itself never leaves the store.
    """

    seed: bytes = field(repr=False)
    announced: int

    @property
    def commitment(self) -> str:
        """Return the commitment to the seed, which may be shown."""
        return compute_commitment(self.seed)

    @property
    def game(self) -> str:
        """Return the id of the free play that will use the seed.

        The id is part of each die, so it follows from the commitment and leaves nothing to choose.
        """
        return self.commitment[:16]

    def build_docs(self, place: Place) -> list[Doc]:
        """Build the documents that store the seed. They are deleted with the server."""
        owner = get_seed_owner(place)
        data = {"seed": self.seed.hex(), "announced": self.announced}
        return [
            Doc(PREPARED, owner, data, None, owner),
            Doc(UNUSED, self.commitment, {}, None, owner),
        ]


def get_seed_owner(place: Place) -> str:
    """Return the owner of a prepared seed: the server, else the place; the person in their own
    play.
    """
    return place.server or (place.owner if place.is_own else place.key)


def prepare_seed(now: float) -> PreparedSeed:
    """Create a seed with its commitment shown from `now` on."""
    return PreparedSeed(create_seed(), int(now))


async def load_next_seed(store: Store, place: Place) -> PreparedSeed | None:
    """Load the seed for the next free play in a place, None if there is none yet."""
    doc = await store.load_doc(PREPARED, get_seed_owner(place))
    if doc is None:
        return None
    return PreparedSeed(bytes.fromhex(doc.data["seed"]), int(doc.data["announced"]))


async def ensure_next_seed(store: Store, place: Place, now: float) -> PreparedSeed:
    """Load the seed for the next free play, and create and store one if there is none.

    The caller must show its commitment.
    """
    seed = await load_next_seed(store, place)
    if seed is None:
        seed = prepare_seed(now)
        await store.commit(Commit(docs=seed.build_docs(place)))
    return seed
