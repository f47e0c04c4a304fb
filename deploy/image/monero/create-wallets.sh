#!/bin/sh
# Makes the wallets of a new installation: for live, for the sandbox and for the
# exchange. Shows the seeds once, on the terminal; writes the view keys, the addresses, wallets.json and exchange-wallets.json. What exists is left
# alone. With NETWORK=stagenet it makes the sandbox's wallet on that network alone,
# and a list with the live wallet and it, wallets-stagenet.json.
#   create-wallets.sh RESTORE_HEIGHT
set -eu
umask 077
height=${1:?the height of the chain today}
keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT

cli() {
	monero-wallet-cli ${NETWORK:+"--$NETWORK"} --offline --no-dns --daemon-ssl disabled --password-file "$WALLET_PASSWORD_FILE" \
		--restore-height "$height" --subaddress-lookahead 1:1 \
		--mnemonic-language English --use-english-language-names \
		--shared-ringdb-dir "$keys/ringdb" --log-file /dev/null --command wallet_info "$@"
}

# restored FILE <SEED: a new wallet begins at the height that the machine's clock
# says, whatever it is told; one that is made again of its seed heeds the height.
restored() {
	{ tr '\n' ' ' && printf '\n\n'; } | cli --restore-deterministic-wallet --generate-new-wallet "$1" >/dev/null
}

# create NAME FILE
create() {
	if [ -e "$2.keys" ]; then
		echo "$1: $2 exists, nothing is changed"
		return
	fi
	cli --generate-new-wallet "$keys/$1-new" </dev/null >"$keys/$1"
	sed -n 's/^Generated new wallet: //p' "$keys/$1" >"$SECRETS_DIR/$1-address"
	sed -n 's/^View key: //p' "$keys/$1" >"$SECRETS_DIR/$1-view-key"
	sed -n '/25 words/,/^\*\*/p' "$keys/$1" | sed '1,2d;$d' >"$keys/$1-seed"
	# The words come first: once the file exists, nobody is shown them again.
	echo "== $1: write these 25 words on paper; they are the money${NETWORK:+ of a test network} =="
	cat "$keys/$1-seed"
	restored "$2" <"$keys/$1-seed"
}

# entry NAME PROCESS [MODE]: the process, which names its login too
entry() {
	cat <<-JSON
		  {
		    "id": "$1",
		    "mode": "${3:-$1}",
		    "primary_address": "$(cat "$SECRETS_DIR/$1-address")",
		    "view_key_file": "/run/secrets/$1-view-key",
		    "spend_url": "http://wallet-$2:18082",
		    "login_file": "/run/secrets/$2-login"
		  }
	JSON
}

if [ -n "${NETWORK:-}" ]; then
	create "$NETWORK" "$WALLETS_DIR/$NETWORK/wallet"
	[ -e "$SECRETS_DIR/wallets-$NETWORK.json" ] || printf '[\n%s,\n%s\n]\n' \
		"$(entry live live-spend)" \
		"$(entry "$NETWORK" "$NETWORK" sandbox)" >"$SECRETS_DIR/wallets-$NETWORK.json"
	exit
fi

create live "$WALLETS_DIR/live-spend/wallet"
create exchange "$WALLETS_DIR/exchange-spend/wallet"
create sandbox "$WALLETS_DIR/sandbox/wallet"

[ -e "$SECRETS_DIR/wallets.json" ] || {
	printf '[\n%s,\n%s\n]\n' \
		"$(entry live live-spend)" \
		"$(entry sandbox sandbox)" >"$SECRETS_DIR/wallets.json"
}

[ -e "$SECRETS_DIR/exchange-wallets.json" ] || cat >"$SECRETS_DIR/exchange-wallets.json" <<-JSON
	[
	  {
	    "ticker": "xmr",
	    "network": "Mainnet",
	    "confirmations": 10,
	    "monero": {
	      "primary_address": "$(cat "$SECRETS_DIR/exchange-address")",
	      "view_key_file": "/run/secrets/exchange-view-key",
	      "spend_url": "http://wallet-exchange-spend:18082",
	      "login_file": "/run/secrets/exchange-spend-login"
	    }
	  },
	  {
	    "ticker": "ltc",
	    "network": "Mainnet",
	    "confirmations": 2,
	    "daemon": {
	      "url": "http://litecoind:9332",
	      "login_file": "/run/secrets/litecoin-login",
	      "p2p_address": "172.30.83.12:9333",
	      "wallet": "exchange",
	      "passphrase_file": "/run/secrets/litecoin-passphrase"
	    }
	  }
	]
JSON
