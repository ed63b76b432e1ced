"""A server's pack that is called as one of the host's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.commands.pack_helpers import add, few
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel


async def test_a_pack_called_as_one_of_the_hosts_is_not_enabled(
    use_packs: Callable[[Path], None], make_pack: PackMaker
) -> None:
    use_packs(make_pack().parent)
    channel = await Channel.fresh()
    await add(channel, few({"crt.yaml": FEW["crt.yaml"].replace("title: CRT", "title: Ours")}))
    refused = await channel.say("Host", "pack enable few", manager=True)
    assert refused.code == "id-taken"
    assert refused.title == "/few is already one of this bot's own commands."
    assert "hit" in (await channel.do("Anna", "few-table combat crt roll=5")).format_text()
