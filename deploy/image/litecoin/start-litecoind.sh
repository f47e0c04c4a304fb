#!/bin/sh
# Runs the daemon. The login comes from a file and never stands on a command
# line, where other processes could read it; litecoin-cli finds it with
# -conf=$LITECOIN_SETTINGS_FILE.
#   start-litecoind.sh [options of litecoind]
set -eu
umask 077
login=$(cat "$LITECOIN_LOGIN_FILE")
printf 'rpcuser=%s\nrpcpassword=%s\n' "${login%%:*}" "${login#*:}" >"$LITECOIN_SETTINGS_FILE"
export HOME="$LITECOIN_DIR" # it looks there, whatever it is told
exec litecoind -conf="$LITECOIN_SETTINGS_FILE" -datadir="$LITECOIN_DIR" \
	-server -txindex -upnp=0 -printtoconsole -nodebuglogfile "$@"
