package arenapprof_test

import (
	"bytes"
	"fmt"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenapprof"
)

// The profile lists a sampled arena while it is in use.
func ExampleWriteProfile() {
	pool := arena.NewArenaPool(64<<10, 0)
	pool.SetLeakSampling(1)
	a := pool.Get()
	var profile bytes.Buffer
	fmt.Println(arenapprof.WriteProfile(&profile), profile.Len() > 100)
	pool.Put(a)
	// Output: <nil> true
}
