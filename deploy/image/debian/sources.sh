#!/bin/sh
# Lets apt see Debian's packages as they were at a time, so that an image that is
# built again has the same ones. Release files of the past have expired by
# date; their signatures are checked as ever.
#   DEBIAN_SNAPSHOT=20261115T000000Z sources.sh
set -eu
root=${ROOT:-}
. "$root/etc/os-release"
case $DEBIAN_SNAPSHOT in
[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z) ;;
*)
	echo "DEBIAN_SNAPSHOT must be like 20261115T000000Z" >&2
	exit 1
	;;
esac
rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
at=http://snapshot.debian.org/archive
cat >"$root/etc/apt/sources.list" <<LIST
deb [check-valid-until=no] $at/debian/$DEBIAN_SNAPSHOT $VERSION_CODENAME main
deb [check-valid-until=no] $at/debian/$DEBIAN_SNAPSHOT $VERSION_CODENAME-updates main
deb [check-valid-until=no] $at/debian-security/$DEBIAN_SNAPSHOT $VERSION_CODENAME-security main
LIST
