-- +goose Up

-- It says the same as before in cheaper words: without a query of its own, an expression
-- that is planned once a connection. Every address that is handed out asks for it. The
-- file's path has the database's number in it. The table is looked up by its name each time, since
-- a plan outlives a table that is made anew. Since the words are others, what was
-- decided before is decided anew once.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION database_instance() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || to_regclass('witnesses')::oid::text || '/' || pg_relation_filepath(to_regclass('witnesses'));
END
$$;
-- +goose StatementEnd
