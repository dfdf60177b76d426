// Command measure is what "lab run" starts for each measurement: one cell of
// the matrix, or one variant of the use-after-free program. It is a program of
// its own so that neither its start nor its memory has anything of the lab's
// pictures and servers, and so that each build of it links quickly.
package main

import (
	"fmt"
	"os"

	"github.com/ebbpool/arena/lab/matrix"
)

func main() {
	if err := matrix.Child(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}
