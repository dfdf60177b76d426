#!/bin/sh
# test-if-buildable.sh NAME env VAR=... go test FLAGS... PACKAGES
#
# Runs the given go test command where this machine can build and run such a
# test at all, which it finds out with a test that does nothing; otherwise
# says in one line what was left out. A failing test is a failure, always.
set -eu
name=$1
shift

. "$(dirname "$0")/skipped.sh"
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
printf 'module probe\n\ngo 1.25.0\n' >"$probe/go.mod"
printf 'package probe\n\nimport "testing"\n\nfunc Test(t *testing.T) {}\n' >"$probe/probe_test.go"
for arg; do # the packages that are named must be there, too
	case $arg in
	./...) ;;
	./*/...) mkdir -p "$probe/${arg%/...}" && cp "$probe/probe_test.go" "$probe/${arg%/...}/" ;;
	./*) mkdir -p "$probe/$arg" && cp "$probe/probe_test.go" "$probe/$arg/" ;;
	esac
done

if ! (cd "$probe" && export GOWORK=off && "$@") >"$probe/out" 2>&1; then
	skipped "this machine can't run $name: $(tail -n 1 "$probe/out")"
	exit 0
fi
exec "$@"
