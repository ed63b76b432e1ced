-- What a commit does, carried out in the server: a whole batch of commits is one message to it and one flush.
-- Replaced whenever schema.py counts further. Times are Unix seconds and come from the bot's clock.

-- What is kept of a request whose answer was deleted.
CREATE OR REPLACE FUNCTION grognard_tombstone(request text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT encode(sha256(convert_to(request, 'UTF8')), 'hex') $$;

-- Delete the requests of a game or user (but one) with their answers; a tombstone stays, so that none runs again when
-- it is delivered again.
CREATE OR REPLACE FUNCTION grognard_bury(of_game text, of_user text, but text, now double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    theirs text[];
BEGIN
    SELECT array_agg(id) INTO theirs FROM requests
    WHERE (game = of_game OR "user" = of_user) AND id IS DISTINCT FROM but;
    INSERT INTO tombstones SELECT grognard_tombstone(id), now FROM unnest(theirs) AS id
    ON CONFLICT (id) DO UPDATE SET at = excluded.at;
    DELETE FROM outbox WHERE request = ANY (theirs);
    UPDATE shown SET request = '' WHERE request = ANY (theirs);
    DELETE FROM requests WHERE id = ANY (theirs);
END $$;

CREATE OR REPLACE FUNCTION grognard_erase(which text, now double precision) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM games WHERE id = which;
    PERFORM grognard_bury(which, NULL, NULL, now);
    DELETE FROM snapshots WHERE game = which;
    DELETE FROM events WHERE game = which;
    DELETE FROM marks WHERE game = which;
    DELETE FROM bindings WHERE game = which;
    DELETE FROM persons WHERE game = which;
    DELETE FROM texts WHERE game = which;
    DELETE FROM seeds WHERE game = which;
    DELETE FROM shown WHERE about > which || '/' AND about < which || '0'; -- "0" follows on "/"
    DELETE FROM due WHERE key > which || '/' AND key < which || '0';
END $$;

-- Delete who a user is, what they wrote and what they were answered; the chain keeps only hashes.
CREATE OR REPLACE FUNCTION grognard_forget(who text, but text, now double precision) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM texts USING persons
    WHERE persons."user" = who AND texts.game = persons.game AND texts.person = persons.person;
    UPDATE seeds SET texts = '[]' WHERE game IN (SELECT game FROM persons WHERE "user" = who);
    DELETE FROM persons WHERE "user" = who;
    DELETE FROM docs WHERE owner = who;
    DELETE FROM due WHERE owner = who AND owner <> '';
    -- Messages that no longer hold because of what they did are changed all the same, and say that alone.
    UPDATE outbox SET request = '', reply = '{"title":' || (outbox.reply::json -> 'over')::text
        || coalesce(',"tone":' || (outbox.reply::json -> 'tone')::text, '') || '}'
    FROM requests
    WHERE requests.id = outbox.request AND requests."user" = who AND amends <> '' AND outbox.reply IS NOT NULL
        AND (outbox.reply::json -> 'over')::text NOT IN ('""', 'null');
    PERFORM grognard_bury(NULL, who, but, now);
END $$;

-- Move one game on, if it is still where it was loaded.
CREATE OR REPLACE FUNCTION grognard_change(c jsonb, now double precision) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    done bigint;
BEGIN
    IF c -> 'last' IS NULL THEN
        UPDATE games SET version = version + 1, updated = now
        WHERE id = c ->> 'game' AND version = (c ->> 'version')::bigint;
    ELSIF c ->> 'version' = '0' THEN
        INSERT INTO games VALUES (c ->> 'game', 1, (c ->> 'last')::bigint + 1, c ->> 'head', now, now)
        ON CONFLICT DO NOTHING;
    ELSE
        UPDATE games
        SET version = version + 1, next_event = (c ->> 'last')::bigint + 1, head = c ->> 'head', updated = now
        WHERE id = c ->> 'game' AND version = (c ->> 'version')::bigint AND next_event = (c ->> 'first')::bigint;
    END IF;
    GET DIAGNOSTICS done = ROW_COUNT;
    IF done = 0 THEN
        RAISE EXCEPTION '%', c ->> 'game' USING ERRCODE = 'GR001';
    END IF;
    IF c ? 'events' THEN
        INSERT INTO events SELECT c ->> 'game', (e ->> 0)::bigint, e ->> 1, e ->> 2
        FROM jsonb_array_elements(c -> 'events') AS e;
    END IF;
    IF c ? 'state' THEN
        INSERT INTO snapshots
        SELECT id, next_event - 1, c ->> 'state' FROM games WHERE id = c ->> 'game'
        ON CONFLICT (game) DO UPDATE SET at = excluded.at, state = excluded.state;
    END IF;
END $$;

-- Let a place play another game. The line of the old one stays where another takes its place: it can be listed and
-- taken up again, and the removal of a server finds it.
CREATE OR REPLACE FUNCTION grognard_bind(b jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    here text;
BEGIN
    SELECT game INTO here FROM bindings WHERE place = b ->> 'place' AND current FOR UPDATE;
    IF here IS DISTINCT FROM (b ->> 'was') THEN
        RAISE EXCEPTION '%', b ->> 'place' USING ERRCODE = 'GR001';
    END IF;
    IF b ->> 'game' IS NULL THEN
        DELETE FROM bindings WHERE place = b ->> 'place' AND current;
    ELSE
        -- only what was read above: another process may have given this place a game since
        UPDATE bindings SET current = false WHERE place = b ->> 'place' AND game = here;
    END IF;
    IF here IS NOT NULL AND here IS DISTINCT FROM (b ->> 'game') THEN
        UPDATE games SET version = version + 1 WHERE id = here;
    END IF;
    IF b ->> 'game' IS NOT NULL THEN
        BEGIN
            INSERT INTO bindings SELECT b ->> 'place', b ->> 'game', b ->> 'server', true, NULL,
                (SELECT coalesce(max(number), 0) + 1 FROM bindings WHERE place = b ->> 'place')
            ON CONFLICT (place, game) DO UPDATE SET server = excluded.server, current = true, removed = NULL;
        EXCEPTION WHEN unique_violation THEN -- another process was faster to give this place a game
            RAISE EXCEPTION '%', b ->> 'place' USING ERRCODE = 'GR001';
        END;
    END IF;
    IF (b ->> 'alone')::boolean THEN
        DELETE FROM bindings WHERE game = b ->> 'game' AND NOT current;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION grognard_put_doc(d jsonb) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO docs VALUES (d ->> 'kind', d ->> 'key', d ->> 'data', (d ->> 'expires')::double precision, d ->> 'owner')
    ON CONFLICT (kind, key) DO UPDATE
    SET data = excluded.data, expires = excluded.expires, owner = excluded.owner
$$;

-- Persons, texts, seeds, documents, and what is due.
CREATE OR REPLACE FUNCTION grognard_side_rows(c jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    line jsonb;
BEGIN
    INSERT INTO persons SELECT p ->> 0, p ->> 1, p ->> 2, p ->> 3 FROM jsonb_array_elements(c -> 'persons') AS p
    ON CONFLICT (game, person) DO UPDATE SET "user" = excluded."user", name = excluded.name;
    INSERT INTO texts SELECT t ->> 0, (t ->> 1)::bigint, t ->> 2, t ->> 3, t ->> 4, t ->> 5
    FROM jsonb_array_elements(c -> 'texts') AS t
    ON CONFLICT (game, event, key) DO UPDATE
    SET salt = excluded.salt, text = excluded.text, person = excluded.person;
    INSERT INTO seeds SELECT s ->> 0, (s ->> 1)::bigint, decode(s ->> 2, 'hex'), s ->> 3, (s ->> 4)::bigint, s ->> 5,
        s ->> 6, (s ->> 7)::bigint
    FROM jsonb_array_elements(c -> 'seeds') AS s
    ON CONFLICT (game, epoch) DO UPDATE
    SET seed = excluded.seed, commitment = excluded.commitment, first_event = excluded.first_event,
        texts = excluded.texts, digest = excluded.digest, revealed = excluded.revealed;
    FOR line IN SELECT jsonb_array_elements(c -> 'drop_docs') LOOP
        DELETE FROM docs WHERE kind = line ->> 0 AND key = line ->> 1;
        IF NOT FOUND THEN
            RAISE EXCEPTION '% %', line ->> 0, line ->> 1 USING ERRCODE = 'GR001';
        END IF;
    END LOOP;
    FOR line IN SELECT jsonb_array_elements(c -> 'docs') LOOP
        PERFORM grognard_put_doc(line);
    END LOOP;
    FOR line IN SELECT jsonb_array_elements(c -> 'drop_due') LOOP
        DELETE FROM due WHERE key = line ->> 0 AND coalesce(at = (line ->> 1)::double precision, true);
        IF NOT FOUND AND line ->> 1 IS NOT NULL THEN
            RAISE EXCEPTION 'due %', line ->> 0 USING ERRCODE = 'GR001';
        END IF;
    END LOOP;
    FOR line IN SELECT jsonb_array_elements(c -> 'due') LOOP
        INSERT INTO due VALUES (line ->> 0, (line ->> 1)::double precision, line ->> 2, line ->> 3, line ->> 4)
        ON CONFLICT (key) DO UPDATE
        SET at = excluded.at, kind = excluded.kind, data = excluded.data, owner = excluded.owner;
    END LOOP;
END $$;

-- Everything that one command changes: all of it or nothing. Gives {"seen", "reply", "outbox"}; raises GR001 for a
-- conflict, GR002 for a request whose answer was deleted.
CREATE OR REPLACE FUNCTION grognard_commit(c jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    now double precision := c ->> 'now';
    asked text := c ->> 'request';
    before record;
    line jsonb;
    new_id bigint;
    ids jsonb := '[]';
BEGIN
    IF asked IS NOT NULL THEN
        INSERT INTO requests SELECT asked, c #>> '{changes,0,game}', c ->> 'user', c ->> 'reply', now, c ->> 'attempt'
        WHERE NOT EXISTS (
            SELECT FROM tombstones WHERE tombstones.id = c ->> 'stone' AND at >= (c ->> 'since')::double precision
        )
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            SELECT reply, attempt INTO before FROM requests WHERE requests.id = asked;
            IF NOT FOUND THEN
                RAISE EXCEPTION '%', asked USING ERRCODE = 'GR002';
            END IF;
            IF before.attempt = c ->> 'attempt' THEN -- this very commit was carried out before the line broke
                RETURN jsonb_build_object('outbox', (
                    SELECT coalesce(jsonb_agg(outbox.id ORDER BY outbox.id), '[]') FROM outbox WHERE request = asked
                ));
            END IF;
            RETURN jsonb_build_object('seen', true, 'reply', before.reply);
        END IF;
    END IF;
    FOR line IN SELECT jsonb_array_elements(c -> 'erase') LOOP
        PERFORM grognard_erase(line #>> '{}', now);
    END LOOP;
    FOR line IN SELECT jsonb_array_elements(c -> 'changes') LOOP
        PERFORM grognard_change(line, now);
    END LOOP;
    FOR line IN SELECT jsonb_array_elements(c -> 'bindings') LOOP
        PERFORM grognard_bind(line);
    END LOOP;
    IF c ? 'side' THEN
        PERFORM grognard_side_rows(c -> 'side');
        DELETE FROM outbox WHERE about IN (SELECT jsonb_array_elements_text(c #> '{side,withdraw}'))
        AND about <> '' AND amends = '' AND (attempts < 0 OR (attempts = 0 AND due <= now)); -- nobody posts it yet
    END IF;
    IF c ? 'pressed' THEN -- a message that is known is about something else: a board with an Undo
        line := c -> 'pressed';
        INSERT INTO shown SELECT line ->> 0, line ->> 1, line ->> 2,
            coalesce((SELECT request FROM shown WHERE about = line ->> 0 AND request <> '' LIMIT 1), '')
        WHERE NOT EXISTS (
            SELECT FROM shown WHERE about > split_part(line ->> 0, '/', 1) || '/'
            AND about < split_part(line ->> 0, '/', 1) || '0' AND place = line ->> 1 AND spot = line ->> 2
        );
    END IF;
    FOR line IN SELECT jsonb_array_elements(c -> 'forget') LOOP
        PERFORM grognard_forget(line #>> '{}', asked, now);
    END LOOP;
    FOR line IN SELECT jsonb_array_elements(c -> 'outbox') LOOP
        IF line ->> 'amends' <> '' THEN -- what nobody has begun to change is changed once, to how it is now
            DELETE FROM outbox WHERE amends = line ->> 'amends' AND place = line ->> 'place' AND attempts <= 0;
        END IF;
        INSERT INTO outbox (request, place, reply, delivery, due, created, about, amends, home)
        VALUES (coalesce(asked, ''), line ->> 'place', line ->> 'reply', line ->> 'delivery',
            (line ->> 'due')::double precision, now, line ->> 'about', line ->> 'amends', line ->> 'home')
        RETURNING id INTO new_id;
        ids := ids || to_jsonb(new_id);
    END LOOP;
    RETURN jsonb_build_object('outbox', ids);
END $$;

-- Take answers out of the outbox; where those are that are about something is remembered.
CREATE OR REPLACE FUNCTION grognard_posted(ids bigint[], where_it_is text) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO shown SELECT about, coalesce(nullif(home, ''), place), where_it_is, max(request) FROM outbox
    WHERE id = ANY (ids) AND about <> '' GROUP BY 1, 2
    ON CONFLICT (about, place, spot) DO UPDATE SET request = excluded.request;
    DELETE FROM outbox WHERE id = ANY (ids);
$$;

-- One write of a batch.
CREATE OR REPLACE FUNCTION grognard_write(job jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    kind text := job ->> 0;
    c jsonb := job -> 1;
BEGIN
    IF kind = 'commit' THEN
        RETURN grognard_commit(c);
    ELSIF kind = 'posted' THEN
        PERFORM grognard_posted(ARRAY(SELECT jsonb_array_elements_text(c -> 'ids')::bigint), c ->> 'spot');
    ELSIF kind = 'retry' THEN
        UPDATE outbox SET due = (c ->> 'due')::double precision,
            attempts = CASE WHEN (c ->> 'held')::boolean THEN abs(attempts) ELSE -abs(attempts) END
        WHERE id IN (SELECT jsonb_array_elements_text(c -> 'ids')::bigint);
    ELSIF kind = 'put_doc' THEN
        PERFORM grognard_put_doc(c);
    ELSIF kind = 'note' THEN
        INSERT INTO receipts (id, place, "user", command, until, due)
        VALUES (c ->> 'id', c ->> 'place', c ->> 'user', c ->> 'command', (c ->> 'until')::double precision,
            (c ->> 'due')::double precision)
        ON CONFLICT DO NOTHING;
        RETURN to_jsonb(FOUND);
    ELSIF kind = 'drop' THEN
        DELETE FROM receipts WHERE id IN (SELECT jsonb_array_elements_text(c));
    ELSE
        RAISE EXCEPTION 'no such write: %', kind;
    END IF;
    RETURN 'null';
END $$;

-- A batch of writes, each of which fails alone: per job its outcome, or {"code", "message"} of what undid it.
CREATE OR REPLACE FUNCTION grognard_batch(jobs jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $$
DECLARE
    job jsonb;
    outcomes jsonb := '[]';
BEGIN
    PERFORM FROM grognard_schema; -- whoever changes the tables locks that one first: batches wait before they hold any
    FOR job IN SELECT jsonb_array_elements(jobs) LOOP
        BEGIN
            outcomes := outcomes || jsonb_build_array(jsonb_build_object('done', grognard_write(job)));
        EXCEPTION WHEN OTHERS THEN
            outcomes := outcomes || jsonb_build_array(jsonb_build_object('code', SQLSTATE, 'message', SQLERRM));
        END;
    END LOOP;
    RETURN outcomes;
END $$;
