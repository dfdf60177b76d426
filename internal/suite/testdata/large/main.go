// Command large uses arenas with types of 32 MB: a test looks at how large it is.
package main

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

type (
	texts struct{ a [2 << 20]string }
	bytes struct{ a [32 << 20]byte }
)

func main() {
	a := arena.NewArena(1<<10, 0)
	n := len(arena.New[texts](a).a) + len(arena.New[bytes](a).a) + len(arena.AllocatorFor[texts](a).New().a)
	n += len(arena.MakeSlice[texts](a, 1, 1)) + len(arena.MakeSliceUninit[bytes](a, 1, 1))
	n += len(arena.Append(a, []texts(nil), *arena.New[texts](a)))
	p := fixedpool.New[texts](1)
	p.Deallocate(p.Allocate())
	println(n)
}
