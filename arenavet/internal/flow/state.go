package flow

import (
	"go/token"
	"iter"
	"maps"
	"math/bits"
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

	known  outcomes            // of conditions, on every path
	open   map[*Site]step      // arenas from Get without Put yet
	handed map[*Site]step      // arenas in use by a goroutine, and where it was started
	lent   map[*Site]step      // arenas whose memory went to a goroutine or channel, and how
	back   map[*Event]step     // events that have happened
	defers map[*ssa.Defer]bool // deferred calls; true: on every path
	done   map[*effectKey]bool // effects on arenas of callers; true: on every path
	unread map[*Site]bool      // Uninit memory that no path has written
	made   siteSet             // sites whose instruction has run
	marks  map[*Site]uint64    // marks taken of an arena
	dirty  uint64              // marks whose arena has been used since
	locked bool                // a mutex is held, on every path
	ended  map[*Site]*Event    // arenas of callers that were taken back on every path
	uses   map[useKey]use      // uses of memory of callers on every path
}

// outcomes says whether registers are true, or nil. It is never changed.
type outcomes map[ssa.Value]bool

// step is something that has happened on some of the paths to a point, all of which had the outcomes in when.
type step struct {
	pos  token.Pos
	how  string
	when outcomes
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
		regs:   map[ssa.Value]value{}, own: new(int), open: map[*Site]step{},
		handed: map[*Site]step{}, lent: map[*Site]step{}, back: map[*Event]step{}, defers: map[*ssa.Defer]bool{},
		done: map[*effectKey]bool{}, unread: map[*Site]bool{}, marks: map[*Site]uint64{},
		ended: map[*Site]*Event{}, uses: map[useKey]use{},
	}
}

func (s *state) clone() *state {
	*s.budget -= 16 + s.size()
	s.own = new(int)
	return &state{
		budget: s.budget,
		regs:   maps.Clone(s.regs), cells: slices.Clone(s.cells), filled: s.filled, own: new(int), stale: s.stale, known: s.known, open: maps.Clone(s.open),
		handed: maps.Clone(s.handed), lent: maps.Clone(s.lent), back: maps.Clone(s.back), defers: maps.Clone(s.defers), done: maps.Clone(s.done),
		unread: maps.Clone(s.unread), made: s.made.clone(), marks: maps.Clone(s.marks), dirty: s.dirty, locked: s.locked,
		ended: maps.Clone(s.ended), uses: maps.Clone(s.uses),
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
		s.set(k, at, union(old, atoms))
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
				s.set(o, p.off, union(had, p.atoms))
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
	s.reachBy(v, most, func(Atom, part) bool { return true }, f)
}

// reachBy is reachTo for the parts of an atom's object that follows chooses.
func (s *state) reachBy(v value, most int, follows func(Atom, part) bool, f func(a Atom, depth int)) {
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
			if !follows(a, p) {
				continue
			}
			for _, b := range p.atoms {
				walk(b, depth+1)
			}
		}
	}
	for _, e := range v {
		walk(e.a, 0)
	}
}

// useKey identifies a use of memory behind an argument, before or after arena, if it is not nil, is taken back.
type useKey struct{ arena, used *Site }

// use is an Access without places.
type use struct {
	by     Op
	unlock bool
	pos    token.Pos
	ended  token.Pos
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

// object is the contents of a site's objects. States share unchanged objects.
type object struct {
	site  *Site
	own   *int    // of the state that may change it, or nil
	parts []part  // sorted by path
	sites []*Site // sites in parts, each once; nil if not computed
	hints uint64  // a superset of their hints
}

// part is the contents at a path within an object. Lists of atoms are shared and never changed.
type part struct {
	off   string
	atoms []Atom
}

// find returns the index of the part at off, or where it belongs.
func (o *object) find(off string) (int, bool) { return o.findNear(0, off) }

// findNear is find with a guess.
func (o *object) findNear(near int, off string) (int, bool) {
	if o == nil {
		return 0, false
	}
	if near < len(o.parts) && o.parts[near].off == off {
		return near, true
	}
	return slices.BinarySearchFunc(o.parts, off, func(p part, off string) int { return strings.Compare(p.off, off) })
}

// below returns the parts whose paths begin with off.
func (o *object) below(off string) []part {
	i, _ := o.find(off)
	if o == nil {
		return nil
	}
	j := i
	for j < len(o.parts) && strings.HasPrefix(o.parts[j].off, off) {
		j++
	}
	return o.parts[i:j:j]
}

func (o *object) set(off string, atoms []Atom) {
	if i, ok := o.find(off); ok {
		o.parts[i].atoms = atoms
	} else {
		o.parts = slices.Insert(o.parts, i, part{off, atoms})
	}
	o.sites = nil
	o.note(atoms)
}

func (o *object) note(atoms []Atom) {
	for i := range atoms {
		if o.hints |= atoms[i].Site.hint; atoms[i].Region != nil {
			o.hints |= atoms[i].Region.hint
		}
	}
}

// mentions reports whether o leads to a meant site, or to memory allocated from one. It adds its cost to cost. hint has
// the hints of all meant sites, or is 0 if they are unknown.
func (o *object) mentions(meant func(*Site) bool, hint uint64, cost *int) bool {
	if hint != 0 && o.hints&hint == 0 {
		*cost++
		return false
	}
	if o.sites == nil {
		o.sites, o.hints = make([]*Site, 0, len(o.parts)), 0
		for _, p := range o.parts {
			*cost += 1 + len(p.atoms)
			o.note(p.atoms)
			for i := range p.atoms {
				for _, k := range [2]*Site{p.atoms[i].Site, p.atoms[i].Region} {
					if k != nil && !slices.Contains(o.sites, k) {
						o.sites = append(o.sites, k)
					}
				}
			}
		}
	}
	*cost += len(o.sites)
	return slices.ContainsFunc(o.sites, meant)
}

// siteSet is a set of sites.
type siteSet struct {
	words []uint64 // a bit for each number
	size  int
}

func (s *siteSet) has(k *Site) bool {
	n := k.number / 64
	return n < len(s.words) && s.words[n]&(1<<(k.number%64)) != 0
}

// add adds k and reports whether it is new.
func (s *siteSet) add(k *Site) bool {
	if s.has(k) {
		return false
	}
	if n := k.number/64 + 1; n > len(s.words) {
		s.words = append(s.words, make([]uint64, n-len(s.words))...)
	}
	s.words[k.number/64] |= 1 << (k.number % 64)
	s.size++
	return true
}

// join adds t and reports whether a site is new.
func (s *siteSet) join(t siteSet) bool {
	if n := len(t.words) - len(s.words); n > 0 {
		s.words = append(s.words, make([]uint64, n)...)
	}
	had := s.size
	for n, w := range t.words {
		s.size += bits.OnesCount64(w &^ s.words[n])
		s.words[n] |= w
	}
	return s.size > had
}

func (s *siteSet) clone() siteSet { return siteSet{slices.Clone(s.words), s.size} }

// follow returns what path leads to from v, or nothing beyond the depth of paths. To take everything reachable instead
// would relate unrelated values.
func follow(st *state, v value, path string) value {
	if strings.Contains(path, access.Anything) {
		return nil
	}
	whole := path
	for path != "" {
		i := strings.Index(path, access.Deref)
		if i < 0 {
			return v.sel(path)
		}
		pointers, at := v, path[:i]
		path = path[i+len(access.Deref):]
		off := path
		if j := strings.Index(path, access.Deref); j >= 0 {
			off = path[:j]
		}
		path = strings.TrimPrefix(path, off)
		off, times, again := strings.Cut(off, access.Recur)
		v = nil
		for _, e := range pointers {
			if e.path == at {
				v = v.union(st.load(e.a.Site, e.a.off+off, []access.Leaf{{}}))
			}
		}
		if again {
			done := whole[:len(whole)-len(path)-len(access.Recur)-len(times)]
			v = around(st, v, done, int(times[0]-'0'))
		}
	}
	return v
}

// around follows the last n pointers of path from v any number of times.
func around(st *state, v value, path string, n int) value {
	i := len(path)
	for range n {
		i = strings.LastIndex(path[:i], access.Deref)
	}
	for range maxEntries {
		more := v.union(follow(st, v, path[i:]))
		if len(more) == len(v) {
			break
		}
		v = more
	}
	return v
}
