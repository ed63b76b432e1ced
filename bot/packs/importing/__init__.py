"""Tables from elsewhere (a sheet, BCDice, Foundry, SealDice) as tables of ours: text in, YAML
and questions out.
"""

from bot.packs.importing.recognise import Imported, imported

__all__ = ["Imported", "imported"]
