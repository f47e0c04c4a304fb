-- +goose Up

-- It answers the same words as before, without a query of its own: an expression, which
-- is planned once a connection. Every address that is handed out asks for it. The
-- database's number is the directory of the table's file. The table is looked up by its name
-- each time, since a plan outlives a table that is made anew.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION database_instance() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || substring(pg_relation_filepath(to_regclass('witnesses')) FROM '([0-9]+)/[0-9]+$')
        || '/' || to_regclass('witnesses')::oid::text || '/' || pg_relation_filenode(to_regclass('witnesses'))::text;
END
$$;
-- +goose StatementEnd
