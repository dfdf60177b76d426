#!/bin/sh
# Runs the tests with another version of google.golang.org/protobuf: test-with-protobuf.sh v1.36.12
set -e
cd "$(dirname "$0")"
mod=$(mktemp -d)
trap 'rm -rf "$mod"' EXIT
sed -e "s|=> ../../|=> $(cd ../.. && pwd)|" -e "s|google.golang.org/protobuf v.*|google.golang.org/protobuf $1|" go.mod >"$mod/go.mod"
cp go.sum "$mod/go.sum"
go mod download -modfile="$mod/go.mod" google.golang.org/protobuf
# The table of TestHostile is that of one version: structs have other sizes in others.
go test -short -skip TestHostile -mod=mod -modfile="$mod/go.mod" .
