#!/bin/bash
# Starts the server as the official image does: as root it takes its folder and
# becomes the user postgres, an empty folder becomes a cluster whose superuser
# has the password of POSTGRES_PASSWORD_FILE, and hosts need passwords.
set -euo pipefail
if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then
	POSTGRES_PASSWORD=$(cat "$POSTGRES_PASSWORD_FILE")
	export POSTGRES_PASSWORD
	unset POSTGRES_PASSWORD_FILE
fi
if [ "$(id -u)" = 0 ]; then
	mkdir -p "$PGDATA"
	chmod 0700 "$PGDATA"
	chmod 3775 /var/run/postgresql
	find "$PGDATA" /var/run/postgresql ! -user postgres -exec chown postgres '{}' +
	exec gosu postgres "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	# The arguments are words, as in the official image.
	# shellcheck disable=SC2086
	initdb --username=postgres --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") ${POSTGRES_INITDB_ARGS:-}
	printf '\nhost all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
fi
unset POSTGRES_PASSWORD
exec "$@"
