#!/bin/sh
# Starts the server with the database's password from its file.
set -eu
POSTGRES_PWD=$(cat "${SECRETS_DIR:-/run/secrets}"/temporal-db-password)
export POSTGRES_PWD
exec /etc/temporal/entrypoint.sh
