-- +goose Up

-- The same words as before, planned once a connection instead of at each call: every
-- address that is handed out asks for them. The table is looked up by its name
-- each time, since a plan outlives a table that is made anew.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION database_instance() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || (SELECT d.oid::text FROM pg_database d WHERE d.datname = current_database())
        || '/' || to_regclass('witnesses')::oid::text || '/' || pg_relation_filenode(to_regclass('witnesses'))::text;
END
$$;
-- +goose StatementEnd
