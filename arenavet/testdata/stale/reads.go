package stale

import (
	"fmt"

	"github.com/ebbpool/arena"
)

// Helpers that read memory through the object that holds it.

type frame struct {
	a    *arena.Arena
	cmds []int
}

func (f *frame) begin()      { f.a.Reset() }
func (f *frame) add(cmd int) { f.cmds = arena.Append(f.a, f.cmds, cmd) }
func (f *frame) last() int   { return f.cmds[len(f.cmds)-1] }

func (f *frame) restart() {
	f.a.Reset()
	f.cmds = nil
}

// The slice is not dropped with its arena's memory, and grows in it.
func grownStale(f *frame) {
	for i := range 10 {
		f.begin()
		f.add(i) // want `use of memory of arena f.a, which begin on line \d+ has taken back`
	}
}

func readStale(f *frame) int {
	f.add(1)
	f.begin()
	return f.last() // want `use of memory of arena f.a, which begin`
}

func (f *frame) lastOfHelper() int { return f.last() }

// The helper that reads is two calls away.
func readStaleDeep(f *frame) int {
	f.add(1)
	f.begin()
	return f.lastOfHelper() // want `use of memory of arena f.a, which begin`
}

// A deferred function that reads comes after the deferred Put.
func deferOrder() {
	a := pool.Get()
	e := arena.New[Entry](a)
	e.N = 1
	defer func() { fmt.Println(e.N) }() // want `use of e, memory of arena a, which the deferred Put on line \d+ takes back`
	defer pool.Put(a)
}

// It comes before it.
func fineDeferOrder() {
	a := pool.Get()
	defer pool.Put(a)
	e := arena.New[Entry](a)
	e.N = 1
	defer func() { fmt.Println(e.N) }()
}

// The slice is dropped before the helper reads it.
func fineRestarted(f *frame) int {
	n := 0
	for i := range 10 {
		f.restart()
		f.add(i)
		n += f.last()
	}
	return n
}

// A helper that reads first and resets then.
func (f *frame) fineFlush(out func(int)) {
	out(f.last())
	f.a.Reset()
	f.cmds = nil
}

func fineFlushed(f *frame, out func(int)) {
	for i := range 10 {
		f.add(i)
		f.fineFlush(out)
	}
}

func (f *frame) lastOr(n int) int {
	if len(f.cmds) == 0 {
		return n
	}
	return f.cmds[len(f.cmds)-1]
}

func (f *frame) cut() {
	f.a.Reset()
	f.cmds = f.cmds[:0]
}

// Whether a helper reads that looks first is not known.
func fineLooksFirst(f *frame) int {
	f.add(1)
	f.cut()
	return f.lastOr(2)
}

// The helper is given another frame in between.
func fineOtherFrame(f, g *frame) int {
	f.add(1)
	g.add(2)
	f.begin()
	return g.last()
}
