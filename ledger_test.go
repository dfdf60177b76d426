package arena

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// heldWithForks adds up the chunks of an arena and all its forks, including ended ones that wait for reuse.
func heldWithForks(a *Arena) (bytes uintptr, chunks int) {
	n := a.region.Stats()
	bytes, chunks = n.Held, n.Chunks
	if a.forks != nil {
		for _, f := range a.forks.list {
			b, c := heldWithForks(f)
			bytes, chunks = bytes+b, chunks+c
		}
	}
	return bytes, chunks
}

// ledger is the slow model of a pool's counters: after each step of a random program it adds up the chunks
// that exist.
type ledger struct {
	p        *ArenaPool
	rnd      *rand.Rand
	families []*ledgerForks
	forks    []*Arena // all forks ever made
	perArena int
	total    int
	isolates bool // at times
	unknown  bool // whether there was a total at a Get

	largest, most uintptr
	used          UsedBytes // at Put
	forked        uint64
}

// ledgerForks is an arena of the pool with its forks.
type ledgerForks struct {
	st    *arenaStats
	a     *Arena     // nil if the pool has dropped it
	lies  *idleArena // holds the arena
	out   bool
	live  []*ledgerArena // in use, the arena first
	exact bool           // there was a total at its Get, so all of its memory is counted
}

type ledgerArena struct {
	a       *Arena
	parent  *ledgerArena
	born    uint64
	marks   []Mark
	ints    []int
	objects []*textPair
	buf     *Buffer
	index   *Map[string, *textPair]
}

// figures are the counters, compared before and after a step.
type figures struct {
	held, charged uintptr
	chunks        int
	stats         PoolStats
}

func (l *ledger) figures() (f figures) {
	for _, x := range l.families {
		bytes, chunks := x.held()
		f.held, f.chunks = f.held+bytes, f.chunks+chunks
		f.charged += x.st.Charged.Load()
	}
	f.stats = l.p.Stats()
	return f
}

func (x *ledgerForks) held() (uintptr, int) {
	if x.a == nil {
		return 0, 0
	}
	return heldWithForks(x.a)
}

// check compares all counters with the chunks that exist.
func (l *ledger) check(before figures) error {
	var out, idle, charged uintptr
	for i, x := range l.families {
		held, _ := x.held()
		if x.out {
			out += held
		} else {
			idle += held
		}
		if got := x.st.Held(); got != held {
			return fmt.Errorf("arena %d: the account says %d bytes, its chunks and its forks' have %d", i, got, held)
		}
		if x.live != nil {
			m := x.a.quota()
			if limit := m.Limit(); limit != 0 && x.exact && held > max(limit, before.held) {
				return fmt.Errorf("arena %d: %d bytes with a limit of %d", i, held, limit)
			}
		}
		c := x.st.Charged.Load()
		charged += c
		switch {
		case !x.out && c != 0:
			return fmt.Errorf("arena %d: %d bytes of the total are an idle arena's", i, c)
		case l.unknown:
		case x.out && !x.exact && c != 0:
			return fmt.Errorf("arena %d: %d bytes of the total are on its account, and there was none at its Get", i, c)
		case x.out && x.exact && c != held:
			return fmt.Errorf("arena %d: %d bytes of the total are on its account, and it has %d", i, c, held)
		}
		if c > held {
			return fmt.Errorf("arena %d: %d bytes of the total are on its account, and it has only %d", i, c, held)
		}
	}
	for _, f := range l.forks {
		if l.isolates {
			break // an ended fork keeps its memory, which is not counted
		}
		if held := f.region.Stats().Held; held != 0 && !l.knows(f) {
			return fmt.Errorf("a fork that was dropped has %d bytes", held)
		}
	}
	counts, s := l.p.stats.Counts(), l.p.Stats()
	if counts.Out != charged || l.total != 0 && charged > max(uintptr(l.total), before.charged) {
		return fmt.Errorf("%d bytes of a total of %d are out, the accounts say %d, before the step %d", counts.Out, l.total, charged, before.charged)
	}
	spare := l.p.stats.Cache.Bytes()
	if counts.Held != out+idle+spare || s.InUseBytes != int(out) || s.RetainedBytes != int(idle+spare) {
		return fmt.Errorf("%d bytes are out, %d idle, %d no arena's; %d are counted, %+v", out, idle, spare, counts.Held, s)
	}
	l.most = max(l.most, out+idle+spare)
	for _, x := range l.families {
		held, _ := x.held()
		l.largest = max(l.largest, held)
	}
	if s.Dropped != before.stats.Dropped || s.Mode == "heap" { // the state in the middle of the step is unknown
		l.most, l.largest = max(l.most, uintptr(s.HighWater)), max(l.largest, uintptr(s.LargestArena))
	}
	if s.HighWater != int(l.most) || s.LargestArena != int(l.largest) {
		return fmt.Errorf("the most was %d bytes, of one arena with its forks %d; %+v", l.most, l.largest, s)
	}
	return nil
}

// checkNumbers compares counters that only a single goroutine can predict.
func (l *ledger) checkNumbers() error {
	if s := l.p.Stats(); s.UsedAtPut != l.used || s.UsedAtPut.Count() != s.Puts || s.Forks != l.forked || s.LimitPerArena != l.perArena || s.LimitTotal != l.total {
		return fmt.Errorf("%+v at Put, %d forks, limits of %d and %d; %+v", l.used, l.forked, l.perArena, l.total, s)
	}
	return nil
}

// knows reports whether the fork f belongs to an existing arena.
func (l *ledger) knows(f *Arena) bool {
	for up := f; up != nil; up = up.forks.parent {
		if up.forks == nil || up.forks.parent == nil {
			return slices.ContainsFunc(l.families, func(x *ledgerForks) bool { return x.a == up })
		}
		if !slices.Contains(up.forks.parent.forks.list, up) {
			return false
		}
	}
	return false
}

// step does one operation and returns its description.
func (l *ledger) step() (string, error) {
	before := l.figures()
	var out []*ledgerForks
	for _, x := range l.families {
		if x.out {
			out = append(out, x)
		}
	}
	op := l.rnd.IntN(100)
	if len(out) == 0 || op < 4 && len(out) < 6 {
		return "Get", cmpErr(l.get(), l.check(before))
	}
	if op < 6 {
		return l.limit(), l.check(before)
	}
	x := out[l.rnd.IntN(len(out))]
	n := x.live[l.rnd.IntN(len(x.live))]
	what, single := l.change(x, n, op)
	var over *LimitError
	if what == "" {
		what, single, over = l.take(n)
	}
	after := l.figures()
	err := l.check(before)
	if over != nil {
		what += ", which is refused"
		err = cmpErr(err, l.refused(over, x, n.a, before, after, single))
	}
	return what, err
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// refused checks the error of a refusal by a, and that nothing has changed if it was a single allocation.
// Memory that a could drop does not count as used.
func (l *ledger) refused(e *LimitError, x *ledgerForks, a *Arena, before, after figures, single bool) error {
	others := after.charged - x.st.Charged.Load()
	held, _ := x.held()
	if a.forks != nil {
		for _, f := range a.forks.list[a.forks.out:] {
			spare, _ := heldWithForks(f)
			held -= spare
		}
	}
	limit := int(x.a.quota().Limit())
	if e.Pool {
		limit = l.total
	} else {
		others = 0
	}
	if e.Limit != limit || e.InUse+e.Asked <= e.Limit || e.Others != int(others) || e.InUse-e.Others > int(held) || e.InUse < e.Others {
		return fmt.Errorf("%+v, with a limit of %d, %d bytes of others and %d of its own", *e, limit, others, held)
	}
	if before.stats.Refused++; e.Pool {
		before.stats.RefusedByTotal++
	}
	if single && before != after {
		return fmt.Errorf("%+v, and before it was refused %+v", after, before)
	}
	return nil
}

// change does an operation that allocates nothing, or returns "".
func (l *ledger) change(x *ledgerForks, n *ledgerArena, op int) (what string, single bool) {
	switch {
	case op < 10:
		l.put(x)
		return "Put", false
	case op < 20 && len(x.live) < 8:
		f := n.a.Fork()
		l.forked++
		l.forks = append(l.forks, f)
		x.live = append(x.live, &ledgerArena{a: f, parent: n, born: n.a.forks.count})
		return "Fork", false
	case op < 26:
		n.a.Reset()
		x.end(n, 0)
		*n = ledgerArena{a: n.a, parent: n.parent, born: n.born}
		return "Reset", false
	case op < 29:
		n.a.Release()
		x.end(n, 0)
		*n = ledgerArena{a: n.a, parent: n.parent, born: n.born}
		return "Release", false
	case op < 33:
		n.marks = append(n.marks, n.a.Mark())
		n.ints, n.objects, n.buf, n.index = nil, nil, nil, nil
		return "Mark", false
	case op < 40 && len(n.marks) > 0:
		i := l.rnd.IntN(len(n.marks))
		n.a.Rewind(n.marks[i])
		x.end(n, n.marks[i].forks)
		*n = ledgerArena{a: n.a, parent: n.parent, born: n.born, marks: n.marks[:i+1]}
		return "Rewind", false
	case op < 42:
		x.a.SetLimit(l.rnd.IntN(3) * l.rnd.IntN(60_000))
		return "Limit of an arena", false
	}
	return "", false
}

// end forgets n's forks made after a mark, and their forks.
func (x *ledgerForks) end(n *ledgerArena, born uint64) {
	var gone []*ledgerArena
	x.live = slices.DeleteFunc(x.live, func(f *ledgerArena) bool {
		if f.parent == n && f.born > born {
			gone = append(gone, f)
			return true
		}
		return false
	})
	for _, f := range gone {
		x.end(f, 0)
	}
}

func (l *ledger) get() error {
	a := l.p.Get()
	x := l.forksOf(a.owner.stats)
	x.a, x.lies, x.out, x.live, x.exact = a, a.owner.idle, true, []*ledgerArena{{a: a}}, l.total != 0
	if held, _ := x.held(); l.perArena != 0 && int(held) > l.perArena/2 {
		return fmt.Errorf("an arena with a limit of %d begins with %d bytes", l.perArena, held)
	}
	return nil
}

// forksOf finds the arena with the given counters, or adds it.
func (l *ledger) forksOf(st *arenaStats) *ledgerForks {
	i := slices.IndexFunc(l.families, func(x *ledgerForks) bool { return x.st == st })
	if i < 0 {
		i = len(l.families)
		l.families = append(l.families, &ledgerForks{st: st})
	}
	return l.families[i]
}

func (l *ledger) put(x *ledgerForks) {
	used := uint64(0)
	for _, n := range x.live {
		used += uint64(n.a.region.Stats().Used)
	}
	class, bound := 0, uint64(256)
	for ; used > bound && class < len(l.used.Counts)-1; bound *= 2 {
		class++
	}
	l.used.Counts[class]++
	l.used.Bytes += used
	l.p.Put(x.a)
	x.rest()
}

// rest records that x was put back.
func (x *ledgerForks) rest() {
	x.out, x.live = false, nil
	switch {
	case x.lies == nil:
		x.a = nil // in heap mode it is used once
	case !check.Race:
		x.a = x.lies.arena // replaced by another one in builds without reuse
	}
}

// limit changes the pool's limits.
func (l *ledger) limit() string {
	if l.rnd.IntN(2) == 0 {
		l.perArena = l.rnd.IntN(3) * l.rnd.IntN(60_000)
	}
	if l.rnd.IntN(2) == 0 {
		l.total = l.rnd.IntN(3) * l.rnd.IntN(200_000)
	}
	if l.isolates {
		l.p.SetIsolation(l.rnd.IntN(3) != 0)
	}
	l.p.SetLimit(l.perArena, l.total)
	return fmt.Sprintf("Limit(%d, %d)", l.perArena, l.total)
}

// take allocates in n, and reports whether it was a single allocation.
func (l *ledger) take(n *ledgerArena) (what string, single bool, over *LimitError) {
	a, size := n.a, 1+l.rnd.IntN(40)<<l.rnd.IntN(12)
	defer func() {
		if v := recover(); v != nil {
			over = v.(*LimitError)
		}
	}()
	switch l.rnd.IntN(12) {
	case 0, 1:
		a.AllocBytes(size)
		return fmt.Sprintf("%d bytes", size), true, nil
	case 2:
		a.AllocString(strings.Repeat("x", size))
		return "a string", true, nil
	case 3, 4:
		for range 1 + size/100 {
			n.objects = append(n.objects, New[textPair](a))
		}
		return "objects", size < 100, nil
	case 5:
		MakeSlice[*int](a, size/8, size/8)
		return "pointers", true, nil
	case 6:
		New[[40]any](a)
		return "an array", true, nil
	case 7, 8:
		n.ints = Append(a, n.ints, make([]int, size/8)...)
		return "Append", true, nil
	case 9:
		if n.buf == nil {
			n.buf = NewBuffer(a, 0)
		}
		fmt.Fprintf(n.buf, "%*d", size, 7)
		return "Buffer", false, nil
	case 10:
		if n.index == nil {
			n.index = NewMap[string, *textPair](a, 0)
		}
		for i := range 1 + size/100 {
			n.index.Set(a.Sprintf("%d", i+size), New[textPair](a))
		}
		return "Map", false, nil
	}
	a.Concat("a", strings.Repeat("b", size), "c")
	return "Concat", true, nil
}

// The memory of a pool's arenas, including working and ended forks, is counted exactly after any operation of
// a program.
func TestPoolAccountAgainstTheModel(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // otherwise the sync.Pool drops arenas
	programs, steps := uint64(200), 400
	if testing.Short() || check.On {
		programs = 40
	}
	for seed := range programs {
		l := &ledger{rnd: rand.New(rand.NewPCG(seed, 23))}
		l.p = NewArenaPool(64<<l.rnd.IntN(8), l.rnd.IntN(100_000))
		if seed%3 == 0 {
			l.p = NewAutoPool(l.rnd.IntN(100_000))
		}
		if seed%2 == 0 {
			l.limit()
		}
		l.isolates = seed%5 == 1 && !check.Race
		if seed%7 == 2 {
			SetEnabled(false)
		}
		for step := range steps {
			what, err := l.step()
			if err = cmpErr(err, l.checkNumbers()); err != nil {
				t.Fatalf("program %d, step %d, %s: %v", seed, step, what, err)
			}
		}
		SetEnabled(true)
		// Some arenas in use are leaked now, and some are idle: the collector frees both.
		p, used := l.p, l.used
		p.SetMaxIdleBytes(0)
		l = nil
		for range 50 {
			if testkit.Finalizers(t, 1); p.Stats().Arenas == 0 {
				break
			}
		}
		s, counts := p.Stats(), p.stats.Counts()
		if s.Arenas != 0 || s.InUseBytes != 0 || s.RetainedBytes != 0 || counts.Held != 0 || counts.Out != 0 || s.Gets != s.Puts+s.Leaked || s.UsedAtPut != used {
			t.Fatalf("program %d: in the end %+v, %+v", seed, s, counts)
		}
	}
}
