"""Where games live between commands: the Store protocol, and what fulfils it.

`base.py` is the page to read first; `sqlite/` is the store that everybody has, `postgres/` the one for several
machines, and `opening.py` knows which the settings name.
"""
