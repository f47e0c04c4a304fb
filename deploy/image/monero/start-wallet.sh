#!/bin/sh
# Serves one wallet file. The login and the wallet's password come from files
# and never stand on a command line, where other processes could read them.
#   start-wallet.sh WALLET_FILE [options of monero-wallet-rpc]
set -eu
umask 077
wallet=$1
shift
settings=$(mktemp)
printf 'rpc-login=%s\n' "$(cat "$WALLET_LOGIN_FILE")" >"$settings"
exec monero-wallet-rpc --config-file "$settings" --wallet-file "$wallet" \
	--password-file "$WALLET_PASSWORD_FILE" --shared-ringdb-dir "$(dirname "$wallet")/ringdb" \
	--rpc-bind-ip "${WALLET_LISTEN:-0.0.0.0}" --rpc-bind-port "${WALLET_PORT:-18082}" --confirm-external-bind \
	--daemon-address "$MONEROD_ADDRESS" \
	--rpc-ssl disabled --daemon-ssl disabled --trusted-daemon --no-dns \
	--disable-rpc-ban --non-interactive --log-file /dev/null --log-level 0 "$@"
