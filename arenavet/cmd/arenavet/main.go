// Command arenavet reports misuse of github.com/ebbpool/arena. It runs as a tool of go vet or by itself. By itself it
// has the flag -fix, which applies the suggested fixes.
//
//	go vet -vettool=$(go env GOPATH)/bin/arenavet ./...
//	arenavet ./...
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
