"""Tables from elsewhere (a sheet, BCDice, Foundry, SealDice) as tables of ours: text in, YAML
and questions out.
"""

from bot.packs.importing.detect_format import Imported, import_tables

__all__ = ["Imported", "import_tables"]
