#!/bin/sh
# Writes the packages of the test protos anew.
set -e
cd "$(dirname "$0")"
go build -C generate -o ../.generate .
./.generate
rm .generate
