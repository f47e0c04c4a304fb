#!/bin/sh
# Puts Compose and BuildKit's client, which Debian 12 lacks, into FOLDER: the
# programs of Debian 13 need no library.
#   plugins.sh FOLDER
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=extract --include=docker-compose,docker-buildx trixie "$work/root"
mkdir -p "$1"
cp "$work"/root/usr/libexec/docker/cli-plugins/* "$1/"
