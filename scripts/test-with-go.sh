#!/bin/sh
# test-with-go.sh VERSION go test FLAGS... PACKAGES
#
# Runs the given go test command with another version of Go, which the go command
# downloads. Where that can't be had it says in one line what was left out; a
# failing test is a failure, always.
set -eu
version=$1
go=$2
shift
. "$(dirname "$0")/skipped.sh"
export GOTOOLCHAIN="$version"
if ! told=$("$go" version 2>&1); then
	skipped "$version can't be had: $(echo "$told" | tail -n 1)"
	exit 0
fi
echo "with $told"
exec "$@"
