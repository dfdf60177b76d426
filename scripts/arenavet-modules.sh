#!/bin/sh
# Runs arenavet on eighteen modules of other people. They take buffers from github.com/valyala/bytebufferpool, which an
# adapter with arenas replaces. The findings must be the ones that findings.txt explains.
set -eu
cd "$(dirname "$0")/../arenavet"
go=${GO:-go}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
$go build -o "$work/arenavet" ./cmd/arenavet
cd testdata/modules
packages=$($go list -deps . | grep -E '^github.com/(fasthttp|gofiber|labstack|panjf2000|savsgio|valyala)/')
# Findings are an exit status of 3.
# shellcheck disable=SC2086
"$work/arenavet" -test=false $packages >"$work/out" 2>&1 || test $? -eq 3
sed "s|$($go env GOMODCACHE)/||" "$work/out" | sort >"$work/findings"
grep -v '^#' findings.txt | sort | diff - "$work/findings"
# shellcheck disable=SC2086
modules=$($go list -f '{{.Module.Path}}' $packages | sort -u | wc -l)
echo "arenavet over $modules modules, $(echo "$packages" | wc -l) packages: every finding is explained"
