// Package arenapprof writes a profile of the arenas in use, for go tool pprof: who holds how much memory, by
// the stacks of their Gets. Serve it with
//
//	mux.HandleFunc("/debug/pprof/arena.live", func(w http.ResponseWriter, _ *http.Request) {
//		arenapprof.WriteProfile(w)
//	})
//
// and look at it with
//
//	go tool pprof -sample_index=inuse_bytes http://localhost:6060/debug/pprof/arena.live
//
// The profile covers pools with leak sampling; see [arena.ArenaPool.SetLeakSampling].
//
// The package is separate from package arena because it adds a few hundred kilobytes to a program.
package arenapprof

import (
	"compress/gzip"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/ebbpool/arena/internal/live"
)

// WriteProfile writes the profile in the format of go tool pprof, compressed. Each sampled arena in use
// appears with its stack, its labels, and two values: inuse_objects is 1, and inuse_bytes is the size of the
// chunks of the arena and its forks. Both are multiplied by the sampling rate, so they estimate the totals of
// all arenas. With a rate of 1 they are exact.
//
// The labels are the goroutine's at Get, as set by pprof.Do.
//
// Its cost is proportional to the number of sampled arenas. Get and Put wait only while WriteProfile lists
// them. It returns only errors of w.
func WriteProfile(w io.Writer) error {
	arenas.Lock()
	out := maps.Clone(arenas.out)
	arenas.Unlock()
	p := newEncoder()
	for a, labels := range out {
		p.sample(a, labels)
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(p.profile(time.Now())); err != nil {
		return err
	}
	return z.Close()
}

// registry holds the sampled arenas in use, with the labels of their Gets.
type registry struct {
	sync.Mutex
	out map[live.Arena]labels
}

var arenas = registry{out: map[live.Arena]labels{}}

func (r *registry) Add(a live.Arena) {
	l := goroutineLabels()
	r.Lock()
	defer r.Unlock()
	r.out[a] = l
}

func (r *registry) Remove(a live.Arena) {
	r.Lock()
	defer r.Unlock()
	delete(r.out, a)
}

func init() {
	var p live.Profile = &arenas
	live.Current.Store(&p)
}
