package life

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// asked are methods that the standard library calls of what it is given.
var asked = map[string]bool{
	"String": true, "GoString": true, "Format": true, "Error": true, "Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true,
	"MarshalJSON": true, "MarshalText": true, "AppendText": true, "MarshalBinary": true, "MarshalXML": true, "MarshalXMLAttr": true,
	"Read": true, "Write": true, "WriteString": true, "ReadFrom": true, "WriteTo": true, "Close": true, "Seek": true, "ReadAt": true, "WriteAt": true,
	"ReadByte": true, "ReadRune": true, "ReadString": true, "UnreadByte": true, "UnreadRune": true, "WriteByte": true, "Scan": true,
	"RoundTrip": true, "ServeHTTP": true,
}

// calledBack are the program's own methods of what a call puts into an interface for a function of the standard
// library: those of what lies deeper are taken to keep nothing.
func (f *function) calledBack(call ssa.CallInstruction, pkg string, args []set) {
	var all set
	for _, v := range inInterfaces(call) {
		methods := f.p.root.Prog.MethodSets.MethodSet(v.Type())
		for sel := range methods.Methods() {
			name := sel.Obj().Name()
			g := f.p.root.Prog.MethodValue(sel)
			if g == nil || len(g.Blocks) == 0 || !f.p.packages[PackageOf(g)] || !asked[name] && !(strings.HasSuffix(pkg, "/template") && sel.Obj().Exported()) {
				continue
			}
			s := f.summaryOf(instance{fn: g})
			if s == nil {
				continue
			}
			if all == nil {
				all = f.reachAll(args)
			}
			given := make([]set, len(g.Params))
			for i := range given {
				given[i] = all
			}
			if len(given) > 0 {
				given[0] = f.of(v)
			}
			f.applyTo(call, g, s, given, nil, func(int, set) {})
		}
	}
}

// inInterfaces are the values that a call's arguments have in interfaces: as they are, or in the list of those
// that the last parameter takes.
func inInterfaces(call ssa.CallInstruction) (all []ssa.Value) {
	add := func(v ssa.Value) {
		if m, ok := v.(*ssa.MakeInterface); ok {
			all = append(all, m.X)
		}
	}
	for _, v := range call.Common().Args {
		add(v)
		s, ok := v.(*ssa.Slice)
		if !ok {
			continue
		}
		list, ok := s.X.(*ssa.Alloc)
		if !ok {
			continue
		}
		for _, i := range *list.Referrers() {
			if at, ok := i.(*ssa.IndexAddr); ok {
				for _, i := range *at.Referrers() {
					if i, ok := i.(*ssa.Store); ok {
						add(i.Val)
					}
				}
			}
		}
	}
	return all
}
