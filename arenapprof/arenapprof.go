// Package arenapprof makes a profile, for go tool pprof, of the arenas that pools have
// handed out and not got back: who holds how much memory, with the stacks of their Gets.
// It is served like this:
//
//	mux.HandleFunc("/debug/pprof/arena.live", func(w http.ResponseWriter, _ *http.Request) {
//		arenapprof.WriteProfile(w)
//	})
//
// and looked at with
//
//	go tool pprof -sample_index=inuse_bytes http://localhost:6060/debug/pprof/arena.live
//
// It has the arenas of those pools that sample, see ArenaPool.SetLeakSampling, from when
// the program starts.
//
// It is a package of its own because it takes a few hundred kilobytes of a program, which
// those who don't want the profile should not pay.
package arenapprof

import (
	"compress/gzip"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/ebbpool/arena/internal/live"
)

// WriteProfile writes the profile in the format of go tool pprof, compressed. Each arena
// that is out and whose Get was sampled is there with its stack, its labels, and two
// values: inuse_objects is 1, inuse_bytes the size of its chunks and of its forks', used
// or not. Both are multiplied by the rate of the sampling, so they are estimates of what
// all arenas have; of a pool with a rate of 1 they are exact.
//
// The labels are those that the goroutine had at Get, as pprof.Do sets them.
//
// It takes memory and time for each such arena, and no Get or Put waits for longer than
// it takes to list them. It returns errors of w alone.
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

// registry has the sampled arenas that are out, with the labels of their Gets.
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
