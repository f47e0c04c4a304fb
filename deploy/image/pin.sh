#!/usr/bin/env bash
# Writes the digests of images next to their tags in the compose file and the Dockerfiles, so
# that the tested images are the ones that run: a person with the registry's account can move a
# tag, but not a digest. With the images it updates the date as of which Debian's packages are
# installed.
#
#	pin.sh [FOLDER]          asks the registries and rewrites the files
#	pin.sh -check [FOLDER]   exits with 1 when an image has no digest
set -euo pipefail
check=
if [[ ${1:-} == -check ]]; then
	check=1
	shift
fi
cd "${1:-$(dirname "$0")/../..}"
files=(deploy/image/*.Dockerfile docker-compose.yml)

# The images that are not built here, each after its file's name. Images that are built here are
# named durapay….
references=$(grep -HoE '^(FROM |\s+image: )[a-z0-9][a-z0-9./_-]*:[A-Za-z0-9_][A-Za-z0-9._-]*(@sha256:[0-9a-f]{64})?' "${files[@]}" |
	sed -E 's/:(FROM|\s+image:) /: /' | grep -v ': durapay')

if [[ -n $check ]]; then
	if grep -v '@sha256:' <<<"$references" | sed 's/$/ has no digest: run make images/' >&2; then
		exit 1
	fi
	exit 0
fi

# It asks all registries before it changes any file.
edits="s/DEBIAN_SNAPSHOT=[0-9]{8}T[0-9]{6}Z/DEBIAN_SNAPSHOT=$(date -u +%Y%m%d)T000000Z/"
for image in $(sed -E 's/.*: //; s/@.*//' <<<"$references" | sort -u); do
	digest=sha256:$(crane manifest "$image" | sha256sum | cut -d' ' -f1)
	said=$(crane digest "$image")
	if [[ $said != "$digest" ]]; then
		echo "$image: the registry says digest $said of a manifest with $digest" >&2
		exit 1
	fi
	edits+=$'\n'"s#^((FROM|\s+image:) ${image//./\\.})(@sha256:[0-9a-f]{64})?(\s|\$)#\1@$digest\4#"
done
sed -E -i "$edits" "${files[@]}"
