// Command app has a parser of another module.
package main

import (
	"fmt"

	"example.com/lib"
	"github.com/ebbpool/arena"
)

func main() {
	a := arena.NewArena(1024, 0)
	fmt.Println(lib.Words("two words"), a.Stats().UsedBytes)
}
