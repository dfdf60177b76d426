package arena

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/internal/live"
)

// Leak is a place in the program whose Gets lacked a Put: arenas from there
// were found by the collector.
type Leak struct {
	Count uint64    // such arenas, of those whose stacks were kept
	Stack []uintptr // the stack of the Get, for runtime.CallersFrames
}

// String returns the count and the stack, a line for each function and its
// position, as a goroutine's trace has them.
func (l Leak) String() string {
	var b strings.Builder
	b.WriteString("leaked arenas: " + strconv.FormatUint(l.Count, 10) + ", from a Get called by\n")
	writeStack(&b, l.Stack)
	return b.String()
}

// maxLeaks is from how many places leaks are told apart, so that recursion
// without end does not fill the memory.
const maxLeaks = 1000

// SetLeakSampling makes one Get in rate, picked at random, keep its stack, for
// Leaks and for the profile of live arenas, see package arenapprof. 1 keeps
// all, 0 none, which is how a pool begins; a negative rate panics.
//
// A Get that keeps its stack walks it and allocates, and more for the profile;
// the others pick a random number and allocate nothing. SetLeakSampling may be
// called at any time; arenas that are out keep what they have.
func (p *ArenaPool) SetLeakSampling(rate int) {
	if rate < 0 {
		panic("arena: " + p.name() + ".SetLeakSampling: negative rate " + itoa(rate))
	}
	if p != nil {
		p.configure(func(c *config) { c.rate = rate })
	}
}

// Leaks returns where arenas came from that were collected without a Put, as
// far as SetLeakSampling kept stacks, most of them first. With a rate of n a
// Count of 1 stands for about n leaks; PoolStats.Leaked has their exact number.
// Arenas are found to be leaked only after a collection, a moment later.
//
// Stacks have their 32 innermost functions. What comes from more than 1,000
// places is counted in PoolStats alone.
func (p *ArenaPool) Leaks() []Leak {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found := make([]Leak, 0, len(p.leaks))
	for s, n := range p.leaks {
		found = append(found, Leak{Count: n, Stack: slices.Clone(s.pcs())})
	}
	slices.SortFunc(found, func(a, b Leak) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(a.Stack, b.Stack))
	})
	return found
}

// leaked counts a leak from where s was taken. A KeyedPool has those of all keys.
func (p *ArenaPool) leaked(s *sample) {
	if p.base != nil {
		p = p.base
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.leaks[s.stack]; !known && len(p.leaks) >= maxLeaks {
		return
	}
	if p.leaks == nil {
		p.leaks = map[stack]uint64{}
	}
	p.leaks[s.stack]++
}

// stackDepth is how many of the innermost callers a sample has.
const stackDepth = 32

type stack [stackDepth]uintptr

func (s *stack) pcs() []uintptr {
	depth := stackDepth
	for depth > 0 && s[depth-1] == 0 {
		depth--
	}
	return s[:depth]
}

// sample is the stack of one Get.
type sample struct {
	stack   stack
	rate    int
	stats   *arenaStats
	profile live.Profile // where it was entered, nil for nowhere
}

// takeSample returns the stack of the caller of Get, for the arena of st.
func takeSample(st *arenaStats, rate int) *sample {
	const own = 3 // takeSample, checkout and Get
	s := &sample{rate: rate, stats: st}
	runtime.Callers(own+1, s.stack[:])
	if profile := live.Current.Load(); profile != nil {
		s.profile = *profile
		s.profile.Add(s)
	}
	return s
}

// end notes that the arena is out no more.
func (s *sample) end() {
	if s.profile != nil {
		s.profile.Remove(s)
	}
}

// What follows is for the profile.

func (s *sample) Stack() []uintptr { return s.stack.pcs() }
func (s *sample) Rate() int        { return s.rate }
func (s *sample) Bytes() int       { return int(s.stats.Held()) }
