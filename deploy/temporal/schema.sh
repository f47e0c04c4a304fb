#!/bin/sh
# Brings Temporal's two databases to the schema of this release, which the tool
# holds.
set -eu
SQL_PASSWORD=$(cat "${SECRETS_DIR:-/run/secrets}"/temporal-db-password)
export SQL_PASSWORD

for db in temporal:temporal temporal_visibility:visibility; do
	tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_SEEDS -p ${DB_PORT:-5432} -u temporal --db ${db%:*}"
	$tool setup-schema -v 0.0
	$tool update-schema --schema-name "postgresql/v12/${db#*:}"
done
