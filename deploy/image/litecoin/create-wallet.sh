#!/bin/sh
# Makes the exchange's wallet with encrypted keys, or encrypts those of the one
# that is there. The passphrase comes from a file and never stands on a command
# line. Run twice, the second run changes nothing.
#   create-wallet.sh [options of litecoin-cli]
set -eu
umask 077
settings=$(mktemp)
trap 'rm -f "$settings"' EXIT
login=$(cat "$LITECOIN_LOGIN_FILE")
printf 'rpcuser=%s\nrpcpassword=%s\n' "${login%%:*}" "${login#*:}" >"$settings"
passphrase=$(cat "$LITECOIN_PASSPHRASE_FILE")

# cli ARGS… with further arguments from standard input
cli() { litecoin-cli -conf="$settings" -rpcconnect="$LITECOIN_ADDRESS" -rpcclienttimeout=600 $options "$@"; }
options=$*

if ! cli listwallets </dev/null | grep -q '"exchange"'; then
	printf 'wallet_name=exchange\npassphrase=%s\nload_on_startup=true\n' "$passphrase" |
		cli -stdin -named createwallet >/dev/null
	echo "exchange: made, with encrypted keys; back it up"
elif cli -rpcwallet=exchange getwalletinfo </dev/null | grep -q '"unlocked_until"'; then
	echo "exchange: exists and is encrypted, nothing is changed"
else
	printf '%s\n' "$passphrase" | cli -rpcwallet=exchange -stdin encryptwallet >/dev/null
	echo "exchange: encrypted, with new keys from here on: back it up again, older backups do not have them"
fi
