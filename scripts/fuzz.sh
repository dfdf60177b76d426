#!/bin/sh
# fuzz.sh FUZZTIME [GO]
#
# Runs each fuzz target of each Go module of the repository for FUZZTIME. The targets are found in the tests. An input is
# minimized for at most a second; the default of a minute would leave little time for new inputs.
set -eu
time=$1
go=${2:-go}
cd "$(dirname "$0")/.."
root=$PWD

git ls-files '*_test.go' | xargs grep -Ho '^func Fuzz[A-Za-z0-9]*' | while IFS=: read -r file func; do
	target=${func#func }
	dir=$(dirname "$file")
	echo "$target, $dir"
	(cd "$root/$dir" && "$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1s . </dev/null)
done
