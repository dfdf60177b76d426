package bench

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/testkit"
)

// An arena's history must not slow down later cycles. The table compares small cycles in arenas that have
// used many types once with the same cycles in arenas that have not: at most twice the time.

const cliff = 2

// cliffTypes are types with pointers, all of one size.
var cliffTypes = func() (all [800]reflect.Type) {
	for i := range all {
		all[i] = reflect.StructOf([]reflect.StructField{{Name: "P", Type: reflect.TypeFor[*int]()}, {Name: fmt.Sprint("N", i), Type: reflect.TypeFor[int]()}})
	}
	return
}()

// met runs a cycle that uses the given number of types.
func met(a *arena.Arena, types int) {
	for _, t := range cliffTypes[:types] {
		arenareflect.New(a, t)
	}
}

type jsonDoc struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Tags  []string `json:"tags"`
	Owner *struct {
		Name string `json:"name"`
		Mail string `json:"mail"`
	} `json:"owner"`
}

var smallDoc = []byte(`{"id":17,"name":"a small one","tags":["new","red"],"owner":{"name":"Jo","mail":"jo@example.org"}}`)

// smallCycles are requests with few types.
var smallCycles = []struct {
	name string
	live func(a *arena.Arena)
}{
	{"8 bytes", func(a *arena.Arena) { sinkInt = arena.New[int](a) }},
	{"one object", func(a *arena.Arena) { sinkPtr = arena.New[ptr64](a) }},
	{"ten objects", func(a *arena.Arena) {
		for range 10 {
			sinkPtr = arena.New[ptr64](a)
		}
	}},
	{"a text and a slice", func(a *arena.Arena) {
		sinkStr = a.AllocString("a text")
		arena.MakeSlice[*ptr64](a, 3, 4)
	}},
	{"a small JSON document", func(a *arena.Arena) {
		if arenajson.Unmarshal(a, smallDoc, arena.New[jsonDoc](a)) != nil {
			panic("the document is wrong")
		}
	}},
	{"Mark and Rewind", func(a *arena.Arena) {
		for range 4 {
			m := a.Mark()
			sinkPtr = arena.New[ptr64](a)
			a.Rewind(m)
		}
	}},
	{"a slice that moves", func(a *arena.Arena) {
		s := arena.MakeSlice[*ptr64](a, 1, 1)
		for range 4 {
			sinkPtr = arena.New[ptr64](a)
			s = arena.Append(a, s, sinkPtr)
			arena.MakeSlice[*ptr64](a, 1, 1)
		}
	}},
	{"Escape", func(a *arena.Arena) {
		p := arena.New[ptr64](a)
		p.name = a.AllocString("a text")
		sinkPtr = arena.Escape(a, p)
	}},
	{"Stats", func(a *arena.Arena) { sinkPtr = arena.New[ptr64](a); sinkLen = a.Stats().UsedBytes }},
}

var (
	sinkInt *int
	sinkLen int
)

// homes are ways to own an arena. Each makes an arena that has used the given number of types and returns a
// function that runs a cycle in it.
var homes = []struct {
	name string
	make func(types int) func(live func(*arena.Arena))
}{
	{"Arena", func(types int) func(func(*arena.Arena)) {
		a := arena.NewArena(16<<10, 0)
		met(a, types)
		return func(live func(*arena.Arena)) {
			a.Reset()
			live(a)
		}
	}},
	{"ArenaPool", func(types int) func(func(*arena.Arena)) {
		p := arena.NewArenaPool(16<<10, 0)
		a := p.Get()
		met(a, types)
		return func(live func(*arena.Arena)) {
			p.Put(a)
			a = p.Get()
			live(a)
		}
	}},
	{"fork", func(types int) func(func(*arena.Arena)) {
		a := arena.NewArena(16<<10, 0)
		met(a, types)
		met(a.Fork(), types)
		return func(live func(*arena.Arena)) {
			a.Reset()
			live(a.Fork())
		}
	}},
}

func TestNoCliffs(t *testing.T) {
	for _, home := range homes {
		for _, types := range []int{80, 800} {
			for _, small := range smallCycles {
				t.Run(fmt.Sprintf("%s/%d/%s", home.name, types, small.name), func(t *testing.T) {
					lead := func(one func(func(*arena.Arena))) func() {
						return func() {
							for range 500 {
								one(small.live)
							}
						}
					}
					wantFasterMade(t, 1/cliff, func() (before, after func()) {
						before, after = lead(home.make(0)), lead(home.make(types))
						before() // both sides settle after the different first cycles
						after()
						return before, after
					})
				})
			}
		}
	}
}

// BenchmarkCliffs reports how many times as long a cycle takes in an arena that has used many types once, and
// in an arena that uses them in every 100th cycle compared with separate arenas for these cycles.
func BenchmarkCliffs(b *testing.B) {
	for _, types := range []int{80, 800} {
		for _, small := range smallCycles {
			b.Run(fmt.Sprintf("types=%d/cycle=%s", types, small.name), func(b *testing.B) {
				fresh, old := homes[0].make(0), homes[0].make(types)
				testkit.Duel(b, func() {
					for range 500 {
						old(small.live)
					}
				}, func() {
					for range 500 {
						fresh(small.live)
					}
				})
			})
		}
		b.Run(fmt.Sprintf("types=%d/cycle=all types", types), func(b *testing.B) {
			many, few := homes[0].make(types), homes[0].make(8)
			testkit.Duel(b, func() { many(func(a *arena.Arena) { met(a, types) }) }, func() {
				few(func(a *arena.Arena) {
					for range types / 8 {
						met(a, 8)
					}
				})
			})
		})
		b.Run(fmt.Sprintf("types=%d/cycle=all types in one of 100", types), func(b *testing.B) {
			mixed, few, all := homes[0].make(0), homes[0].make(0), homes[0].make(0)
			large := func(a *arena.Arena) { met(a, types) }
			cycles := func(small, large func()) {
				for i := range 500 {
					if i%100 == 0 {
						large()
					} else {
						small()
					}
				}
			}
			testkit.Duel(b, func() {
				cycles(func() { mixed(smallCycles[1].live) }, func() { mixed(large) })
			}, func() {
				cycles(func() { few(smallCycles[1].live) }, func() { all(large) })
			})
		})
	}
}
