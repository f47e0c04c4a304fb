#!/bin/sh
# Builds the programs of one of Temporal's images from the Go module proxy, once,
# and puts them into FOLDER with the files of their modules that the image has.
#   temporal.sh IMAGE VERSION FOLDER
set -eu
image=$1
version=$2
out=$3
mkdir -p "$out"
export CGO_ENABLED=0

# program FILE PACKAGE MODULE: a module's program, at the image's version.
program() {
	[ -x "$out/$1" ] && return
	GOFLAGS='-buildvcs=false -trimpath -ldflags=-s' GOBIN="$out/bin.$1" go install "$3/$2@v$version"
	mv "$out/bin.$1/$(basename "$2")" "$out/$1"
	rmdir "$out/bin.$1"
}

# files MODULE: where the module's files are.
files() { (cd / && go mod download -json "$1@v$version") | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }

# copy SOURCE NAME
copy() {
	rm -rf "${out:?}/$2"
	cp -R "$1" "$out/$2"
	chmod -R u+w "$out/$2"
}

case $image in
temporalio/server)
	program temporal-server cmd/server go.temporal.io/server
	copy "$(files go.temporal.io/server)/docker/scripts/sh/entrypoint.sh" entrypoint.sh
	;;
temporalio/admin-tools)
	program temporal-sql-tool cmd/tools/sql go.temporal.io/server
	copy "$(files go.temporal.io/server)/schema" schema
	cp -u .dev/bin/temporal "$out/temporal"
	;;
temporalio/ui)
	# The checksum database does not know the release that the compose file names.
	version=2.54.0
	program ui-server cmd/server github.com/temporalio/ui-server/v2
	copy "$(files github.com/temporalio/ui-server/v2)/docker/start-ui-server.sh" start-ui-server.sh
	copy "$(files github.com/temporalio/ui-server/v2)/config/docker.yaml" docker.yaml
	;;
esac
