#!/bin/sh
# with-go.sh VERSION COMMAND...: runs the command with another version of Go, which the go command downloads.
# It is skipped if that version can't be downloaded.
set -eu
version=$1
shift
. "$(dirname "$0")/skipped.sh"
export GOTOOLCHAIN="$version"
if ! told=$("${GO:-go}" version 2>&1); then
	skipped "$version can't be downloaded: $(echo "$told" | tail -n 1)"
	exit 0
fi
echo "with $told"
exec "$@"
