#!/bin/sh
# lint.sh GO MODULE...: runs gofmt, go vet, staticcheck and arenavet on the modules in these folders, each also if another
# has found something. go vet and arenavet are one tool, arenavet/internal/lint. staticcheck.conf lists the disabled checks
# of staticcheck, with reasons.
set -u
go=$1
shift
cd "$(dirname "$0")/.."
. scripts/skipped.sh
# gin without MessagePack, as in make test-adapters.
export GOFLAGS="${GOFLAGS-} -tags=nomsgpack"
# A quarter of the time of these tools is collection.
export GOGC="${GOGC-400}"
status=0

# Files for the newest Go have syntax that older versions can't parse.
newest=$(GOTOOLCHAIN=go1.27.4 "$go" env GOROOT 2>/dev/null) || newest=$("$go" env GOROOT)
unformatted=$("$newest/bin/gofmt" -l .)
[ -z "$unformatted" ] || { echo "not formatted, run gofmt -w on:"; echo "$unformatted"; status=1; }

tools=$(pwd)/_build/tools/lint
mkdir -p "$tools"
(cd arenavet && "$go" build -buildvcs=false -o "$tools/vet" ./internal/lint) || status=1
# Built by the installed Go, because an older staticcheck can't read its export data.
GOBIN=$tools "$go" install honnef.co/go/tools/cmd/staticcheck@v0.8.2 >"$tools/log" 2>&1 ||
	skipped "staticcheck can't be installed: $(tail -n 1 "$tools/log")"

for dir; do
	cd "$dir" || exit 1
	# Types in tests have fields that only add to their size.
	if [ -x "$tools/staticcheck" ] && ! "$tools/staticcheck" ./... >"$tools/found" 2>&1 &&
		grep -v ': field .* is unused (U1000)$' "$tools/found"; then
		status=1
	fi
	# These misuse arenas on purpose.
	odd='/docs/mistakes$|/arena/internal/(suite|bench)$'
	all=$("$go" list ./...) || status=1
	packages=$(echo "$all" | grep -E "$odd")
	# shellcheck disable=SC2086
	[ -z "$packages" ] || "$go" vet $packages || status=1
	packages=$(echo "$all" | grep -vE "$odd")
	# shellcheck disable=SC2086
	[ -z "$packages" ] || "$go" vet -vettool="$tools/vet" $packages || status=1
	cd "$OLDPWD" || exit 1
done
[ "$status" != 0 ] || echo "gofmt, go vet, staticcheck and arenavet: no findings in $# modules"
exit $status
