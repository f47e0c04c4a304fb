#!/bin/sh
# Loads the dumps of a folder that backup.sh made into databases that exist and
# are empty. A dump is loaded whole or not at all. Every wallet begins in safe mode
# then: see "Backup and restore" in docs/operations.md.
#   deploy/postgres/restore.sh FOLDER
# DATABASES and RUN are those of backup.sh.
set -eu
for db in ${DATABASES:-durapay temporal temporal_visibility}; do
	${RUN-docker compose exec -T -u postgres postgres} pg_restore --exit-on-error --single-transaction --dbname="$db" <"${1:?a folder with dumps}/$db.dump"
done
