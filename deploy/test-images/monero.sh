#!/bin/sh
# Makes a release of Monero like that of getmonero.org out of the package of
# Debian's suite sid: the archive in FOLDER/release, and in FOLDER/over what its
# programs need, since Debian's are linked to libraries and the release's are not.
#   monero.sh VERSION FOLDER
set -eu
version=$1
out=$2
libraries=/usr/lib/monero-stand-in
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' --variant=extract --include=monero sid "$work/root"
loader=$work/root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2
name=monero-x86_64-linux-gnu-v$version
mkdir -p "$work/$name" "$out/release" "$out/over$libraries"
for program in monerod monero-wallet-rpc monero-wallet-cli; do
	cp "$work/root/usr/bin/$program" "$work/$name/"
	"$loader" --library-path "$(dirname "$loader")" --list "$work/root/usr/bin/$program" >"$work/needs"
	grep -o "$work/root/[^ ]*" "$work/needs" | while read -r library; do
		cp -L "$library" "$out/over$libraries/"
	done
	patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries" "$work/$name/$program"
done
tar -C "$work" -cjf "$out/release/monero-linux-x64-v$version.tar.bz2" "$name"
