package arena_test

import (
	"fmt"

	"github.com/ebbpool/arena"
)

// Two tenants never share memory.
func ExampleKeyedPool() {
	tenants := arena.NewKeyedPool[string](0)
	for _, tenant := range []string{"one", "two", "one"} {
		a := tenants.Get(tenant)
		a.AllocString("data of " + tenant)
		tenants.Put(a)
	}
	tenants.Do("two", func(a *arena.Arena) {
		fmt.Println(len(arena.MakeSlice[byte](a, 10, 10)), "bytes, zero")
	})
	s := tenants.Stats()
	fmt.Println(s.Gets, "requests of", s.Keys, "tenants")
	// Output:
	// 10 bytes, zero
	// 4 requests of 2 tenants
}
