//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit/turns"
	"github.com/ebbpool/arena/lab/load"
	"github.com/ebbpool/arena/lab/load/handlers"
)

// shift measures the memory of pools and servers under a changing load: pools of fixed chunk sizes and an
// adaptive one, and the server with arenas and the ordinary one, for the given time.
func shift(ctx context.Context, w io.Writer, length time.Duration) error {
	if err := pools(w, max(int(length/(30*time.Second)), 1)); err != nil {
		return err
	}
	part := func(percent time.Duration) time.Duration { return length * percent / 100 }
	s := service(0, []string{handlers.Plain, handlers.Arena}, nil)
	s.Senders = shifting
	return s.Shift(ctx, w, []load.Phase{
		{Name: "day", Length: part(37), Rate: 800},
		{Name: "bursts of 256", Length: part(11), Rate: 800, Together: 256},
		{Name: "night", Length: part(22), Rate: 8},
		{Name: "the next day", Length: part(11), Rate: 800},
		{Name: "idle", Length: part(19)},
	})
}

// chunkSizes are the sizes of the pools with which the automatic one is compared.
var chunkSizes = []int{1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10}

const retained = 640 << 10 // by each idle arena of every pool

type node[T any] struct {
	next  *node[T]
	name  string
	value T
}

func list[T any](a *arena.Arena, bytes int) {
	var first *node[T]
	for range bytes / 64 {
		n := arena.New[node[T]](a)
		n.next, n.name = first, "node"
		first = n
	}
}

// kinds are the types with pointers that requests allocate: usual ones and others.
var kinds = [2][4]func(*arena.Arena, int){
	{list[[1]int64], list[[5]int64], list[[10]int32], list[[3]int64]},
	{list[[1]uint64], list[[5]uint64], list[[10]uint32], list[[3]uint64]},
}

// pools writes the cost of a request to each pool, including the collector's, and the memory that the pool
// retains, for each part of each phase. Pools serve n batches of a part in turn.
func pools(w io.Writer, n int) error {
	normal := func(median, sigma float64) func(*rand.Rand) int {
		return func(rng *rand.Rand) int { return int(min(median*math.Exp(sigma*rng.NormFloat64()), 8<<20)) }
	}
	uniform := func(rng *rand.Rand) int { return 20_000 + rng.IntN(80_000) }
	names, all := []string{"auto"}, []*arena.ArenaPool{arena.NewAutoPool(retained)}
	for _, size := range chunkSizes {
		names, all = append(names, fmt.Sprint(size>>10)), append(all, arena.NewArenaPool(size, retained))
	}
	for k, p := range []struct {
		name     string
		together int // arenas in use at the same time
		size     func(*rand.Rand) int
		kind     int
	}{
		{"100 at once of log-normal sizes around 3 KB, sigma 1", 100, normal(3000, 1), 0},
		{"one at a time of these", 1, normal(3000, 1), 0},
		{"100 of 20 to 100 KB", 100, uniform, 0},
		{"one at a time of 20 to 100 KB", 1, uniform, 0},
		{"100 of log-normal sizes around 8 KB, sigma 2", 100, normal(8000, 2), 0},
		{"100 of these, of other types", 100, normal(8000, 2), 1},
		{"one at a time of other types", 1, normal(8000, 2), 1},
	} {
		const batch, parts = 400, 11
		for part := range parts {
			took, held := make([]time.Duration, len(all)), make([]float64, len(all))
			for i := range n * len(all) {
				at := (i + i/len(all)) % len(all) // another pool begins each round
				rng := rand.New(rand.NewPCG(uint64(k*parts+part), uint64(i/len(all))))
				out := make([]*arena.Arena, p.together)
				began := turns.ProcessorTime()
				for range max(batch/p.together, 1) {
					for j := range out {
						a := all[at].Get()
						out[j] = a
						size := p.size(rng)
						for range size / 200 {
							a.AllocBytes(100)
						}
						for _, objects := range kinds[p.kind] {
							objects(a, size/8)
						}
					}
					for _, a := range out {
						all[at].Put(a)
					}
				}
				took[at] += turns.ProcessorTime() - began
				held[at] += float64(all[at].Stats().RetainedBytes)
			}
			for at, name := range names {
				if _, err := fmt.Fprintf(w, "BenchmarkPool/phase=%s/pool=%s %d %.0f cpu-ns/req %.0f retained-B\n",
					strings.ReplaceAll(p.name, " ", "_"), name, n*batch, float64(took[at])/float64(n*batch), held[at]/float64(n)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
