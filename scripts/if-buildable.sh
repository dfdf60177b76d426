#!/bin/sh
# if-buildable.sh NAME COMMAND...: runs the command, a go test of packages in ./, if it can build and run a test that does
# nothing. Otherwise the tests are skipped: this machine lacks NAME.
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
