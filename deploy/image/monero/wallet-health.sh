#!/bin/sh
# Succeeds when the wallet answers. A wallet does one thing at a time: while it
# builds a transaction the answer takes seconds.
#   wallet-health.sh URL
set -eu
printf 'user = "%s"\n' "$(cat "$WALLET_LOGIN_FILE")" |
	curl -fsS --max-time 50 --digest --config - -o /dev/null \
		-H 'Content-Type: application/json' \
		-d '{"jsonrpc":"2.0","id":"health","method":"get_version"}' "$1/json_rpc"
