-- Carries out the statements of bot/storage/statements.py: a whole batch of jobs is one message to the server and one
-- flush. Replaced whenever schema.py counts further. Times are Unix seconds and come from the bot's clock.

-- What is kept of a request whose answer was deleted.
CREATE OR REPLACE FUNCTION grognard_tombstone(request text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT encode(sha256(convert_to(request, 'UTF8')), 'hex') $$;

-- What remains of a stored change of a message that no longer holds, where whoever did that is forgotten.
CREATE OR REPLACE FUNCTION grognard_bare(reply text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT '{"title":' || (reply::json -> 'over')::text || coalesce(',"tone":' || (reply::json -> 'tone')::text, '')
        || '}' WHERE (reply::json -> 'over')::text NOT IN ('""', 'null')
$$;

-- A batch of jobs, each of which fails alone: per job its outcome as {"done"}, the row that each step gave, or as
-- {"code", "message"} of what undid it: GR001 and its number, where a step that must touch a row touched none.
-- A step is [EXECUTE of a statement that this connection has prepared, its values, whether it must touch a row]. No
-- plan is made for one set of values.
CREATE OR REPLACE FUNCTION grognard_carry_out(jobs jsonb) RETURNS json
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    job jsonb; step jsonb; touched bigint; given record; rows json[]; outcomes json[] := '{}';
BEGIN
    PERFORM FROM grognard_schema; -- whoever changes the tables locks that one first: batches wait before they hold any
    FOR job IN SELECT jsonb_array_elements(jobs) LOOP
        BEGIN
            rows := '{}';
            FOR step IN SELECT jsonb_array_elements(job) LOOP
                EXECUTE format(step ->> 0, VARIADIC ARRAY(SELECT jsonb_array_elements_text(step -> 1))) INTO given;
                GET DIAGNOSTICS touched = ROW_COUNT;
                IF touched = 0 AND (step -> 2)::boolean THEN
                    RAISE EXCEPTION '%', cardinality(rows) USING ERRCODE = 'GR001';
                END IF;
                rows := array_append(rows, CASE WHEN touched > 0 THEN row_to_json(given) END);
            END LOOP;
            outcomes := array_append(outcomes, json_build_object('done', rows));
        EXCEPTION WHEN OTHERS THEN
            outcomes := array_append(outcomes, json_build_object('code', SQLSTATE, 'message', SQLERRM));
        END;
    END LOOP;
    RETURN array_to_json(outcomes);
END $$;
