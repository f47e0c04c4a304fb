#!/bin/sh
# Says which known holes of dependencies the code can reach: exit 1 then. The
# list of holes is that of the Go project, or GOVULNDB (https://… or file://…);
# it is not reachable from every machine, and then nothing is checked, which is
# said and is no error.
#   check.sh GOVULNCHECK [PACKAGES]
set -eu
tool=$1
shift
list=${GOVULNDB:-https://vuln.go.dev}
status=0
found=$(nice "$tool" -db "$list" "${@:-./...}" 2>&1) || status=$?
case $status in
0) echo "No known hole in what the code uses ($list)" ;;
3)
	echo "$found"
	echo "Dependencies have known holes: renew them (go get MODULE@VERSION)"
	exit 1
	;;
*)
	# Anything but the list that cannot be fetched is a failure of the check.
	if echo "$found" | grep -Eq 'fetching vulnerabilities|dial tcp|no such host|proxyconnect|connection refused|i/o timeout|HTTP GET .* returned'; then
		echo "Known holes of dependencies are NOT checked: $list cannot be reached"
		exit 0
	fi
	echo "$found"
	exit 1
	;;
esac
