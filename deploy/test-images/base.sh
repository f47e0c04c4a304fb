#!/bin/sh
# Makes a stand-in of one of Debian's base images out of the suite's packages.
# FOLDER is laid over its files: what the test needs in it and the real image
# has not. Authorities that this machine trusts of its own, as behind a company's
# proxy, are trusted in it, too.
#   base.sh SUITE IMAGE FOLDER
set -eu
suite=$1
image=$2
over=$(cd "$3" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own=/usr/local/share/ca-certificates
mkdir -p "$work/over$own"
[ ! -d "$own" ] || cp -R "$own/." "$work/over$own"
cp -RP "$over/." "$work/over"
# A process of a package's that has not ended yet keeps a mount busy at times.
tries=0
until mmdebstrap --quiet --variant=minbase --customize-hook="cp -RP '$work/over/.' \"\$1\"" "$suite" "$work/root.tar"; do
	tries=$((tries + 1))
	[ "$tries" -lt 3 ] || exit 1
done
docker import --change 'CMD ["bash"]' "$work/root.tar" "$image"
