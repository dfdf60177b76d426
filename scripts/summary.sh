#!/bin/sh
# summary.sh TARGET...: prints a table of parts that scripts/part.sh has run, what they skipped, and what failed. It fails
# if a part failed or did not run.
cd "$(dirname "$0")/../_build/test" || exit 1
status=0
missing=
printf '\n%-24s %-6s %8s %8s %8s %8s\n' part result tests skipped seconds 'CPU s'
for target; do
	[ -f "$target.result" ] || { missing="$missing $target"; continue; }
	awk -F '\t' '{ printf "%-24s %-6s %8d %8d %8d %8d\n", $1, $2, $3, $4, $5, $6 }' "$target.result"
done
for target; do cat "$target.result" 2>/dev/null; done |
	awk -F '\t' '{ t += $3; s += $4; c += $6 } END { printf "%-24s %-6s %8d %8d %8s %8d\n", "total", "", t, s, "", c }'
for target; do
	[ ! -f "$target.log" ] || grep -h 'SKIPPED: ' "$target.log" | sed "s/.*SKIPPED: /skipped by $target: /"
done
for target; do
	! grep -q 'FAIL' "$target.result" 2>/dev/null || { echo "FAIL: make $target (log: _build/test/$target.log)"; status=1; }
done
[ -z "$missing" ] || { echo "not run:$missing"; status=1; }
exit $status
