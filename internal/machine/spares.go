package machine

import (
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ebbpool/arena/internal/check"
)

// Spares are the idle chunks of a pool that no arena has: what large requests needed
// beyond what three of four do. There is one set of them for each large request that
// was in progress at once, where each arena would have one for its next large request.
//
// A chunk with pointers is handed out as its own type's again, and so stays part of one
// kind of lane; its memory is zero. Lanes that isolate or guard their epochs have no part
// in this.
type Spares struct {
	limit atomic.Uintptr // most bytes; 0: lanes share nothing
	bytes atomic.Uintptr

	mu    sync.Mutex
	of    map[reflect.Type]*typeSpares // nil: of values without pointers
	now   uint32                       // counts every Window epochs of an arena
	began time.Time                    // when Age last counted
}

// typeSpares are the chunks of one type, by the classes of their sizes; those that came
// back last are last.
type typeSpares [][]spare

type spare struct {
	chunk
	since uint32 // when it came back
}

const (
	// spareLeast is the size of the smallest chunk that is shared, in bytes: to take a
	// smaller one from the pool costs much beside what its values do.
	spareLeast = 4 << 10

	// spareAge is after how long a chunk that nobody took goes, in windows of epochs of
	// any of the pool's arenas: one large request in 200 finds what the last one had.
	spareAge = 32

	// sparePeriod is how long half of that takes where there are no requests.
	sparePeriod = 30 * time.Second
)

// shares reports whether the lane has its pool keep what it needs rarely.
func (l *Lane) shares() bool {
	q := l.ops.quota
	return !check.On && !check.Race && q != nil && q.stats != nil && q.guarded == nil && !l.retention.isolates && q.stats.Spares.limit.Load() != 0
}

// take returns a chunk of the type of from least to most bytes, if there is one.
func (s *Spares) take(t reflect.Type, least, most uintptr) (c chunk, ok bool) {
	if s.bytes.Load() == 0 {
		return c, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	stacks := s.of[t]
	if stacks == nil {
		return c, false
	}
	for class := sizeClass(least); class < min(sizeClass(most)+1, len(*stacks)); class++ {
		stack := (*stacks)[class]
		for i := len(stack) - 1; i >= max(0, len(stack)-4); i-- { // the first and the last class have others, too
			if n := stack[i].cap; n < least || n > most {
				continue
			}
			c = stack[i].chunk
			copy(stack[i:], stack[i+1:])
			stack[len(stack)-1] = spare{}
			(*stacks)[class] = stack[:len(stack)-1]
			s.bytes.Add(-c.cap)
			return c, true
		}
	}
	return c, false
}

// addSpare takes an empty chunk of the type, unless there are too many.
func (s *PoolStats) addSpare(t reflect.Type, c chunk) {
	if !s.Spares.add(t, c) {
		s.drop(c.cap, 1)
	}
}

func (s *Spares) add(t reflect.Type, c chunk) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes.Load()+c.cap > s.limit.Load() {
		return false
	}
	if s.of == nil {
		s.of = map[reflect.Type]*typeSpares{}
	}
	stacks := s.of[t]
	if stacks == nil {
		stacks = new(typeSpares)
		s.of[t] = stacks
	}
	class := sizeClass(c.cap)
	for len(*stacks) <= class {
		*stacks = append(*stacks, nil)
	}
	(*stacks)[class] = append((*stacks)[class], spare{c, s.now})
	s.bytes.Add(c.cap)
	return true
}

// Bytes returns the size of all chunks.
func (s *Spares) Bytes() uintptr { return s.bytes.Load() }

// Bound sets the most bytes that chunks may have: 0 has lanes share nothing.
func (s *PoolStats) Bound(bytes uintptr) {
	s.Spares.limit.Store(bytes)
	s.dropSpares(func(spare) bool { return s.Spares.bytes.Load() > bytes })
}

// Age has chunks go that nobody took for long, and those that are more than most bytes
// together. It is called after collections, and looks at the time for pools that have no
// requests.
func (s *PoolStats) Age(now time.Time, most uintptr) {
	if check.Race {
		return // nothing is shared, and the race detector must not see whom this waits for
	}
	x := &s.Spares
	x.mu.Lock()
	long := now.Sub(x.began) >= sparePeriod
	if long {
		x.now, x.began = x.now+spareAge/2, now
	}
	x.mu.Unlock()
	if long {
		s.dropOldSpares()
	}
	if x.bytes.Load() > most {
		s.dropSpares(func(spare) bool { return x.bytes.Load() > most })
	}
}

// tick counts a window of an arena's epochs.
func (s *PoolStats) tick() {
	x := &s.Spares
	if x.bytes.Load() == 0 {
		return
	}
	x.mu.Lock()
	x.now++
	look := x.now%(spareAge/8) == 0
	x.mu.Unlock()
	if look {
		s.dropOldSpares()
	}
}

func (s *PoolStats) dropOldSpares() {
	s.dropSpares(func(x spare) bool { return s.Spares.now-x.since > spareAge })
}

// dropSpares leaves the chunks to the collector of which drop says so: of two that came
// back at different times the older one first.
func (s *PoolStats) dropSpares(drop func(spare) bool) {
	x := &s.Spares
	x.mu.Lock()
	defer x.mu.Unlock()
	for t, stacks := range x.of {
		left := 0
		for class, stack := range *stacks {
			n := 0
			for n < len(stack) && drop(stack[n]) {
				x.bytes.Add(-stack[n].cap)
				s.drop(stack[n].cap, 1)
				n++
			}
			if n != 0 {
				stack = append([]spare(nil), stack[n:]...)
				(*stacks)[class] = stack
			}
			left += len(stack)
		}
		if left == 0 {
			delete(x.of, t)
		}
	}
}

// leftover is a chunk that a lane does not retain, until the end of its region's epoch.
type leftover struct {
	lane *Lane
	chunk
}

// leaveChunk gives up a chunk that is in none of the lane's lists any more: to the pool's
// other arenas if they may have a use for it, or the collector.
func (l *Lane) leaveChunk(c chunk, useful bool) {
	q := l.ops.quota
	if c.cap < spareLeast/2 || !useful || !l.shares() {
		q.give(c.cap, 1)
		return
	}
	q.leftovers = append(q.leftovers, leftover{l, c})
	q.flat.left = true
}

// settle has the pool take what the lanes left, as far as that fits into most bytes with
// what they retain, and the collector the rest.
func (q *Quota) settle(most uintptr) {
	retained := q.account.held.Load() + q.account.spared.Load()
	for _, x := range q.leftovers {
		retained -= x.cap
	}
	for i := range q.leftovers {
		x := &q.leftovers[i]
		if x.cap > most-min(most, retained) {
			q.give(x.cap, 1)
			continue
		}
		retained += x.cap
		x.lane.takeBack(&x.chunk, 0, x.cap)
		q.part(x.cap)
		if q.idleForks != nil {
			q.account.spared.Add(x.cap)
		}
		q.stats.addSpare(x.lane.ops.typ(), x.chunk)
	}
	clear(q.leftovers)
	q.leftovers, q.flat.left = q.leftovers[:0], false
}

// grant returns how many bytes the limits allow for a chunk that should have n bytes, and
// must have need, or one of the pool's chunks in place of it. It panics where they don't
// allow need.
func (l *Lane) grant(need, n uintptr, beside bool) (c chunk, granted uintptr) {
	if n >= spareLeast/2 && l.shares() {
		most := 2 * n
		if l.Base == nil {
			most = n + n/4 // the lane is to retain it
		}
		if left := l.ops.quota.Left(); left != noLimit {
			n = shareOf(left, need, n, l.align())
			most = min(most, max(n, left/share))
		}
		if c, granted = l.takeSpare(need, max(need, n-n/4), most, beside); granted != 0 {
			return c, granted
		}
	}
	return c, l.ops.quota.grant(need, n, l.align(), l.kept(beside))
}

// kept returns l if it goes on with its current chunk beside a new one, else nil.
func (l *Lane) kept(beside bool) *Lane {
	if beside {
		return l
	}
	return nil
}

// takeSpare returns one of the pool's chunks, from least to most bytes, for a lane that
// needs one of need bytes, if the limits allow; else how many bytes they do, and 0 where
// the pool has none. It panics as Quota.grant does.
func (l *Lane) takeSpare(need, least, most uintptr, beside bool) (c chunk, granted uintptr) {
	q, t := l.ops.quota, l.ops.typ()
	c, ok := q.stats.Spares.take(t, least, most)
	if !ok {
		return c, 0
	}
	defer func() {
		if granted != c.cap {
			q.stats.addSpare(t, c)
			c = chunk{}
			return
		}
		q.adopt(granted)
		l.retention.made()
	}()
	return c, q.grant(need, c.cap, l.align(), l.kept(beside))
}
