// Command lint is go vet and arenavet as one tool of go vet: each package, and each that
// it depends on, is read and type-checked once for both.
package main

import (
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ebbpool/arena/arenavet"
)

func main() { unitchecker.Main(append(vet.Suite, arenavet.Analyzer)...) }
