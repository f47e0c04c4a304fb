#!/bin/sh
# Makes the roles and databases of Durapay and Temporal, or sets the roles'
# passwords anew. Run twice, the second run changes nothing.
set -eu
durapay=$(cat "${SECRETS_DIR:-/run/secrets}"/durapay-db-password)
temporal=$(cat "${SECRETS_DIR:-/run/secrets}"/temporal-db-password)

psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 <<SQL
SELECT 'CREATE ROLE ' || name || ' LOGIN' FROM unnest(ARRAY['durapay', 'temporal']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
ALTER ROLE durapay PASSWORD '$durapay';
ALTER ROLE temporal PASSWORD '$temporal';
SELECT 'CREATE DATABASE ' || db || ' OWNER ' || owner
FROM (VALUES ('durapay', 'durapay'), ('temporal', 'temporal'), ('temporal_visibility', 'temporal')) AS wanted (db, owner)
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = db) \gexec
SQL
