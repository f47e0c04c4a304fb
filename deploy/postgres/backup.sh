#!/bin/sh
# Dumps the databases into a new folder under FOLDER, with the settings, and
# copies the keys and passwords into one under SECRETS_FOLDER: keep the two apart,
# since together they can be read. Run it from the installation's folder.
#   deploy/postgres/backup.sh FOLDER SECRETS_FOLDER
# DATABASES names other databases; RUN is what runs pg_dump, empty for the
# machine's own with libpq's environment.
set -eu
umask 077
now=$(date -u +%Y%m%dT%H%M%SZ)
dumps=${1:?a folder for the databases}/$now
keys=${2:?a folder for the secrets}/$now
mkdir -p "$dumps" "$keys"
for db in ${DATABASES:-durapay temporal temporal_visibility}; do
	${RUN-docker compose exec -T -u postgres postgres} pg_dump --format=custom "$db" >"$dumps/$db.unfinished"
	mv "$dumps/$db.unfinished" "$dumps/$db.dump"
done
mkdir "$dumps/settings"
for file in .env durapay.env docker-compose.override.yml; do
	[ ! -e "$file" ] || cp "$file" "$dumps/settings/"
done
cp -Rp "${SECRETS_DIR:-secrets}/." "$keys"
case " ${DATABASES:-durapay temporal temporal_visibility} " in
*" durapay "*) ${RUN-docker compose exec -T -u postgres postgres} psql --no-psqlrc --quiet --command='INSERT INTO backups DEFAULT VALUES' durapay ;;
esac
printf '%s\n' "$dumps"
