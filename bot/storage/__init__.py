"""Where games live between commands: the Store, and the engines that carry out what it says.

`base.py` is the page to read first; `sqlite/` is the store that everybody has, `postgres/` the one
for several machines, and `opening.py` knows which the settings name.
"""
