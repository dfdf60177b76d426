package flow

import (
	"go/token"
	"iter"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

// state holds what may be true at one point of a function.
type state struct {
	budget *int // remaining cost of the search
	regs   map[ssa.Value]value
	cells  []*object // contents of objects, by site number; nil if none was seen
	filled int       // number of non-nil cells
	own    *int      // identifies the objects that no other state shares
	stale  bool      // something stale may be held

	open   map[*Site]bool      // arenas from Get without Put yet
	handed map[*Site]token.Pos // arenas in use by a goroutine, and where it was started
	lent   map[*Site]lending   // arenas whose memory went to a goroutine or channel
	defers map[*ssa.Defer]bool // deferred calls; true: on every path
	done   map[*effectKey]bool // effects on arenas of callers; true: on every path
	unread map[*Site]bool      // Uninit memory that no path has written
	made   siteSet             // sites whose instruction has run
	marks  map[*Site]uint64    // marks taken of an arena
	dirty  uint64              // marks whose arena has been used since
	locked bool                // a mutex is held, on every path
	reads  map[*Site]bool      // memory of callers that was read on every path; true: to unlock a mutex
	ended  map[*Site]*Event    // arenas of callers that were taken back on every path
	late   map[lateKey]lateUse // uses after that, on every path
}

// lending says where and how memory of an arena was given away.
type lending struct {
	pos token.Pos
	how string
}

// effectKey identifies an effect of a function.
type effectKey struct {
	op   Op
	at   Place
	mark Place
	from Source
}

func newState(budget *int) *state {
	return &state{
		budget: budget,
		regs:   map[ssa.Value]value{}, own: new(int), open: map[*Site]bool{},
		handed: map[*Site]token.Pos{}, lent: map[*Site]lending{}, defers: map[*ssa.Defer]bool{},
		done: map[*effectKey]bool{}, unread: map[*Site]bool{}, marks: map[*Site]uint64{}, reads: map[*Site]bool{},
		ended: map[*Site]*Event{}, late: map[lateKey]lateUse{},
	}
}

func (s *state) clone() *state {
	*s.budget -= 16 + s.size()
	s.own = new(int)
	return &state{
		budget: s.budget,
		regs:   maps.Clone(s.regs), cells: slices.Clone(s.cells), filled: s.filled, own: new(int), stale: s.stale, open: maps.Clone(s.open),
		handed: maps.Clone(s.handed), lent: maps.Clone(s.lent), defers: maps.Clone(s.defers), done: maps.Clone(s.done),
		unread: maps.Clone(s.unread), made: s.made.clone(), marks: maps.Clone(s.marks), dirty: s.dirty, locked: s.locked, reads: maps.Clone(s.reads),
		ended: maps.Clone(s.ended), late: maps.Clone(s.late),
	}
}

// load returns the cells of parts, at off in an object.
func (s *state) load(k *Site, off string, parts []access.Leaf) value {
	var out value
	o := s.object(k)
	*s.budget -= len(parts) * (1 + len(s.parts(k)))
	for _, l := range parts {
		at := off + l.Path
		found := false
		for _, p := range o.below(at) {
			rest := p.off[len(at):]
			found = found || rest == ""
			out = out.fill(l.Path+rest, p.atoms)
		}
		if !found && k.Kind == SymbolSite {
			atoms := k.initial(at)
			s.set(k, at, atoms)
			o = s.object(k)
			out = out.fill(l.Path, atoms)
		}
	}
	return out
}

func (s *state) set(k *Site, off string, atoms []Atom) {
	s.write(k).set(off, atoms)
	s.stale = s.stale || slices.ContainsFunc(atoms, func(a Atom) bool { return a.Stale != nil })
}

// store stores v at off in an object. A strong store replaces the old contents.
func (s *state) store(k *Site, off string, parts []access.Leaf, v value, strong bool) {
	*s.budget -= 1 + len(v)
	if strong {
		*s.budget -= len(s.parts(k))
		if len(s.object(k).below(off)) > 0 {
			o := s.write(k)
			o.parts = slices.DeleteFunc(o.parts, func(p part) bool { return strings.HasPrefix(p.off, off) })
			o.sites = nil
		}
		if k.Kind == SymbolSite {
			for _, l := range parts {
				s.set(k, off+l.Path, nil)
			}
		}
	}
	for len(v) > 0 {
		at, n := off+v[0].path, 1
		for n < len(v) && v[n].path == v[0].path {
			n++
		}
		old, ok := s.at(k, at)
		if !ok {
			old = k.initial(at)
		}
		atoms := make([]Atom, n)
		for i, e := range v[:n] {
			atoms[i] = e.a
		}
		s.set(k, at, addAtoms(old, atoms))
		v = v[n:]
	}
}

// rewrite replaces each atom that leads to, or was allocated from, a meant site by the result of f. hint is as in
// object.mentions. Unchanged values are not copied.
func (s *state) rewrite(meant func(*Site) bool, hint uint64, f func(Atom) (Atom, bool)) {
	*s.budget -= s.size()
	stays := func(a Atom) bool {
		b, ok := f(a)
		s.stale = s.stale || b.Stale != nil
		return ok && a == b
	}
	for k, v := range s.regs {
		if !slices.ContainsFunc(v, func(e entry) bool { return !stays(e.a) }) {
			continue
		}
		var out value
		for _, e := range v {
			if a, ok := f(e.a); ok {
				out = out.push(entry{e.path, a})
			}
		}
		s.regs[k] = out
	}
	cost := 0
	for o := range s.objects() {
		if !o.mentions(meant, hint, &cost) {
			continue
		}
		cost += len(o.parts)
		for _, p := range o.parts {
			if !slices.ContainsFunc(p.atoms, func(a Atom) bool { return !stays(a) }) {
				continue
			}
			out := make([]Atom, 0, len(p.atoms))
			for _, old := range p.atoms {
				if a, ok := f(old); ok && !slices.Contains(out, a) {
					out = append(out, a)
				}
			}
			s.write(o.site).set(p.off, out)
		}
	}
	*s.budget -= cost
}

// remake notes that the instructions of all run again. Their earlier objects are the older ones from now on.
func (s *state) remake(all ...*Site) {
	var again []*Site
	hint := uint64(0)
	for _, k := range all {
		if s.made.add(k) {
			continue
		}
		if k.older == nil {
			c := *k
			c.isOld, c.older, c.number, c.hint = true, nil, k.number+1, k.hint<<1|k.hint>>63
			k.older = &c
		}
		k.remade, hint = true, hint|k.hint
		again = append(again, k)
	}
	if len(again) == 0 {
		return
	}
	rename := func(x *Site) *Site {
		if x != nil && x.remade {
			return x.older
		}
		return x
	}
	s.rewrite(func(x *Site) bool { return x.remade }, hint, func(a Atom) (Atom, bool) {
		a.Site, a.Region = rename(a.Site), rename(a.Region)
		return a, true
	})
	for _, k := range again {
		k.remade = false
		o := k.older
		for _, p := range s.parts(k) {
			if len(p.atoms) > 0 {
				had, _ := s.at(o, p.off)
				s.set(o, p.off, addAtoms(had, p.atoms))
			}
		}
		s.drop(k)
		delete(s.handed, k)
		if l, ok := s.lent[k]; ok {
			delete(s.lent, k)
			s.lent[o] = l
		}
		delete(s.marks, k)
	}
}

// size is the cost of a copy.
func (s *state) size() int { return len(s.regs) + s.filled + s.made.size }

// maxReach is the number of pointers that reach follows.
const maxReach = 6

// reach calls f for every atom reachable from v through known objects, with its distance in pointers.
func (s *state) reach(v value, f func(a Atom, depth int)) { s.reachTo(v, maxReach, f) }

func (s *state) reachTo(v value, most int, f func(a Atom, depth int)) {
	seen := map[Atom]bool{}
	var walk func(a Atom, depth int)
	walk = func(a Atom, depth int) {
		if seen[a] || depth > most {
			return
		}
		seen[a] = true
		*s.budget -= 1 + len(s.parts(a.Site))
		f(a, depth)
		for _, p := range s.parts(a.Site) {
			for _, b := range p.atoms {
				walk(b, depth+1)
			}
		}
	}
	for _, e := range v {
		walk(e.a, 0)
	}
}

type lateKey struct{ arena, used *Site }

// lateUse is a LateUse without places.
type lateUse struct {
	by     Op
	unlock bool
	pos    token.Pos
	ended  token.Pos
}

// noteRead notes a read of memory behind an argument. An argument itself is read at the call.
func (s *state) noteRead(v value, unlock bool) {
	atoms := v.atoms()
	if len(atoms) != 1 || len(s.reads) >= maxReads {
		return
	}
	k := atoms[0].Site
	if k.Kind != SymbolSite || atoms[0].Stale != nil || summarySymbol(k) || !strings.Contains(k.Path, access.Deref) {
		return
	}
	s.reads[k] = s.reads[k] || unlock
}

// mutexCall notes that a call locks or unlocks a mutex. A read lock does not count, because it can be shared. An arena
// that is only used while any mutex is held is used by one goroutine at a time; which mutex it is, is not followed.
func (s *state) mutexCall(name string) {
	switch name {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock":
		s.locked = true
	case "sync.Mutex.Unlock", "sync.RWMutex.Unlock":
		s.locked = false
	}
}

// parts returns the contents of k, for reading.
func (s *state) parts(k *Site) []part {
	if o := s.object(k); o != nil {
		return o.parts
	}
	return nil
}

// at returns the contents of k at off, and reports whether they are known.
func (s *state) at(k *Site, off string) ([]Atom, bool) {
	o := s.object(k)
	if i, ok := o.find(off); ok {
		return o.parts[i].atoms, true
	}
	return nil, false
}

// write returns the contents of k, for writing.
func (s *state) write(k *Site) *object {
	o := s.object(k)
	switch {
	case o == nil:
		o = &object{site: k}
	case o.own == s.own:
		return o
	default:
		*s.budget -= len(o.parts)
		o = &object{site: k, parts: slices.Clone(o.parts), hints: o.hints}
	}
	o.own = s.own
	s.keep(o)
	return o
}

// object returns the contents of k, or nil.
func (s *state) object(k *Site) *object {
	if k.number < len(s.cells) {
		return s.cells[k.number]
	}
	return nil
}

// objects returns the objects with known contents.
func (s *state) objects() iter.Seq[*object] {
	return func(yield func(*object) bool) {
		for _, o := range s.cells {
			if o != nil && !yield(o) {
				return
			}
		}
	}
}

// keep sets the contents of o's site.
func (s *state) keep(o *object) {
	n := o.site.number
	if n >= len(s.cells) {
		s.cells = append(s.cells, make([]*object, n+1-len(s.cells))...)
	}
	if s.cells[n] == nil {
		s.filled++
	}
	s.cells[n] = o
}

// drop forgets the contents of k.
func (s *state) drop(k *Site) {
	if s.object(k) != nil {
		s.cells[k.number] = nil
		s.filled--
	}
}
