#!/usr/bin/env bash
# part.sh TARGET: runs a target of the Makefile as a part of the tests, and prints a line about it.
#
# Everything else that the target prints goes to _build/test/TARGET.log, of which a failure shows the end. A target that
# takes longer than PARTLIMIT is killed. EBBPOOL_REQUIRE=1 makes it a failure to skip tests that need a missing tool.
# scripts/summary.sh reads _build/test/TARGET.result.
set -u
cd "$(dirname "$0")/.." || exit 1
target=$1
log=_build/test/$target.log
mkdir -p _build/test

# With less than 2 GB of disk left, the part empties Go's build cache first. It waits until no other part is running,
# because a compiler would miss the files that its go command had already found.
cache=$("${GO:-go}" env GOCACHE)
mkdir -p "$cache"
is_full() {
	[ "$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')" -lt "${LEASTDISK:-2000}" ]
}
exec 9>_build/test/lock
if is_full; then
	flock -x 9
	is_full && echo "$target: less than ${LEASTDISK:-2000} MB of disk are free: go clean -cache" && "${GO:-go}" clean -cache
fi
flock -s 9

# The part must not wait for jobs of the make that runs it.
MAKEFLAGS='' MAKELEVEL='' timeout -k 10 "${PARTLIMIT:-60m}" make --no-print-directory "$target" >"$log" 2>&1 9>&- &
trap 'kill $! 2>/dev/null' INT TERM
wait $!
status=$?
[ $status != 124 ] && [ $status != 137 ] || echo "killed after ${PARTLIMIT:-60m}" >>"$log"

skipped=$(grep -c 'SKIPPED: ' "$log")
if [ "$skipped" != 0 ] && [ "${EBBPOOL_REQUIRE-}" = 1 ]; then
	status=1
	{ echo "skipped, with EBBPOOL_REQUIRE=1:" && grep 'SKIPPED: ' "$log"; } >"$log.skipped"
	cat "$log.skipped" >>"$log" && rm "$log.skipped"
fi
tests=$(awk '/^DONE [0-9]+ test/ { n += $2 } / tests? failed out of / { n += $NF } END { print n + 0 }' "$log")
times >"$log.times" # not in a pipe, whose shell has no children of this one
cpu=$(awk 'END { split($0, t, /[ms ]+/); printf "%.0f", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$log.times")
rm "$log.times"
result=ok
[ $status = 0 ] || result=FAIL
printf '%s\t%s\t%d\t%d\t%d\t%d\n' "$target" $result "$tests" "$skipped" "$SECONDS" "$cpu" >"_build/test/$target.result"

if [ $result = FAIL ]; then
	# gotestsum repeats the output of failed tests at its end.
	if grep -q '^=== Failed$' "$log"; then
		sed -n '/^=== Failed$/,/^DONE /p' "$log" | head -n 300
	else
		tail -n 60 "$log"
	fi
fi
echo "$result $target: $tests tests, $skipped skipped, $SECONDS s, $cpu CPU s"
[ $result = ok ]
