package arenapprof_test

import (
	"fmt"
	"runtime/pprof"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenapprof"
)

// A pool that samples has its arenas in the profile while they are out.
func Example() {
	pool := arena.NewArenaPool(64<<10, 0)
	pool.SetLeakSampling(1)
	a := pool.Get()
	fmt.Println(pprof.Lookup(arenapprof.Name).Count())
	pool.Put(a)
	fmt.Println(pprof.Lookup(arenapprof.Name).Count())
	// Output:
	// 1
	// 0
}
