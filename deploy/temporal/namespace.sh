#!/bin/sh
# Makes the namespace and registers the search attributes that operators find
# workflows by. Run twice, the second run changes nothing.
# The command finds the server and the certificates in TEMPORAL_….
set -eu

temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
	temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"

# A namespace is known to the whole server some seconds after it was made.
tries=0
until temporal operator search-attribute create -n "$TEMPORAL_NAMESPACE" \
	--name MerchantId --type Keyword \
	--name ChargeStatus --type Keyword \
	--name AmountXmr --type Keyword \
	--name PayoutStatus --type Keyword \
	--name DeliveryStatus --type Keyword \
	--name WalletId --type Keyword \
	--name TradeStatus --type Keyword \
	--name SwapStatus --type Keyword \
	--name Sandbox --type Bool \
	--name Stuck --type Bool; do
	tries=$((tries + 1))
	[ "$tries" -lt 30 ] || exit 1
	sleep 2
done
