#!/bin/sh
# Makes the passwords of a new installation in ./secrets, as files that only
# the containers' user can read. Files that exist are left alone. Run it as
# root, from the repository.
#   deploy/secrets.sh [FOLDER]
set -eu
umask 077
dir=${1:-secrets}
mkdir -p "$dir/keys" "$dir/mail" "$dir/merchant-providers" "$dir/exchange-providers"

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# put NAME VALUE
put() { [ -e "$dir/$1" ] || printf '%s\n' "$2" >"$dir/$1"; }

for name in postgres-password durapay-db-password temporal-db-password wallet-password; do
	put "$name" "$(random)"
done
put wallet-login "durapay:$(random)"
# Each wallet has a login of its own. Wallets that were listed before that share
# one, which then is everybody's until the list names the new files.
for name in live-spend sandbox exchange-spend; do
	if grep -qs '/wallet-login"' "$dir/wallets.json"; then
		put "$name-login" "$(cat "$dir/wallet-login")"
	else
		put "$name-login" "durapay:$(random)"
	fi
done
put stagenet-login "durapay:$(random)"
put litecoin-login "durapay:$(random)"
put litecoin-passphrase "$(random)"
put pgpass "postgres:5432:*:durapay:$(cat "$dir/durapay-db-password")"
put pgpass-admin "postgres:5432:*:postgres:$(cat "$dir/postgres-password")"

# The user of every container that reads them.
[ "$(id -u)" -ne 0 ] || chown -R 65532:65532 "$dir"
