-- The tables as the first release makes them. A later change is a step of its own in schema.py.
-- Keys sort and compare by their bytes, whatever the language of the server: hence COLLATE "C".

CREATE TABLE games (
    id text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, next_event bigint NOT NULL, head text NOT NULL,
    created double precision NOT NULL, updated double precision NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE snapshots (
    game text COLLATE "C" PRIMARY KEY, at bigint NOT NULL, state text NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE events (
    game text COLLATE "C" NOT NULL, number bigint NOT NULL, body text NOT NULL, hash text NOT NULL,
    PRIMARY KEY (game, number)
);

CREATE TABLE bindings (
    place text COLLATE "C" NOT NULL, game text COLLATE "C" NOT NULL, server text COLLATE "C" NOT NULL,
    current boolean NOT NULL, removed double precision, number bigint NOT NULL,
    PRIMARY KEY (place, game)
);
CREATE UNIQUE INDEX bindings_current ON bindings (place) WHERE current;
CREATE INDEX bindings_game ON bindings (game);
CREATE INDEX bindings_server ON bindings (server);
CREATE INDEX bindings_removed ON bindings (removed) WHERE removed IS NOT NULL;

CREATE TABLE persons (
    game text COLLATE "C" NOT NULL, person text COLLATE "C" NOT NULL, "user" text COLLATE "C" NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (game, person)
);
CREATE INDEX persons_user ON persons ("user");

CREATE TABLE texts (
    game text COLLATE "C" NOT NULL, event bigint NOT NULL, key text COLLATE "C" NOT NULL, salt text NOT NULL,
    text text NOT NULL, person text COLLATE "C" NOT NULL,
    PRIMARY KEY (game, event, key)
);

CREATE TABLE seeds (
    game text COLLATE "C" NOT NULL, epoch bigint NOT NULL, seed bytea NOT NULL, commitment text NOT NULL,
    first_event bigint NOT NULL, texts text NOT NULL, digest text NOT NULL, revealed bigint,
    PRIMARY KEY (game, epoch)
);

-- `attempt` tells a commit that was sent twice, since the line broke before its outcome was known, from a request
-- that came twice.
CREATE TABLE requests (
    id text COLLATE "C" PRIMARY KEY, game text COLLATE "C", "user" text COLLATE "C" NOT NULL, reply text NOT NULL,
    at double precision NOT NULL, attempt text NOT NULL
);
CREATE INDEX requests_at ON requests USING brin (at);
CREATE TABLE tombstones (id text COLLATE "C" PRIMARY KEY, at double precision NOT NULL);

-- `about` names what a message says (GAME/41), `amends` the message that an entry changes; `shown` remembers where
-- messages are, in the adapter's own words. `home` is the channel whose game it is, where the message is in a thread.
CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, request text COLLATE "C" NOT NULL,
    place text COLLATE "C" NOT NULL, reply text, delivery text NOT NULL, due double precision NOT NULL,
    attempts integer NOT NULL DEFAULT 0, created double precision NOT NULL, about text COLLATE "C" NOT NULL,
    amends text COLLATE "C" NOT NULL, home text COLLATE "C" NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX outbox_request ON outbox (request);
CREATE INDEX outbox_about ON outbox (about) WHERE about <> '';
CREATE INDEX outbox_amends ON outbox (amends) WHERE amends <> '';
CREATE TABLE shown (
    about text COLLATE "C" NOT NULL, place text COLLATE "C" NOT NULL, spot text COLLATE "C" NOT NULL,
    request text COLLATE "C" NOT NULL,
    PRIMARY KEY (about, place, spot)
);

CREATE TABLE docs (
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, data text NOT NULL, expires double precision,
    owner text COLLATE "C" NOT NULL,
    PRIMARY KEY (kind, key)
) WITH (fillfactor = 70);
CREATE INDEX docs_expires ON docs (expires) WHERE expires IS NOT NULL;
CREATE INDEX docs_owner ON docs (owner) WHERE owner <> '';

CREATE TABLE due (
    key text COLLATE "C" PRIMARY KEY, at double precision NOT NULL, kind text NOT NULL, data text NOT NULL,
    owner text COLLATE "C" NOT NULL
);
CREATE INDEX due_at ON due (at);
CREATE INDEX due_owner ON due (owner) WHERE owner <> '';

CREATE TABLE receipts (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
    place text COLLATE "C" NOT NULL, "user" text COLLATE "C" NOT NULL, command text NOT NULL,
    until double precision NOT NULL, due double precision NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX receipts_due ON receipts (due);

-- By what the events of a long log are found: made from it, block by block, on the first search.
CREATE TABLE marks (
    game text COLLATE "C" NOT NULL, mark text COLLATE "C" NOT NULL, block bigint NOT NULL, at text NOT NULL,
    PRIMARY KEY (game, mark, block)
);
