"""The storage of games between commands: the Store, and the engines that run its statements.

Read `base.py` first. `sqlite/` is the default store, `postgres/` the one for several machines;
`opening.py` opens the one that the settings name.
"""
