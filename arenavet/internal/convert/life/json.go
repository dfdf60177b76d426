package life

import (
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/ssaform"
)

// What a call of encoding/json reads is one object, whose type is not told and whose parts all are
// itself: all of it lies in the arena or none. It is stored in each part of what the call is given
// that a document can reach.

// decodes reports whether a call reads JSON into its second argument.
func decodes(name string) bool {
	return name == "encoding/json.Unmarshal" || name == "encoding/json.Decoder.Decode"
}

// keepsNone reports whether a function of the standard library with a receiver keeps nothing of what it
// is given: what it writes is a copy.
func keepsNone(name string) bool {
	switch name {
	case "encoding/json.Encoder.Encode", "encoding/json.Encoder.SetIndent", "strings.Replacer.WriteString":
		return true
	}
	return strings.HasPrefix(name, "regexp.Regexp.") && name != "regexp.Regexp.UnmarshalText"
}

// copiesAll reports whether what a function returns leads to nothing that it was given.
func copiesAll(pkg, name string) bool {
	switch name {
	case "strings.Clone", "bytes.Clone", "strings.Builder.String", "bytes.Buffer.String", "encoding/json.Marshal", "encoding/json.MarshalIndent",
		"encoding/base64.Encoding.EncodeToString", "encoding/hex.EncodeToString":
		return true
	}
	return pkg == "fmt"
}

// decode is a call that reads JSON into what a value leads to.
func (f *function) decode(call ssa.CallInstruction, v ssa.Value, into *set) {
	why := Reason{"is read into what outlives the root", call.Pos()}
	read := setOf(f.whole(object{kind: site, at: call}, ""))
	var parts []leaf
	behind := map[string]bool{"": true} // types that a document can reach; any, where that is not known
	if t, ok := ssaform.Unboxed(v).Type().Underlying().(*types.Pointer); ok {
		parts = leaves(t.Elem())
		delete(behind, "")
		for _, l := range parts {
			maps.Copy(behind, f.p.types.from(key(l.typ)))
		}
	}
	direct := map[*thing]bool{}
	for n := range into.all() {
		r := f.refs[n]
		direct[r.thing] = true
		if parts == nil {
			f.store(r, "*", read, nil, why)
		}
		for _, l := range parts {
			f.store(r, l.path, read, nil, why)
		}
		if r.kind == param { // what it led to before is read into, too
			for k := range behind {
				f.store(f.refs[f.led(r.n, k)], "*", read, nil, why)
			}
		}
	}
	for _, g := range f.reach(into).things { // with what is read
		if !direct[g] && !f.isText(g) {
			f.store(ref{g.place(""), ""}, "*", read, nil, why)
		}
	}
	given := f.reachAll([]*set{into, read}) // what it led to before is read into, too
	for _, g := range f.p.readers {
		f.run(applied{call: call, to: g}, []*set{given, read}, nil)
	}
}

// isText reports whether an object is the bytes of a string that a caller gave, which lead to nothing.
func (f *function) isText(g *thing) bool {
	if g.kind != param || g.deep || g.n >= len(f.fn.Params) {
		return false
	}
	return catalog.IsText(f.fn.Params[g.n].Type())
}

// findReaders finds the program's own methods that a JSON reader calls: they may keep what is read.
func (p *Program) findReaders(functions []*ssa.Function) {
	for _, fn := range functions {
		if (fn.Name() == "UnmarshalJSON" || fn.Name() == "UnmarshalText") && p.own[fn] && written(fn) && len(fn.Params) == 2 {
			p.readers = append(p.readers, fn)
		}
	}
}

// reads reports whether an instruction is a call that reads JSON.
func reads(i ssa.Instruction) bool {
	call, ok := i.(ssa.CallInstruction)
	if !ok || call.Common().StaticCallee() == nil {
		return false
	}
	return decodes(catalog.CalleeName(call.Common().StaticCallee()))
}
