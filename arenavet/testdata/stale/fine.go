package stale

import "github.com/ebbpool/arena"

func fineBefore(a *arena.Arena) int {
	e := arena.New[Entry](a)
	n := e.N
	a.Reset()
	return n
}

func fineNextLife(a *arena.Arena) {
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

func fineSlots(p *arena.FixedPool[Entry], n int) {
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
