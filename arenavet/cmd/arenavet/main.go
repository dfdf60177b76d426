// Command arenavet reports misuse of github.com/ebbpool/arena. It runs by
// itself, with -fix to apply what it suggests, and as a tool of go vet:
//
//	arenavet ./...
//	go vet -vettool=$(go env GOPATH)/bin/arenavet ./...
package main

import (
	"os"

	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/ebbpool/arena/arenavet"
	"github.com/ebbpool/arena/arenavet/internal/pace"
)

func main() {
	if os.Getenv("GOGC") == "" {
		pace.Floor(256 << 20)
	}
	singlechecker.Main(arenavet.Analyzer)
}
