#!/bin/sh
# Makes the exchange's wallet with encrypted keys, or encrypts those of the one
# that is there. The passphrase comes from a file and never stands on a command
# line. Run twice, the second run changes nothing. With LITECOIN_KEYS a wallet
# that was lost is made again, with so many keys, of the seed on standard input.
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

listed() { cli listwallets </dev/null | grep -q '"exchange"'; }

# restore goes on where an earlier run was cut off.
restore() {
	listed || printf 'wallet_name=exchange\nblank=true\npassphrase=%s\nload_on_startup=true\n' "$passphrase" |
		cli -stdin -named createwallet >/dev/null
	printf '%s\n600\n' "$passphrase" | cli -rpcwallet=exchange -stdin walletpassphrase
	cli -rpcwallet=exchange getwalletinfo </dev/null | grep -q '"hdseedid"' ||
		cli -rpcwallet=exchange -stdin sethdseed true
	cli -rpcwallet=exchange keypoolrefill "$LITECOIN_KEYS" </dev/null
	cli -rpcwallet=exchange walletlock </dev/null
	cli -rpcclienttimeout=0 -rpcwallet=exchange rescanblockchain </dev/null >/dev/null
	# Loaded again, it learns what waits in the pool.
	cli unloadwallet exchange </dev/null >/dev/null
	cli loadwallet exchange true </dev/null >/dev/null
	echo "exchange: made again of its seed"
}

if [ -n "${LITECOIN_KEYS:-}" ]; then
	restore
elif ! listed; then
	printf 'wallet_name=exchange\npassphrase=%s\nload_on_startup=true\n' "$passphrase" |
		cli -stdin -named createwallet >/dev/null
	echo "exchange: made, with encrypted keys; back it up"
elif cli -rpcwallet=exchange getwalletinfo </dev/null | grep -q '"unlocked_until"'; then
	echo "exchange: exists and is encrypted, nothing is changed"
else
	printf '%s\n' "$passphrase" | cli -rpcwallet=exchange -stdin encryptwallet >/dev/null
	echo "exchange: encrypted, with new keys from here on: back it up again, older backups do not have them"
fi
