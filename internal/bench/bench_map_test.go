package bench

import (
	"strconv"
	"testing"

	"github.com/ebbpool/arena"
)

// mapSizes are the numbers of entries.
var mapSizes = []int{8, 30, 100, 1000}

// intKeys returns n keys without an order. textKeys returns n keys as a parser reads them, of different
// lengths.
func intKeys(n int) []int {
	keys := make([]int, n)
	for i := range keys {
		keys[i] = i * 7919
	}
	return keys
}

func textKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = "label_" + strconv.Itoa(i*7919)
	}
	return keys
}

// BenchmarkMapRequest makes a map for a request, inserts n entries, reads each once and drops the map. An
// operation is one entry.
func BenchmarkMapRequest(b *testing.B) {
	for _, n := range mapSizes {
		name := "n=" + strconv.Itoa(n)
		benchmarkMapRequest(b, "key=int/"+name, intKeys(n))
		benchmarkMapRequest(b, "key=string/"+name, textKeys(n))
	}
}

func benchmarkMapRequest[K comparable](b *testing.B, name string, keys []K) {
	b.Run(name+"/map=builtin", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i += len(keys) {
			fillBuiltin(b, keys)
		}
		sinkMap = nil
	})
	b.Run(name+"/map=arena", func(b *testing.B) {
		b.ReportAllocs()
		pool := arena.NewArenaPool(64<<10, 0)
		for i := 0; i < b.N; i += len(keys) {
			fillMap(b, pool, keys)
		}
	})
}

// fillBuiltin is one request with a builtin map.
func fillBuiltin[K comparable](b *testing.B, keys []K) {
	m := make(map[K]int)
	for j, k := range keys {
		m[k] = j
	}
	sum := 0
	for _, k := range keys {
		sum += m[k]
	}
	if sum != len(keys)*(len(keys)-1)/2 {
		b.Fatal(sum)
	}
	sinkMap = m
}

// fillMap is one request with an arena.Map.
func fillMap[K comparable](b *testing.B, pool *arena.ArenaPool, keys []K) {
	a := pool.Get()
	m := arena.NewMap[K, int](a, 0)
	for j, k := range keys {
		m.Set(k, j)
	}
	sum := 0
	for _, k := range keys {
		v, _ := m.Get(k)
		sum += v
	}
	if sum != len(keys)*(len(keys)-1)/2 {
		b.Fatal(sum)
	}
	pool.Put(a)
}

// sinkMap moves the builtin maps to the heap, as in a program whose request passes its map to several
// functions.
var sinkMap any

// BenchmarkMapGet looks up keys that are in an existing map (hit) or not (miss).
func BenchmarkMapGet(b *testing.B) {
	for _, n := range mapSizes {
		name := "n=" + strconv.Itoa(n)
		ints, texts := intKeys(2*n), textKeys(2*n)
		benchmarkMapGet(b, "key=int/"+name, ints[:n], ints[n:])
		benchmarkMapGet(b, "key=string/"+name, texts[:n], texts[n:])
	}
}

func benchmarkMapGet[K comparable](b *testing.B, name string, in, out []K) {
	builtin := make(map[K]int)
	ours := arena.NewMap[K, int](arena.NewArena(64<<10, 0), 0)
	for i, k := range in {
		builtin[k] = i + 1
		ours.Set(k, i+1)
	}
	for _, which := range []struct {
		name string
		keys []K
		want int
	}{{"hit", in, len(in) * (len(in) + 1) / 2}, {"miss", out, 0}} {
		b.Run(name+"/"+which.name+"/map=builtin", func(b *testing.B) {
			for i := 0; i < b.N; i += len(which.keys) {
				sum := 0
				for _, k := range which.keys {
					sum += builtin[k]
				}
				if sum != which.want {
					b.Fatal(sum)
				}
			}
		})
		b.Run(name+"/"+which.name+"/map=arena", func(b *testing.B) {
			for i := 0; i < b.N; i += len(which.keys) {
				sum := 0
				for _, k := range which.keys {
					v, _ := ours.Get(k)
					sum += v
				}
				if sum != which.want {
					b.Fatal(sum)
				}
			}
		})
	}
}
