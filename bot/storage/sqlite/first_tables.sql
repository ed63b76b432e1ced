-- The tables as the first release makes them. A later change is a step of its own in schema.py.
-- Events are a table with row ids: they are appended at its end, so that those of one commit share a
-- few pages, however many games they belong to.

CREATE TABLE games (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, next_event INTEGER NOT NULL, head TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE snapshots (game TEXT PRIMARY KEY, at INTEGER NOT NULL, state TEXT NOT NULL);
CREATE TABLE events (
    game TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (game, number)
);

-- Games are numbered in each place, in the order in which they came there.
CREATE TABLE bindings (
    place TEXT NOT NULL, game TEXT NOT NULL, server TEXT NOT NULL, current INTEGER NOT NULL,
    removed REAL, number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (place, game)
) WITHOUT ROWID;
CREATE UNIQUE INDEX bindings_current ON bindings (place) WHERE current;
CREATE INDEX bindings_game ON bindings (game);
CREATE INDEX bindings_server ON bindings (server);
CREATE INDEX bindings_removed ON bindings (removed) WHERE removed IS NOT NULL;

CREATE TABLE persons (
    game TEXT NOT NULL, person TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (game, person)
) WITHOUT ROWID;
CREATE INDEX persons_user ON persons (user);
CREATE TABLE texts (
    game TEXT NOT NULL, event INTEGER NOT NULL, key TEXT NOT NULL, salt TEXT NOT NULL,
    text TEXT NOT NULL, person TEXT NOT NULL,
    PRIMARY KEY (game, event, key)
) WITHOUT ROWID;
CREATE TABLE seeds (
    game TEXT NOT NULL, epoch INTEGER NOT NULL, seed BLOB NOT NULL, commitment TEXT NOT NULL,
    first_event INTEGER NOT NULL, texts TEXT NOT NULL, digest TEXT NOT NULL, revealed INTEGER,
    PRIMARY KEY (game, epoch)
) WITHOUT ROWID;
CREATE TABLE requests (
    id TEXT PRIMARY KEY, game TEXT, user TEXT NOT NULL, reply TEXT NOT NULL, at REAL NOT NULL
);
CREATE TABLE tombstones (id TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;

-- `about` names what a message says (GAME/41), `amends` the message that an entry changes. `shown`
-- remembers where messages are, in the adapter's own words, so that they can be changed when what
-- they say no longer holds. `home` is the channel whose game it is, if the message is in a thread.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, place TEXT NOT NULL, reply TEXT,
    delivery TEXT NOT NULL, due REAL NOT NULL, attempts INTEGER NOT NULL, created REAL NOT NULL,
    about TEXT NOT NULL DEFAULT '', amends TEXT NOT NULL DEFAULT '', home TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_about ON outbox (about) WHERE about <> '';
CREATE INDEX outbox_amends ON outbox (amends) WHERE amends <> '';
CREATE TABLE shown (
    about TEXT NOT NULL, place TEXT NOT NULL, spot TEXT NOT NULL, request TEXT NOT NULL,
    PRIMARY KEY (about, place, spot)
) WITHOUT ROWID;

CREATE TABLE docs (
    kind TEXT NOT NULL, key TEXT NOT NULL, data TEXT NOT NULL, expires REAL, owner TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX docs_expires ON docs (expires) WHERE expires IS NOT NULL;
CREATE INDEX docs_owner ON docs (owner) WHERE owner <> '';

-- What has to happen at a time: reminders, sealed orders that open. A key begins with its game.
CREATE TABLE due (
    key TEXT PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    owner TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX due_at ON due (at);
CREATE INDEX due_owner ON due (owner) WHERE owner <> '';

-- By what the events of a long log are found: made from it, block by block, on the first search.
CREATE TABLE marks (
    game TEXT NOT NULL, mark TEXT NOT NULL, block INTEGER NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (game, mark, block)
) WITHOUT ROWID;
