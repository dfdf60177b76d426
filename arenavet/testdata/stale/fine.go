package stale

import (
	"runtime"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

func fineBefore(a *arena.Arena) int {
	e := arena.New[Entry](a)
	n := e.N
	a.Reset()
	return n
}

func fineNextCycle(a *arena.Arena) {
	e := arena.New[Entry](a)
	e.N = 1
	a.Reset()
	e = arena.New[Entry](a)
	e.N = 2
}

func fineLoop(a *arena.Arena, n int) (sum int) {
	for i := range n {
		e := arena.New[Entry](a)
		e.N = i
		sum += e.N
		a.Reset()
	}
	return sum
}

// A batch that is emptied when its memory goes.
func fineBatch(a *arena.Arena, in []int, flush func([]int)) {
	var batch []int
	for _, x := range in {
		batch = arena.Append(a, batch, x)
		if len(batch) == 100 {
			flush(batch)
			a.Reset()
			batch = nil
		}
	}
	flush(batch)
}

func fineOtherBranch(a *arena.Arena, done bool) {
	e := arena.New[Entry](a)
	if done {
		a.Reset()
		return
	}
	e.N = 1
}

func fineRewindKeeps(a *arena.Arena) {
	e := arena.New[Entry](a)
	m := a.Mark()
	arena.New[Entry](a)
	a.Rewind(m)
	e.N = 1
}

func fineRewindLoop(a *arena.Arena, n int) {
	keep := arena.New[Entry](a)
	for range n {
		m := a.Mark()
		tmp := arena.New[Entry](a)
		tmp.N = 1
		keep.N += tmp.N
		a.Rewind(m)
	}
}

func fineOtherArena(a, b *arena.Arena) {
	e := arena.New[Entry](a)
	b.Reset()
	e.N = 1
}

func fineNilCheck(a *arena.Arena) bool {
	e := arena.New[Entry](a)
	a.Reset()
	return e == nil
}

func fineHeapStays(a *arena.Arena, s string) string {
	e := arena.New[Entry](a)
	e.Path = s
	p := e.Path
	a.Reset()
	return p
}

// Each turn has its own.
func fineTwoBuffers(n int) {
	var before *arena.Arena
	var last *Entry
	for range n {
		a := pool.Get()
		e := arena.New[Entry](a)
		if before != nil {
			e.N = last.N
			pool.Put(before)
		}
		before, last = a, e
	}
	if before != nil {
		pool.Put(before)
	}
}

func fineField(c *conn) {
	c.a.Reset()
	c.buf = c.a.AllocBytes(10)
	c.buf[0] = 1
}

func fineSetInClosure(a *arena.Arena, in []int) {
	var batch []int
	flush := func() {
		a.Reset()
		batch = nil
	}
	for _, x := range in {
		batch = arena.Append(a, batch, x)
		if len(batch) > 10 {
			flush()
		}
	}
}

func fineElements(conns []*conn) {
	for _, c := range conns {
		c.buf = c.a.AllocBytes(1)
		c.buf[0] = 1
		c.a.Reset()
	}
}

func fineSlots(p *fixedpool.Pool[Entry], n int) {
	for range n {
		e := p.Allocate()
		if e == nil {
			return
		}
		e.N = 1
		p.Deallocate(e)
	}
}

func fineMaybeArena(use bool, n int) int {
	var a *arena.Arena
	if use {
		a = pool.Get()
		defer pool.Put(a)
	}
	e := arena.New[Entry](a)
	e.N = n
	return e.N
}

type refresher interface{ refresh(*conn) }

// Unknown code may have set what was stale anew.
func fineRefreshed(c *conn, r refresher) {
	c.buf = c.a.AllocBytes(1)
	c.a.Reset()
	r.refresh(c)
	c.buf[0] = 1
}

// A batch on Go's heap that is cut to nothing when its memory goes.
func fineCutBatch(a *arena.Arena, counts []int, flush func(int)) {
	batch := make([]*Entry, 0, 16)
	for _, n := range counts {
		e := arena.New[Entry](a)
		e.N = n
		batch = append(batch, e)
		if len(batch) == cap(batch) {
			for _, e := range batch {
				flush(e.N)
			}
			batch = batch[:0]
			a.Reset()
		}
	}
	for _, e := range batch {
		flush(e.N)
	}
}

// An index that is emptied after its memory went.
func fineClearedIndex(a *arena.Arena, batches [][]string) (n int) {
	index := map[string]*Entry{}
	for _, b := range batches {
		a.Reset()
		clear(index)
		for _, w := range b {
			e, ok := index[w]
			if !ok {
				e = arena.New[Entry](a)
				index[a.AllocString(w)] = e
			}
			e.N++
		}
		for k, e := range index {
			n += e.N + len(k+"!")
		}
	}
	return n
}

type group struct {
	a     *arena.Arena
	items []*Entry
	index map[string]*Entry
}

func (g *group) add(s string) *Entry {
	if e, ok := g.index[s]; ok {
		return e
	}
	e := arena.New[Entry](g.a)
	g.items = append(g.items, e)
	g.index[g.a.AllocString(s)] = e
	return e
}

// The fields that hold a batch are emptied in place.
func fineGroupInline(g *group, lines []string) (n int) {
	for _, l := range lines {
		e := arena.New[Entry](g.a)
		g.items = append(g.items, e)
		g.index[l] = e
		if len(g.items) == 10 {
			for _, e := range g.items {
				n += e.N
			}
			g.items = g.items[:0]
			clear(g.index)
			g.a.Reset()
		}
	}
	if e := g.index["last"]; e != nil {
		n += e.N
	}
	return n
}

func (g *group) empty() {
	g.a.Reset()
	g.items = g.items[:0]
	clear(g.index)
}

// A method empties what the batch holds, and its arena.
func fineGroupEmptied(g *group, lines []string) (n int) {
	for i, l := range lines {
		n += g.add(l).N
		if i%10 == 0 {
			g.empty()
		}
	}
	return n
}

// Elements with fields in the arena: both are gone when the batch is cut.
func fineCutTexts(a *arena.Arena, lines []string, flush func(string)) {
	var batch []*Entry
	for _, l := range lines {
		e := arena.New[Entry](a)
		e.Path = a.AllocString(l)
		batch = append(batch, e)
		if len(batch) == 16 {
			batch = batch[:0]
			a.Reset()
		}
	}
	for _, e := range batch {
		flush(e.Path)
	}
}

// A list in the arena that is dropped when its memory goes.
func fineListDropped(a *arena.Arena, in []int) (sum int) {
	var head *Entry
	for i, x := range in {
		e := arena.New[Entry](a)
		e.N, e.Next = x, head
		head = e
		if i%10 == 9 {
			for p := head; p != nil; p = p.Next {
				sum += p.N
			}
			head = nil
			a.Reset()
		}
	}
	return sum
}

func (g *group) reset() {
	g.a.Reset()
	g.items = nil
	g.index = map[string]*Entry{}
}

// A method makes the batch's fields anew when it resets its arena.
func fineGroupReset(g *group, lines []string) (n int) {
	for i, l := range lines {
		n += g.add(l).N
		if i%10 == 0 {
			g.reset()
		}
	}
	return n
}

// What an inner mark took back is dropped: only the others are kept.
func fineInnerMark(a *arena.Arena, in []int) (best int) {
	for range in {
		frame := a.Mark()
		hits := arena.MakeSlice[*Entry](a, 0, 10)
		for _, x := range in {
			inner := a.Mark()
			e := arena.New[Entry](a)
			e.N = x
			if e.N < 10 {
				a.Rewind(inner)
				continue
			}
			hits = arena.Append(a, hits, e)
		}
		for _, h := range hits {
			best = max(best, h.N)
		}
		a.Rewind(frame)
	}
	return best
}

// What is kept alive is not used.
func fineKeepAlive() {
	a := pool.Get()
	e := arena.New[Entry](a)
	pool.Put(a)
	runtime.KeepAlive(e)
	runtime.KeepAlive(a)
}
