#!/bin/sh
# Builds a golangci-lint with arenavet, as golangci-lint custom does, but from the module proxy. Runs it, also with -fix, on
# a program with a mistake and with allocations to rewrite.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
go=${GO:-go}
export GOWORK=off GOFLAGS=-mod=mod
version=$(sed -n 's/^version: \(v[0-9.]*\)$/\1/p' "$root/docs/arenavet.md")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/lint" "$work/program"
cd "$work/lint"
cat >main.go <<END
package main

import (
	"os"

	_ "github.com/ebbpool/arena/arenavet/plugin"
	"github.com/golangci/golangci-lint/v2/pkg/commands"
)

func main() {
	if commands.Execute(commands.BuildInfo{Version: "$version"}) != nil {
		os.Exit(3)
	}
}
END
$go mod init example.com/lint 2>/dev/null
$go mod edit -require=github.com/golangci/golangci-lint/v2@"$version" -require=github.com/ebbpool/arena/arenavet@v0.2.0 \
	-replace=github.com/ebbpool/arena="$root" -replace=github.com/ebbpool/arena/arenavet="$root/arenavet"
$go mod tidy >/dev/null 2>&1
$go build -o golangci-lint .
cd "$work/program"
cat >main.go <<END
package main

import "github.com/ebbpool/arena"

var pool = arena.NewAutoPool(0)

func main() {
	a := pool.Get()
	s := a.AllocString("kept")
	pool.Put(a)
	println(s)
}

type order struct{ next *order }

func read(a *arena.Arena) *order { return &order{} }

var _ = read
END
$go mod init example.com/program 2>/dev/null
$go mod edit -require=github.com/ebbpool/arena@v0.2.0 -replace=github.com/ebbpool/arena="$root"
sed -n '/^version: "2"$/,/^```$/p' "$root/docs/arenavet.md" | grep -v '^```' >.golangci.yml
../lint/golangci-lint run ./... >out 2>&1 || true
grep -q 'main.go:11:.*memory of arena a, which Put on line 10 has taken back.*(arenavet)' out || {
	cat out
	exit 1
}
../lint/golangci-lint run --fix ./... >>out 2>&1 || true
grep -q 'return arena.NewOf(a, order{})' main.go || {
	cat out main.go
	exit 1
}
echo "golangci-lint $version with arenavet finds the mistake, and -fix rewrites the allocations"
