#!/usr/bin/env bash
# Runs every test: first those of all packages but e2e, then e2e, which has the machine
# to itself. A failed test runs once again by itself. If it then passes, the run calls it
# flaky, and the run still fails.
#
#	tools/test-all.sh SEED [FOLDER/TestName]
set -euo pipefail
cd "$(dirname "$0")/.."
seed=$1 only=${2:-} cost=${COST:-$PWD/.dev/cost} out=$PWD/.dev/results
rm -rf "$out" "$cost" && mkdir -p "$out"
failed=0

# tests NAME PACKAGES [FLAG…] runs tests and keeps their results as $out/NAME.xml (JUnit).
tests() {
	local name=$1 packages=$2
	shift 2
	.dev/bin/measure "$cost" "$name" .dev/bin/gotestsum --format pkgname --hide-summary skipped \
		--junitfile "$out/$name.xml" --jsonfile "$out/$name.json" \
		--rerun-fails=1 --rerun-fails-max-failures=50 --rerun-fails-report "$out/$name.flaky" --packages "$packages" \
		-- -count=1 -vet=off -timeout 90m -shuffle="$seed" -exec "$PWD/.dev/bin/measure $cost ." "$@" || failed=1
}

export TEST_SEED=$seed # tools/testseed
printf 'The order of tests and their random cases come from this seed: make test-all seed=%s\n' "$seed"
if [[ -n $only ]]; then
	tests only "./${only%/Test*}" -run "^Test${only##*/Test}\$"
else
	# The two longest begin first, so that none of them runs at the end alone.
	longest='/(api/merchant|internal/chain)$'
	all=$(go list ./... | grep -v '/e2e$')
	tests packages "$(grep -E "$longest" <<<"$all" | tr '\n' ' ') $(grep -vE "$longest" <<<"$all" | tr '\n' ' ')"
	tests e2e ./e2e
fi

.dev/bin/measure -table "$cost"
if grep -hs . "$out"/*.flaky; then
	echo 'Flaky: the tests above failed, and some passed when they ran again. docs/flakes.md says how to mend them.'
	failed=1
fi
exit $failed
