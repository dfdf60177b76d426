package suite

import (
	"fmt"

	"github.com/ebbpool/arena"
)

// maxOps is the maximum number of operations of a program.
const maxOps = 300

// mostForks is the maximum number of forks in use.
const mostForks = 7

// forked runs a byte string as operations, in turn on an arena and its forks, each with its own model.
type forked struct {
	in   []byte
	gcs  int
	root *replay
	all  []*replay // in use, the root first
	at   *replay   // the current one
	met  map[*arena.Arena]*replay
	isolated
}

// runReplay runs a program: two bytes for chunk size, retention and isolation, then operations to the end of
// in.
func runReplay(in []byte) error {
	f := &forked{in: in, met: map[*arena.Arena]*replay{}}
	chunk, keep := 64<<(f.byte()%7), 0
	mode := f.byte()
	switch k := mode % 6; k {
	case 0:
	case 1:
		keep = 1
	case 5:
		keep = 64 * chunk
	default:
		keep = int(k) * chunk / 2
	}
	a := arena.NewArena(chunk, keep)
	if mode/6%2 == 1 {
		a = f.isolate(chunk, keep)
	}
	f.root = f.meet(a, chunk, keep)
	f.all, f.at = []*replay{f.root}, f.root
	for ops := 1; len(f.in) > 0 && ops <= maxOps; ops++ {
		r := f.at
		r.ops++
		what, err := f.refused(r)
		if err == nil && !r.m.Ended() {
			err = r.counts()
		}
		if err == nil {
			err = f.endings(what)
		}
		for _, r := range f.all {
			if err == nil && (ops%16 == 0 || len(f.in) == 0) {
				err = r.contents()
			}
		}
		if err != nil {
			return fmt.Errorf("chunk %d, maxRetained %d, operation %d, on arena %d of %d: %s: %w", chunk, keep, ops, f.index(r), len(f.all), what, err)
		}
	}
	for _, r := range f.all {
		if err := r.contents(); err != nil {
			return fmt.Errorf("chunk %d, maxRetained %d, at the end, arena %d of %d: %w", chunk, keep, f.index(r), len(f.all), err)
		}
	}
	return nil
}

func (f *forked) byte() byte {
	if len(f.in) == 0 {
		return 0
	}
	b := f.in[0]
	f.in = f.in[1:]
	return b
}

func (f *forked) meet(a *arena.Arena, chunk, keep int) *replay {
	r := f.met[a]
	if r == nil {
		r = &replay{forked: f, a: a, chunk: chunk, keep: keep, types: map[testType]bool{}}
		f.met[a] = r
	}
	r.handles = map[testType]func() (raw, error){}
	st := a.Stats()
	r.resets = int(st.Resets) - r.m.Resets()
	if st.Types == 0 { // it has released its memory
		clear(r.types)
		r.bufferType = false
	}
	return r
}

func (f *forked) index(r *replay) int {
	for i, x := range f.all {
		if x == r {
			return i
		}
	}
	return -1
}

// turn continues with a new fork of the current arena, or with another arena.
func (f *forked) turn(b int) string {
	if b%3 != 0 || len(f.all) > mostForks {
		f.at = f.all[b/3%len(f.all)]
		return fmt.Sprintf("go on with arena %d", f.index(f.at))
	}
	was := f.at
	f.at = f.meet(was.a.Fork(), was.chunk, was.keep)
	was.m.Fork(&f.at.m)
	f.all = append(f.all, f.at)
	return fmt.Sprintf("Fork of arena %d", f.index(was))
}

// endings handles the forks that an operation has ended.
func (f *forked) endings(what string) error {
	var going []*replay
	for _, r := range f.all {
		if !r.m.Ended() {
			going = append(going, r)
			continue
		}
		r.ended(r.slots)
		r.sync()
		if used := r.a.Stats().UsedBytes; used != 0 && f.pool == nil {
			return fmt.Errorf("%d bytes of a fork that has ended are used", used)
		}
		if f.at == r {
			f.at = f.root
		}
	}
	f.all = going
	if what != "Reset" || f.at != f.root || f.pool != nil {
		return nil
	}
	kept := 0
	for _, r := range f.met {
		kept += r.a.Stats().RetainedBytes
	}
	if kept > f.root.limit() {
		return fmt.Errorf("%d bytes are kept with those of forks, of %d", kept, f.root.limit())
	}
	return nil
}
