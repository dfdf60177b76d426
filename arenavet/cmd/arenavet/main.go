// Command arenavet reports misuse of github.com/ebbpool/arena. It runs by
// itself, with -fix to apply what it suggests, and as a tool of go vet:
//
//	arenavet ./...
//	go vet -vettool=$(go env GOPATH)/bin/arenavet ./...
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/ebbpool/arena/arenavet"
)

func main() { singlechecker.Main(arenavet.Analyzer) }
