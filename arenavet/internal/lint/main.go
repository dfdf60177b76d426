// Command lint is go vet and arenavet as one tool of go vet: each package, and each that
// it depends on, is read and type-checked once for both.
package main

import (
	"os"

	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ebbpool/arena/arenavet"
	"github.com/ebbpool/arena/arenavet/internal/pace"
)

func main() {
	if os.Getenv("GOGC") == "" {
		pace.Floor(256 << 20)
	}
	unitchecker.Main(append(vet.Suite, arenavet.Analyzer)...)
}
