package life

import (
	"go/constant"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// Copied are the borders that a string of the program crosses: it has to be copied there.
func (p *Program) Copied() map[token.Pos]bool { return p.crossed }

// border reports whether a string that is stored at pos is copied there, so that it does not live
// for as long as what it is stored in.
func (f *function) border(pos token.Pos, v ssa.Value) bool {
	if !f.p.world.Borders[pos] || !types.Identical(v.Type(), types.Typ[types.String]) {
		return false
	}
	if !f.of(v).within(&f.global) {
		f.p.crossed[pos] = true
	}
	return true
}

// intoError reports whether an address is a field's of an error.
func intoError(addr ssa.Value) bool {
	for {
		a, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		t := a.X.Type()
		if types.Implements(t, errorType) || types.Implements(t.Underlying().(*types.Pointer).Elem(), errorType) {
			return true
		}
		addr = a.X
	}
}

// ofError reports whether a map is made for a field of an error.
func ofError(v ssa.Value) bool {
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.Store:
			if i.Val == v && intoError(i.Addr) {
				return true
			}
		case *ssa.Phi:
			for _, i := range *i.Referrers() {
				if s, ok := i.(*ssa.Store); ok && intoError(s.Addr) {
					return true
				}
			}
		}
	}
	return false
}

// panicString is the string of a panic, or nil.
func panicString(i *ssa.Panic) ssa.Value {
	if m, ok := i.X.(*ssa.MakeInterface); ok && types.Identical(m.X.Type(), types.Typ[types.String]) {
		return m.X
	}
	return nil
}

// verbW is the verb of fmt.Errorf that keeps its operand.
var verbW = regexp.MustCompile(`%[^%a-zA-Z]*w`)

// wrapped are the operands of fmt.Errorf that its error may keep: those that may be errors, where the format
// may have the verb for it. Of the others it has only the text.
func wrapped(call ssa.CallInstruction) (all []ssa.Value, known bool) {
	args := call.Common().Args
	if c, ok := args[0].(*ssa.Const); ok && c.Value != nil && !verbW.MatchString(constant.StringVal(c.Value)) {
		return nil, true
	}
	if _, none := args[1].(*ssa.Const); none {
		return nil, true
	}
	s, ok := args[1].(*ssa.Slice)
	if !ok {
		return nil, false
	}
	list, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil, false
	}
	for _, i := range *list.Referrers() {
		at, ok := i.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, i := range *at.Referrers() {
			if i, ok := i.(*ssa.Store); ok {
				if m, boxed := i.Val.(*ssa.MakeInterface); !boxed || types.Implements(m.X.Type(), errorType) {
					all = append(all, i.Val)
				}
			}
		}
	}
	return all, true
}

// errorf is a call of fmt.Errorf.
func (f *function) errorf(call ssa.CallInstruction, args []*set) {
	why := Reason{"is wrapped by fmt.Errorf", call.Pos()}
	operands, known := wrapped(call)
	if !known { // a list from elsewhere: what in it may be an error
		kept := &set{}
		for n := range f.reach(args[1]).refs.all() {
			switch r := f.refs[n]; {
			case r.kind == param && !f.p.types.errors[r.to]:
				for k := range f.p.types.errors {
					if f.p.types.reaches(r.typ, k) {
						kept.put(f.led(r.n, k))
					}
				}
			case f.p.types.errors[r.to]:
				kept.put(n)
			}
		}
		f.leak(kept, nil, why)
	}
	for _, v := range operands {
		f.leak(f.of(v), nil, why)
		f.leak(f.reach(f.of(v)).refs, nil, why)
	}
}

// target is a call of errors.As: what it stores in its target lives for long, as all errors do.
func (f *function) target(call ssa.CallInstruction, args []*set) {
	why := Reason{"is where an error is stored", call.Pos()}
	t, ok := ssaform.Unboxed(call.Common().Args[1]).Type().Underlying().(*types.Pointer)
	if !ok {
		f.leak(args[1], nil, why) // so that others may have stored there
		return
	}
	for _, l := range leaves(t.Elem()) {
		f.assign(args[1], l.path, setOf(f.lasting(0, key(l.typ))), l.typ, why)
	}
}
