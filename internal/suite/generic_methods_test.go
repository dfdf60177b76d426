//go:build go1.27

package suite

import (
	"reflect"
	"slices"
	"testing"

	"github.com/ebbpool/arena"
)

type genericNode struct {
	text string
	next *genericNode
	n    int
}

// TestGenericMethods compares each method with its function: result, memory use, and panic.
func TestGenericMethods(t *testing.T) {
	words, bytes := []string{"a", "b"}, []byte("bytes")
	node := genericNode{"x", &genericNode{text: "y"}, 2}
	for _, test := range []struct {
		name             string
		function, method func(*arena.Arena) any
	}{
		{"New scan", func(a *arena.Arena) any { return arena.New[genericNode](a) }, func(a *arena.Arena) any { return a.New[genericNode]() }},
		{"New noscan", func(a *arena.Arena) any { return arena.New[[5]int](a) }, func(a *arena.Arena) any { return a.New[[5]int]() }},
		{"New no size", func(a *arena.Arena) any { return arena.New[struct{}](a) }, func(a *arena.Arena) any { return a.New[struct{}]() }},
		{"NewOf scan", func(a *arena.Arena) any { return arena.NewOf(a, node) }, func(a *arena.Arena) any { return a.NewOf(node) }},
		{"NewOf noscan", func(a *arena.Arena) any { return arena.NewOf(a, 7) }, func(a *arena.Arena) any { return a.NewOf(7) }},
		{"BoxOf", func(a *arena.Arena) any { return arena.BoxOf(a, node) }, func(a *arena.Arena) any { return a.BoxOf(node) }},
		{"MakeSlice", func(a *arena.Arena) any { return arena.MakeSlice[string](a, 3, 5) }, func(a *arena.Arena) any { return a.MakeSlice[string](3, 5) }},
		{"MakeSlice negative", func(a *arena.Arena) any { return arena.MakeSlice[int](a, -1, 5) }, func(a *arena.Arena) any { return a.MakeSlice[int](-1, 5) }},
		{"MakeSliceUninit", func(a *arena.Arena) any { return cap(arena.MakeSliceUninit[int](a, 3, 5)) }, func(a *arena.Arena) any { return cap(a.MakeSliceUninit[int](3, 5)) }},
		{"MakeSliceUninit scan", func(a *arena.Arena) any { return arena.MakeSliceUninit[string](a, 3, 5) }, func(a *arena.Arena) any { return a.MakeSliceUninit[string](3, 5) }},
		{"Append", func(a *arena.Arena) any { return arena.Append(a, words, "c", "d") }, func(a *arena.Arena) any { return a.Append(words, "c", "d") }},
		{"Append nil", func(a *arena.Arena) any { return arena.Append[int](a, nil) }, func(a *arena.Arena) any { return a.Append[int](nil) }},
		{"SliceOf", func(a *arena.Arena) any { return arena.SliceOf(a, 1, 2, 3) }, func(a *arena.Arena) any { return a.SliceOf(1, 2, 3) }},
		{"SliceOf none", func(a *arena.Arena) any { return arena.SliceOf[int](a) }, func(a *arena.Arena) any { return a.SliceOf[int]() }},
		{"CloneSlice", func(a *arena.Arena) any { return arena.CloneSlice(a, bytes) }, func(a *arena.Arena) any { return a.CloneSlice(bytes) }},
		{"CloneSlice nil", func(a *arena.Arena) any { return arena.CloneSlice[byte](a, nil) }, func(a *arena.Arena) any { return a.CloneSlice[byte](nil) }},
		{"Collect", func(a *arena.Arena) any { return arena.Collect(a, slices.Values(words)) }, func(a *arena.Arena) any { return a.Collect(slices.Values(words)) }},
		{"Escape", func(a *arena.Arena) any { return arena.Escape(a, arena.NewOf(a, node)) }, func(a *arena.Arena) any { return a.Escape(a.NewOf(node)) }},
		{"NewMap", func(a *arena.Arena) any { return arena.NewMap[string, int](a, 5).Len() }, func(a *arena.Arena) any { return a.NewMap[string, int](5).Len() }},
		{"NewMap negative", func(a *arena.Arena) any { return arena.NewMap[string, int](a, -5) }, func(a *arena.Arena) any { return a.NewMap[string, int](-5) }},
		{"AllocatorFor", func(a *arena.Arena) any { return arena.AllocatorFor[genericNode](a).New() }, func(a *arena.Arena) any { return a.AllocatorFor[genericNode]().New() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := func(a *arena.Arena, f func(*arena.Arena) any) (v, panicked any, used int) {
				defer func() { panicked, used = recover(), a.Stats().UsedBytes }()
				return f(a), nil, 0
			}
			for _, arenas := range [][2]*arena.Arena{{nil, nil}, {new(arena.Arena), new(arena.Arena)}, {arena.NewArena(4096, 0), arena.NewArena(4096, 0)}} {
				want, wantPanic, wantUsed := result(arenas[0], test.function)
				got, gotPanic, gotUsed := result(arenas[1], test.method)
				if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotPanic, wantPanic) || gotUsed != wantUsed {
					t.Errorf("method = %v (panic %v, %d bytes), function = %v (panic %v, %d bytes)", got, gotPanic, gotUsed, want, wantPanic, wantUsed)
				}
			}
		})
	}
}
