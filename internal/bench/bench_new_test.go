package bench

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// The benchmarks compare subjects within one run: read ratios between lines, not times. Each result is stored
// in a package variable of pointer type, whose store has a write barrier, as in a program that keeps its
// objects. A cycle is 250 objects, and its Reset is part of the time.

const cycleLen = 250

type flat64 struct{ a, b, c, d, e, f, g, h uint64 }

type ptr64 struct {
	name, value string
	a, b, c, d  uint64
}

var (
	sinkFlat *flat64
	sinkPtr  *ptr64
	sinkStr  string
)

// cycles returns how many cycles of cycleLen objects make up b.N.
func cycles(b *testing.B) int { return (b.N + cycleLen - 1) / cycleLen }

// The loops are written out for each type and subject, so that they compile like a user's code.

func BenchmarkNew(b *testing.B) {
	b.Run("type=flat64", benchFlat)
	b.Run("type=ptr64", benchPtr)
	b.Run("type=ten", benchTen)
}

func benchFlat(b *testing.B) {
	b.Run("alloc=heap", func(b *testing.B) {
		for range cycles(b) {
			for range cycleLen {
				p := new(flat64)
				p.a = 1
				sinkFlat = p
			}
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				p := arena.New[flat64](a)
				p.a = 1
				sinkFlat = p
			}
		}
	})
	b.Run("alloc=bytebump", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				p := bumpNew[flat64](a)
				p.a = 1
				sinkFlat = p
			}
		}
	})
	b.Run("alloc=cursor", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				p := cursorNew[flat64](a)
				p.a = 1
				sinkFlat = p
			}
		}
	})
	b.Run("alloc=inlined", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				p := inlinedNew[flat64](a)
				p.a = 1
				sinkFlat = p
			}
		}
	})
}

func benchPtr(b *testing.B) {
	b.Run("alloc=heap", func(b *testing.B) {
		for range cycles(b) {
			for range cycleLen {
				p := new(ptr64)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				p := arena.New[ptr64](a)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=bytebump", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				p := bumpNew[ptr64](a)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=cursor", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				p := cursorNew[ptr64](a)
				p.a = 1
				sinkPtr = p
			}
		}
	})
	b.Run("alloc=inlined", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				p := inlinedNew[ptr64](a)
				p.a = 1
				sinkPtr = p
			}
		}
	})
}

type (
	ten0 struct {
		p *int
		_ [1]int
	}
	ten1 struct{ s string }
	ten2 struct{ s []int }
	ten3 struct {
		a, b *int
		_    [2]int
	}
	ten4 struct {
		m map[int]int
		_ [4]int
	}
	ten5 struct {
		i any
		s string
		_ [2]int
	}
	ten6 struct {
		e error
		p *int
	}
	ten7 struct {
		f func()
		_ [5]int
	}
	ten8 struct {
		c chan int
		s []string
		_ [4]int
	}
	ten9 struct {
		n       *ten9
		a, b, c string
	}
)

var (
	sink0 *ten0
	sink1 *ten1
	sink2 *ten2
	sink3 *ten3
	sink4 *ten4
	sink5 *ten5
	sink6 *ten6
	sink7 *ten7
	sink8 *ten8
	sink9 *ten9
)

// benchTen allocates ten types in turn; an operation is one object.
func benchTen(b *testing.B) {
	b.Run("alloc=heap", func(b *testing.B) {
		for range cycles(b) {
			for range cycleLen / 10 {
				sink0, sink1, sink2, sink3, sink4 = new(ten0), new(ten1), new(ten2), new(ten3), new(ten4)
				sink5, sink6, sink7, sink8, sink9 = new(ten5), new(ten6), new(ten7), new(ten8), new(ten9)
			}
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen / 10 {
				sink0, sink1, sink2, sink3, sink4 = arena.New[ten0](a), arena.New[ten1](a), arena.New[ten2](a), arena.New[ten3](a), arena.New[ten4](a)
				sink5, sink6, sink7, sink8, sink9 = arena.New[ten5](a), arena.New[ten6](a), arena.New[ten7](a), arena.New[ten8](a), arena.New[ten9](a)
			}
		}
	})
	b.Run("alloc=bytebump", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen / 10 {
				sink0, sink1, sink2, sink3, sink4 = bumpNew[ten0](a), bumpNew[ten1](a), bumpNew[ten2](a), bumpNew[ten3](a), bumpNew[ten4](a)
				sink5, sink6, sink7, sink8, sink9 = bumpNew[ten5](a), bumpNew[ten6](a), bumpNew[ten7](a), bumpNew[ten8](a), bumpNew[ten9](a)
			}
		}
	})
}

func BenchmarkAllocString(b *testing.B) {
	text := strings.Repeat("0123456789abcdef", 2)
	b.Run("alloc=heap", func(b *testing.B) {
		for range cycles(b) {
			for range cycleLen {
				sinkStr = strings.Clone(text)
			}
		}
	})
	b.Run("alloc=arena", func(b *testing.B) {
		a := arena.NewArena(256<<10, 0)
		for range cycles(b) {
			a.Reset()
			for range cycleLen {
				sinkStr = a.AllocString(text)
			}
		}
	})
	b.Run("alloc=bytebump", func(b *testing.B) {
		a := newByteBump(256 << 10)
		for range cycles(b) {
			a.reset()
			for range cycleLen {
				sinkStr = a.allocString(text)
			}
		}
	})
}
