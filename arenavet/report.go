package arenavet

import (
	"cmp"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// findOf is find for what an event took back.
func (f *function) findOf(e *event, r rule, pos token.Pos, key any, text string) {
	if f.reporting {
		f.findings = append(f.findings, finding{rule: r, pos: pos, text: text, key: key, of: e})
	}
}

// find notes a finding, in the pass that reports.
func (f *function) find(r rule, pos token.Pos, key any, text string, fix ...analysis.SuggestedFix) {
	if f.reporting {
		f.findings = append(f.findings, finding{rule: r, pos: pos, text: text, key: key, fix: fix})
	}
}

// report reports the findings, of those that say the same the first.
func (f *function) report(ignored ignoredLines) {
	slices.SortStableFunc(f.findings, func(a, b finding) int { return cmp.Compare(a.pos, b.pos) })
	said := map[any]bool{}
	type spot struct {
		rule rule
		pos  token.Pos
	}
	// What one event took back is one mistake of a line, though a value and its
	// field are used there, or a slice and its elements are stored.
	type mistake struct {
		rule rule
		of   *event
		n    int
	}
	used := map[mistake]bool{}
	for _, x := range f.findings {
		if x.rule == ruleStale {
			used[mistake{ruleStale, x.of, f.c.pass.Fset.Position(x.pos).Line}] = true
		}
	}
	for _, x := range f.findings {
		p := f.c.pass.Fset.Position(x.pos)
		if ignored.cover(p) {
			continue // and it has not been said: the next of its kind is
		}
		at := spot{x.rule, x.pos}
		if said[at] || x.key != nil && said[x.key] {
			continue
		}
		said[at] = true
		if x.key != nil {
			said[x.key] = true
		}
		if x.rule == ruleEscape && used[mistake{ruleStale, x.of, p.Line}] {
			continue // the use that led to it is reported
		}
		one := mistake{x.rule, x.of, p.Line}
		if x.of != nil && said[one] {
			continue
		}
		said[one] = true
		f.c.pass.Report(analysis.Diagnostic{
			Pos: x.pos, Category: string(x.rule), Message: x.text + " (docs/arenavet.md#" + string(x.rule) + ")",
			URL: page + "#" + string(x.rule), SuggestedFixes: x.fix,
		})
	}
}

// use reports if v was taken back.
func (f *function) use(st *state, v value, instr ssa.Instruction) {
	f.useBy(st, v, instr, unlocksBy(instr))
}

// useBy is use, and reports whether it is by giving back a mutex.
func (f *function) useBy(st *state, v value, instr ssa.Instruction, unlock bool) {
	st.noteRead(v, unlock)
	f.noteLate(st, v, unlock, f.position(instr))
	for _, a := range v.atoms() {
		if a.stale == nil {
			continue
		}
		if a.region == nil {
			f.reportStaleHandle(a, f.position(instr))
		} else if a.site.kind != markSite {
			f.reportStale(a, f.position(instr), unlock)
		}
	}
}

// read is use, and reports if v was never written.
func (f *function) read(st *state, v value, instr ssa.Instruction) {
	f.use(st, v, instr)
	for _, a := range v.atoms() {
		if st.unread[a.site] {
			f.find(ruleUninit, f.position(instr), a.site, "read of "+f.memoryName(a)+
				", which MakeSliceUninit did not clear and nothing has written yet: write it first, or use MakeSlice")
		}
	}
}

// position is where an instruction stands in the source, or the expression
// that it belongs to.
func (f *function) position(instr ssa.Instruction) token.Pos {
	if instr.Pos().IsValid() {
		return instr.Pos()
	}
	for _, p := range instr.Operands(nil) {
		switch op := (*p).(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp, *ssa.Slice, *ssa.Call, *ssa.Convert:
			if pos := f.position(op.(ssa.Instruction)); pos.IsValid() {
				return pos
			}
		}
	}
	// The nearest instruction before it that has one.
	b := instr.Block()
	for i := slices.Index(b.Instrs, instr); i >= 0; i-- {
		if b.Instrs[i].Pos().IsValid() {
			return b.Instrs[i].Pos()
		}
	}
	return f.fn.Pos()
}

// line names a line of the source, and its file if that is not the function's.
func (f *function) line(pos token.Pos) string {
	p, here := f.c.pass.Fset.Position(pos), f.c.pass.Fset.Position(f.fn.Pos())
	if p.Filename != here.Filename {
		return itoa(p.Line) + " of " + filepath.Base(p.Filename)
	}
	return itoa(p.Line)
}

// within reports whether pos stands in the source of the function, its literals
// included.
func (f *function) within(pos token.Pos) bool {
	body := f.fn.Syntax()
	return body != nil && body.Pos() <= pos && pos < body.End()
}

// taken says what took memory back: "Put on line 7 has taken back".
func (f *function) taken(e *event) string {
	name := e.op.String()
	if e.name != "" && !strings.Contains(e.name, "$") {
		name = e.name
	}
	if e.deferred {
		return "the deferred " + name + " on line " + f.line(e.pos) + " takes back"
	}
	if !e.pos.IsValid() {
		return name + " has taken back"
	}
	return name + " on line " + f.line(e.pos) + " has taken back"
}

func (f *function) reportStale(a atom, pos token.Pos, unlock bool) {
	what, advice := "use of ", "use it before, or copy what is needed later (strings.Clone, slices.Clone)"
	switch {
	case unlock && a.stale.deferred:
		what, advice = "unlock of ", "the runtime may end the program there; deferred calls run in reverse order, so defer the unlock behind it"
	case unlock:
		what, advice = "unlock of ", "the runtime may end the program there; unlock before"
	case a.stale.op == opDeallocate:
		advice = "deallocate it after its last use"
	}
	f.findOf(a.stale, ruleStale, pos, [3]any{ruleStale, a.site, a.stale},
		what+f.memoryName(a)+", which "+f.taken(a.stale)+": "+advice)
}

func (f *function) reportStaleHandle(a atom, pos token.Pos) {
	f.findOf(a.stale, ruleStale, pos, [3]any{ruleStale, a.site, a.stale},
		"use of "+f.handleName(a.site)+", which "+f.taken(a.stale)+": put it after its last use, or Get another one")
}

func (f *function) reportTwice(a atom, o op, pos token.Pos) {
	name, what := f.handleName(a.site), "Put"
	if o == opDeallocate {
		name, what = f.memoryName(a), "Deallocate"
	}
	f.find(rulePut, pos, [2]any{rulePut, pos}, "second "+what+" of "+name+", which "+f.taken(a.stale)+
		": give it back once, best with a defer right after it was taken")
}

func (f *function) reportLost(k *site, where string) {
	f.find(rulePut, k.pos, [2]any{rulePut, k}, "Get without Put: "+f.handleName(k)+" is not put back "+where+
		": defer the pool's Put right after Get, or use Do")
}

func (f *function) reportMark(a atom, pos token.Pos) {
	f.find(ruleMark, pos, [3]any{ruleMark, a.site, a.stale}, "Rewind to a mark of "+f.handleName(a.region)+", which "+
		f.taken(a.stale)+" and made stale, so that it panics: rewind inner marks before outer ones, and take a new mark after Reset")
}

func (f *function) reportShared(k *site, pos, other token.Pos) {
	also := "the caller, who owns it, may use it, too"
	switch {
	case other.IsValid():
		also = "line " + f.line(other) + " may use it at the same time"
	case k.kind != symbolSite || k.path != "":
		also = "another goroutine may use it at the same time"
	}
	if f.given[pos] {
		f.find(ruleGoroutine, pos, [3]any{ruleGoroutine, k, pos}, f.handleName(k)+" is sent on a channel, and "+also+
			": who receives it owns it; send it after its last use, or wait until it comes back")
		return
	}
	f.find(ruleGoroutine, pos, [3]any{ruleGoroutine, k, pos}, f.handleName(k)+" is used by this goroutine, and "+also+
		": an arena belongs to one goroutine at a time; Get one inside, or wait for the goroutine first")
}

func (f *function) reportLent(k *site, l lending, e *event) {
	f.find(ruleEscape, l.pos, [3]any{ruleEscape, k, l.pos}, "memory of "+f.handleName(k)+" is "+l.how+", and "+
		f.taken(e)+" that memory while it may still be in use: pass a deep copy, or wait before that")
}

func (f *function) reportKept(a atom, at token.Pos) {
	f.findOf(a.stale, ruleEscape, at, [3]any{ruleEscape, at, a.site}, f.memoryIs(a)+" stored where it outlives the function, but "+
		f.taken(a.stale)+" that memory: store a deep copy (strings.Clone, slices.Clone), or clear the place before")
}

// checkReturn reports what leaves the function although it was taken back,
// and what was not given back.
func (f *function) checkReturn(st *state, instr *ssa.Return, results []value) {
	pos := f.position(instr)
	for i, v := range results {
		f.reachOwn(st, v, func(a atom) {
			if a.stale == nil || a.site.kind == markSite {
				return
			}
			what := f.memoryName(a)
			advice := "return a deep copy (strings.Clone, slices.Clone), or let the caller own the arena"
			if a.region == nil {
				what, advice = f.handleName(a.site), "return before Put, and let the caller put it back"
			} else if a.site.slot {
				advice = "let the caller deallocate it"
			}
			f.findOf(a.stale, ruleEscape, pos, [3]any{ruleEscape, pos, i}, "return of "+what+", which "+f.taken(a.stale)+": "+advice)
		})
	}
	for k, o := range st.cells {
		p, ok := f.place(k)
		if k.kind != symbolSite || !ok || p.Fresh != 0 {
			continue
		}
		for off, atoms := range o.parts {
			for _, first := range atoms {
				at, ok := f.stored[storeKey{k, off, first.site}]
				if !ok {
					continue // it came with a call; the callee's own analysis knows where
				}
				f.reachOwn(st, one(first), func(a atom) {
					if a.stale == nil || a.region == nil || a.site.kind == markSite || a.region.kind == symbolSite && a.region.root == k.root {
						return // whoever holds both the memory and the arena knows when it ends
					}
					f.reportKept(a, at)
				})
			}
		}
	}
	for k := range st.open {
		f.reportLost(k, "on the path that returns on line "+f.line(pos))
	}
	for k, at := range st.handed {
		if _, ok := k.root.(*ssa.Parameter); ok && k.path == "" && !f.owned[k] {
			f.reportShared(k, at, token.NoPos)
		}
	}
}

// reachOwn calls fn for what v leads to through objects of the function itself.
func (f *function) reachOwn(st *state, v value, fn func(atom)) {
	seen := map[atom]bool{}
	var walk func(a atom)
	walk = func(a atom) {
		if seen[a] {
			return
		}
		seen[a] = true
		fn(a)
		if a.site.kind == localSite || a.site.kind == memorySite {
			for off, atoms := range st.parts(a.site) {
				if !strings.HasPrefix(off, a.off) && a.site.fn == nil {
					continue
				}
				for _, b := range atoms {
					walk(b)
				}
			}
		}
	}
	for _, e := range v {
		walk(e.a)
	}
}
