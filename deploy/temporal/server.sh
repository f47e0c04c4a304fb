#!/bin/sh
# Starts the server with the database's password from its file. The container is
# in two networks and has an address in each; the server calls itself at one.
set -eu
POSTGRES_PWD=$(cat "${SECRETS_DIR:-/run/secrets}"/temporal-db-password)
TEMPORAL_BROADCAST_ADDRESS=$(getent hosts "$(hostname)" | awk 'NR == 1 { print $1 }')
export POSTGRES_PWD TEMPORAL_BROADCAST_ADDRESS
exec /etc/temporal/entrypoint.sh
